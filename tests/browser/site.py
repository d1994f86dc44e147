"""A stranger looks at the site: every public page wide and narrow, light and dark, with the keyboard alone and
without scripts; tries a bridge and an agent in the page, and sees the seal verified there. Then the pages of an
account, with what was spent and a receipt.

usage: site.py path/to/tollbridge path/to/registry path/to/chromium [folder for pictures] [path/to/axe.min.js]
"""

import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

from playwright.sync_api import expect, sync_playwright

BRIDGE, AGENT = "tax_jar_lookup", "analytics-anomaly-detection"
PUBLIC = ["/", "/catalogue", "/catalogue?q=tax&kind=bridges&sort=price", f"/catalogue/bridges/{BRIDGE}",
          f"/catalogue/agents/{AGENT}", "/docs", "/docs/paying", "/docs/ledger-format", "/docs/accounts", "/docs/api",
          "/account/sign-in", "/nope"]
PRIVATE = ["/account", "/account/keys", "/account/spending", "/account/earnings", "/account/money",
           "/account/webhooks", "/account/apps"]
SIZES = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}
FIRST_LOAD_BYTES = 100_000


@contextlib.contextmanager
def served(tollbridge, registry, folder):
    config = pathlib.Path(folder) / "tollbridge.toml"
    # One address looks at everything.
    config.write_text("[tiers.free]\nper_minute = 100000\nper_hour = 1000000\n")
    command = [tollbridge, "-q", "serve", "--config", str(config), "--listen", "127.0.0.1:0", "--registry", registry,
               "--data", f"{folder}/data"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    try:
        yield next(line.split()[1] for line in server.stdout if line.startswith("ready "))
    finally:
        server.terminate()
        assert server.wait(30) == 0, "the server did not drain"


def post(url, body, headers=None):
    headers = {"Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)


def look(page, base, path, name, pictures, axe):
    """A page fits its window, loads nothing from elsewhere, and axe finds nothing wrong."""
    page.goto(f"{base}{path}")
    expect(page.locator("h1").first).to_be_visible()
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 0, f"{path} is {width} px too wide at {name}"
    if pictures:
        shot = path.strip("/").replace("/", "-").split("?")[0] or "home"
        page.screenshot(path=str(pictures / f"site-{shot}-{name}.png"), full_page=True)
    if axe:
        page.evaluate(axe)
        found = page.evaluate("axe.run()")["violations"]
        assert not found, (path, name, [(one["id"], [node["html"] for node in one["nodes"]]) for one in found])


def tried(page, base, path):
    """One click pays, calls, and verifies."""
    page.goto(f"{base}{path}#try")
    page.get_by_role("button", name="in the sandbox and call").click()
    expect(page.locator("#verified")).to_be_visible(timeout=30_000)
    expect(page.locator("#outcome")).to_contain_text("signed by a published key")
    body = page.get_by_label("Body of the request")
    body.fill("{")
    page.get_by_role("button", name="in the sandbox and call").click()
    expect(page.locator("#outcome .wrong")).to_contain_text("not JSON")
    body.fill('{"no_such_member": 1}')
    page.get_by_role("button", name="in the sandbox and call").click()
    expect(page.locator("#outcome .wrong")).to_be_visible()
    expect(page.locator("#outcome")).not_to_contain_text("Paid")


def by_account(page, base, key):
    """From credit, the page also compares the answer with the sealed record."""
    page.goto(f"{base}/catalogue/bridges/{BRIDGE}")
    page.get_by_text("Pay from the credit of an account").click()
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="in the sandbox and call").click()
    expect(page.locator("#outcome")).to_contain_text("byte for byte", timeout=30_000)


def keyboard(page, base):
    """The first stop of the tab key skips what every page repeats."""
    page.goto(f"{base}/catalogue")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Search")).to_be_focused()
    page.keyboard.type("iban")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("1 result")


def first_load(browser, base):
    """What a first visit loads, compressed as it comes."""
    page = browser.new_context().new_page()
    client = page.context.new_cdp_session(page)
    client.send("Network.enable")
    sizes, elsewhere = [], []
    client.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.on("request", lambda request: elsewhere.append(request.url) if not request.url.startswith(base) else None)
    for path in ("/", f"/catalogue/bridges/{BRIDGE}"):
        page.goto(f"{base}{path}", wait_until="networkidle")
    assert sum(sizes) <= FIRST_LOAD_BYTES, f"{sum(sizes)} bytes"
    assert not elsewhere, elsewhere
    page.context.close()


def account(page, base, key, name, pictures, axe):
    page.goto(f"{base}/account/sign-in")
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    for path in PRIVATE:
        look(page, base, path, name, pictures, axe)
    page.goto(f"{base}/account/spending")
    expect(page.locator("svg rect").first).to_be_visible()
    page.get_by_role("link", name="Receipt").first.click()
    expect(page.get_by_role("heading", name="Receipt")).to_be_visible()
    look(page, base, page.url.removeprefix(base), name, None, axe)
    page.emulate_media(media="print")
    expect(page.get_by_role("link", name="Catalogue")).to_be_hidden()
    page.emulate_media(media="screen")


def without_scripts(browser, base):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{base}/catalogue")
    page.get_by_label("Search").fill("vat number")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="vat_number_check").click()
    # Playwright reads no text of the element `noscript` itself.
    notice = page.locator("noscript p")
    expect(notice).to_be_visible()
    expect(notice).to_contain_text("needs JavaScript")
    expect(page.locator("body")).to_contain_text("/v1/oracle/vat_number_check")
    page.context.close()


def main():
    tollbridge, registry = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    pictures = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 and sys.argv[4] else None
    axe = pathlib.Path(sys.argv[5]).read_text() if len(sys.argv) > 5 else None
    with tempfile.TemporaryDirectory() as folder, served(tollbridge, registry, folder) as base, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=sys.argv[3], args=["--no-sandbox"])
        key = post(f"{base}/v1/signup", {"email": "ada@example.com"})["api_key"]
        credit = {"Authorization": f"Bearer {key}", "X-Payment-Source": "credit"}
        for _ in range(3):
            post(f"{base}/v1/oracle/{BRIDGE}", {"resource_id": "GB"}, credit)
        for name, size in SIZES.items():
            for scheme in ("light", "dark"):
                # axe is a script from elsewhere, which the pages do not let in.
                context = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=bool(axe))
                page = context.new_page()
                errors = []
                page.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
                for path in PUBLIC:
                    look(page, base, path, f"{name}-{scheme}", pictures, axe)
                account(page, base, key, f"{name}-{scheme}", pictures, axe)
                assert not errors, errors
                context.close()
        # With the policy of the pages in force, and nothing said against it.
        page = browser.new_context(viewport=SIZES["wide"]).new_page()
        said = []
        page.on("console", lambda message: said.append(message.text)
                if message.type == "error" and "status of 4" not in message.text else None)
        tried(page, base, f"/catalogue/bridges/{BRIDGE}")
        tried(page, base, f"/catalogue/agents/{AGENT}")
        by_account(page, base, key)
        keyboard(page, base)
        assert not said, said
        page.context.close()
        without_scripts(browser, base)
        first_load(browser, base)
        browser.close()
    print("the site does what a stranger needs, wide and narrow, light and dark")


main()
