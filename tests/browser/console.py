"""An operator keeps a server in a browser: looks at every page wide and narrow, light and dark, finds the
payment that a customer complains about, refunds it, and is refused what their role may not do.

usage: console.py path/to/tollbridge path/to/registry path/to/chromium [folder for pictures] [path/to/axe.min.js]
"""

import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from playwright.sync_api import expect, sync_playwright

PAGES = ["", "/payments", "/accounts", "/plugins", "/withdrawals", "/money", "/requests", "/audit"]
QUESTION = {"vat_number": "GB980780684"}
BRIDGE = "/v1/oracle/vat_number_check"


def post(url, body, headers=None):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        return json.load(error)


@contextlib.contextmanager
def served(tollbridge, registry, folder):
    command = [tollbridge, "-q", "serve", "--listen", "127.0.0.1:0", "--registry", registry, "--data", folder]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
    try:
        yield next(line.split()[1] for line in server.stdout if line.startswith("ready "))
    finally:
        server.terminate()
        assert server.wait(30) == 0, "the server did not drain"


def link(tollbridge, folder, name, role):
    command = [tollbridge, "--json", "console", "--as", name, "--role", role, "--data", folder]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout)["url"]


def sold(base):
    """A customer who paid for two calls and made one."""
    key = post(f"{base}/v1/signup", {"email": "ada@example.com"})["api_key"]
    headers = {"Authorization": f"Bearer {key}"}
    intents = [post(f"{base}{BRIDGE}", QUESTION, headers)["payment"]["payment_intent_id"] for _ in range(2)]
    for intent in intents:
        post(f"{base}/pay/{intent}", {}, headers)
    post(f"{base}{BRIDGE}", QUESTION, {**headers, "X-Payment-Intent-Id": intents[0]})
    post(f"{base}{BRIDGE}", [1], headers)


def look(page, base, pictures, axe, name):
    """Every page fits its window, has no script, and nothing that axe finds wrong."""
    errors = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    for path in PAGES:
        page.goto(f"{base}/console{path}")
        expect(page.locator("h1")).to_be_visible()
        width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert width <= 0, f"{path} is {width} px too wide at {name}"
        if pictures:
            page.screenshot(path=str(pictures / f"console-{path.strip('/') or 'overview'}-{name}.png"), full_page=True)
        if axe:
            page.evaluate(axe)
            found = page.evaluate("axe.run()")["violations"]
            assert not found, (path, [(one["id"], [node["html"] for node in one["nodes"]]) for one in found])
    assert not errors, errors


def refund(page, base):
    """From the mail of a customer to the money that goes back."""
    page.goto(f"{base}/console/payments")
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="payment", exact=True).first.click()
    expect(page.get_by_role("heading", name="What became of it")).to_be_visible()
    page.get_by_label("Reason").fill("goodwill")
    page.get_by_role("button", name="Refund").click()
    expect(page.get_by_role("status")).to_contain_text("payment refund")
    expect(page.locator("dd", has_text="refunded").first).to_be_visible()
    page.goto(f"{base}/console/audit")
    expect(page.locator("tbody tr").first).to_contain_text("payment-refund")


def main():
    tollbridge, registry = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    pictures = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 and sys.argv[4] else None
    axe = pathlib.Path(sys.argv[5]).read_text() if len(sys.argv) > 5 else None
    with tempfile.TemporaryDirectory() as folder, served(tollbridge, registry, folder) as base, sync_playwright() as play:
        sold(base)
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
        refund(page, console)
        page = browser.new_context(**wide, java_script_enabled=False).new_page()
        page.goto(link(tollbridge, folder, "eve", "read"))
        page.goto(f"{console}/console/plugins/bridges/vat_number_check")
        page.get_by_role("button", name="Take out of service").click()
        expect(page.get_by_role("alert")).to_contain_text("needs the role admin")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        browser.close()
    print("the console does what an operator needs, wide and narrow")


main()
