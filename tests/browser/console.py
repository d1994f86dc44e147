"""An operator keeps a server in a browser: looks at every page wide and narrow, light and dark, finds the
payment that a customer complains about, refunds it, and is refused what their role may not do.

usage: console.py path/to/tollbridge path/to/registry path/to/chromium [folder for pictures] [path/to/axe.min.js]
"""

import pathlib
import sys
import tempfile

from playwright.sync_api import expect, sync_playwright
from shop import link, served, sold, verified

PAGES = [
    "",
    "/payments",
    "/accounts",
    "/plugins",
    "/plugins/bridges/vat_number_check",
    "/plugins/bridges/vat_number_check/logs",
    "/inference",
    "/webhooks",
    "/disputes",
    "/withdrawals",
    "/money",
    "/requests",
    "/audit",
]
LOG = "/plugins/bridges/vat_number_check/logs"


def look(page, base, pictures, axe, name):
    """Every page fits its window, has no script, and nothing that axe finds wrong."""
    errors = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("response", lambda reply: errors.append(f"{reply.status} {reply.url}") if reply.status >= 400 else None)
    for path in PAGES:
        page.goto(f"{base}/console{path}")
        expect(page.locator("h1")).to_be_visible()
        width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert width <= 0, f"{path} is {width} px too wide at {name}"
        if pictures:
            page.screenshot(path=str(pictures / f"console-{path.strip('/').replace('/', '-') or 'overview'}-{name}.png"), full_page=True)
        if axe:
            page.evaluate(axe)
            found = page.evaluate("axe.run()")["violations"]
            assert not found, (path, [(one["id"], [node["html"] for node in one["nodes"]]) for one in found])
    assert not errors, errors


def complaint(page, base, site, key):
    """From the mail of a customer about a call to the money that goes back, with the console alone; then the books, the
    customer's own page and the audit log say the same."""
    # What went wrong, by the customer's account.
    page.goto(f"{base}/console/accounts")
    account = page.locator("tr", has_text="ada@example.com").get_by_role("link").first.inner_text()
    page.goto(f"{base}/console/requests")
    failed = page.locator("tbody tr", has_text=account).filter(has_text="E011").first
    expect(failed).to_contain_text("400")
    # What they paid, and what became of it.
    page.goto(f"{base}/console/payments")
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="payment", exact=True).first.click()
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()
    handle = page.url.split("name=")[1]
    page.get_by_label("Reason").fill("goodwill")
    page.get_by_role("button", name="Refund").click()
    expect(page.get_by_role("status")).to_contain_text("payment refund")
    expect(page.locator("dd", has_text="refunded").first).to_be_visible()
    page.goto(f"{base}/console/audit")
    expect(page.locator("tbody tr").first).to_contain_text("payment-refund")
    expect(page.locator("tbody tr").first).to_contain_text(handle)
    page.goto(f"{base}/console/money")
    expect(page.locator("main")).to_contain_text("£0.00")
    page.goto(f"{site}/account")
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    page.goto(f"{site}/account/spending")
    expect(page.locator("table").last).to_contain_text("(£0.04 refunded)")
    page.locator("tr", has_text="refunded").get_by_role("link", name="Receipt").click()
    expect(page.locator("dl")).to_contain_text("Refunded")


def follow(page, base):
    """A log that is followed is loaded again by itself until somebody stops it, without a script."""
    page.goto(f"{base}/console{LOG}")
    page.get_by_role("link", name="Follow").click()
    expect(page.locator("meta[http-equiv=refresh]")).to_have_count(1)
    with page.expect_navigation(timeout=15_000):
        pass
    page.get_by_role("link", name="Stop").click()
    expect(page.get_by_role("link", name="Follow")).to_be_visible()
    assert page.locator("meta[http-equiv=refresh]").count() == 0, "it is still loaded again"


def limits(page, base):
    """The page of a plugin has what its calls took beside what they may take."""
    page.goto(f"{base}/console/plugins/bridges/vat_number_check")
    table = page.get_by_role("region", name="Usage and limits")
    expect(table.get_by_role("row", name="Time")).not_to_contain_text("unknown")
    expect(table.get_by_role("row", name="Memory of an instance")).to_contain_text("MiB")


def main():
    tollbridge, registry = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    pictures = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 and sys.argv[4] else None
    axe = pathlib.Path(sys.argv[5]).read_text() if len(sys.argv) > 5 else None
    with tempfile.TemporaryDirectory() as folder, served(tollbridge, registry, folder) as base, sync_playwright() as play:
        key = sold(base)
        browser = play.chromium.launch(executable_path=sys.argv[3], args=["--no-sandbox"])
        wide = {"viewport": {"width": 1280, "height": 900}}
        narrow = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
        for name, how in (("wide", wide), ("narrow-dark", narrow)):
            # axe is a script, which the pages do not let in.
            page = browser.new_context(**how, bypass_csp=bool(axe)).new_page()
            entered = link(tollbridge, folder, "ada", "admin")
            console = entered.split("/console/")[0]
            page.goto(entered)
            expect(page.get_by_role("heading", name="Overview")).to_be_visible()
            look(page, console, pictures, axe, name)
        complaint(page, console, base, key)
        verified(tollbridge, folder)
        limits(page, console)
        page = browser.new_context(**wide, java_script_enabled=False).new_page()
        page.goto(link(tollbridge, folder, "eve", "read"))
        page.goto(f"{console}/console/plugins/bridges/vat_number_check")
        follow(page, console)
        page.goto(f"{console}/console/plugins/bridges/vat_number_check")
        page.get_by_role("button", name="Take out of service").click()
        expect(page.get_by_role("alert")).to_contain_text("needs the role admin")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        browser.close()
    print("the console does what an operator needs, wide and narrow")


main()
