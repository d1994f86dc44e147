"""A person keeps an account: signs up, makes and revokes a key, sees what was
earned, takes it out, adds credit, lets a program act for them and ends it;
wide, narrow, with and without JavaScript.

usage: account.py path/to/tollbridge path/to/registry path/to/chromium [folder for pictures]
"""

import base64
import contextlib
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

from playwright.sync_api import expect, sync_playwright

VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"


def post(url, body, headers=None):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})})
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)


@contextlib.contextmanager
def served(tollbridge, config):
    command = [tollbridge, "serve", "--config", str(config)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield next(line.split()[1] for line in server.stdout if line.startswith("ready "))
    finally:
        server.terminate()
        assert server.wait(30) == 0, "the server did not drain"


class Callback(BaseHTTPRequestHandler):
    """The program's own little server, to which the person comes back."""

    seen = []

    def do_GET(self):
        if self.path.startswith("/callback"):
            self.seen.append(dict(urllib.parse.parse_qsl(urllib.parse.urlparse(self.path).query)))
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(b"back in the program")

    def log_message(self, *_):
        pass


def shot(page, folder, name):
    if folder:
        page.screenshot(path=str(folder / f"{name}.png"), full_page=True)


def signed_up(page, base, email):
    """Signs up; the key, which is shown this once."""
    page.goto(f"{base}/account")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    form = page.locator("form", has=page.get_by_role("button", name="Create account"))
    form.get_by_label("E-mail").fill(email)
    form.get_by_role("button", name="Create account").click()
    key = page.locator("#key").inner_text()
    assert key.startswith("tb_test_"), key
    page.get_by_role("link", name="I have saved it").click()
    expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    assert key not in page.content()
    return key


def keys(page, base, folder):
    page.goto(f"{base}/account/keys")
    page.get_by_label("Name").fill("my shop")
    page.get_by_label("Daily spending limit").fill("2.50")
    page.get_by_role("button", name="Create key").click()
    made = page.locator("#key").inner_text()
    page.get_by_role("link", name="I have saved it").click()
    shot(page, folder, "keys")
    card = page.locator(".key", has_text="my shop")
    expect(card).to_contain_text("£2.50")
    card.get_by_text("Revoke", exact=True).click()
    card.get_by_role("button", name="Revoke the key").click()
    expect(page.get_by_role("status")).to_contain_text("revoked")
    try:
        urllib.request.urlopen(urllib.request.Request(f"{base}/v1/balance", headers={"Authorization": f"Bearer {made}"}))
    except urllib.error.HTTPError as error:
        assert error.code == 401
    else:
        raise AssertionError("a revoked key works")


def consent(page, base, folder):
    """A program asks, the person allows, the program gets its code."""
    back = HTTPServer(("127.0.0.1", 0), Callback)
    threading.Thread(target=back.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{back.server_port}/callback"
    client = post(f"{base}/oauth/register", {"client_name": "A desk assistant", "redirect_uris": [address]})
    challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
    asked = {
        "response_type": "code", "client_id": client["client_id"], "redirect_uri": address, "state": "s",
        "code_challenge": challenge, "code_challenge_method": "S256", "scope": "call", "resource": f"{base}/mcp",
    }
    url = f"{base}/oauth/authorize?{urllib.parse.urlencode(asked)}"
    page.goto(url)
    for text in ("A desk assistant", address.removesuffix("/callback"), "paid from your credit"):
        expect(page.locator("main")).to_contain_text(text)
    shot(page, folder, "consent")
    page.get_by_role("button", name="Deny").click()
    expect(page.locator("body")).to_contain_text("back in the program")
    assert Callback.seen[-1]["error"] == "access_denied", Callback.seen
    page.goto(url)
    page.get_by_label("Daily spending limit").fill("1.00")
    page.get_by_role("button", name="Allow", exact=True).click()
    expect(page.locator("body")).to_contain_text("back in the program")
    answer = Callback.seen[-1]
    assert answer["iss"] == base and answer["state"] == "s", answer
    form = {
        "grant_type": "authorization_code", "code": answer["code"], "client_id": client["client_id"],
        "redirect_uri": address, "code_verifier": VERIFIER, "resource": f"{base}/mcp",
    }
    request = urllib.request.Request(f"{base}/oauth/token", urllib.parse.urlencode(form).encode())
    with urllib.request.urlopen(request, timeout=30) as reply:
        assert json.load(reply)["token_type"] == "Bearer"
    page.goto(f"{base}/account/apps")
    expect(page.locator("main")).to_contain_text("A desk assistant")
    expect(page.locator("main")).to_contain_text("£1.00")
    shot(page, folder, "apps")
    page.get_by_text("Disconnect", exact=True).click()
    page.get_by_role("button", name="Disconnect the app").click()
    expect(page.get_by_role("status")).to_be_visible()
    back.shutdown()


def top_up(page, base, folder):
    """Adds credit, over the processor's page, and comes back."""
    page.goto(f"{base}/account/money")
    page.get_by_label("Pounds").fill("nothing")
    page.get_by_role("button", name="Add credit").click()
    expect(page.get_by_role("alert")).to_contain_text("whole pounds")
    page.goto(f"{base}/account/money")
    page.get_by_label("Pounds").fill("12")
    page.get_by_role("button", name="Add credit").click()
    # The page in between moves on by itself.
    page.get_by_role("button", name="Pay £12.00 in the sandbox").click()
    expect(page.get_by_role("heading", name="Paid", exact=True)).to_be_visible()
    page.get_by_role("link", name="Your account").click()
    expect(page.locator(".tiles")).to_contain_text("£22.00")
    shot(page, folder, "money-buyer")


def take_out(page, base, folder):
    """Connects a payout account and withdraws what was earned."""
    page.goto(f"{base}/account/money")
    page.get_by_role("button", name="Connect a payout account").click()
    page.get_by_role("button", name="acct_test_ok").click()
    expect(page.get_by_role("heading", name="Connected")).to_be_visible()
    page.get_by_role("link", name="Your account").click()
    shot(page, folder, "money-before")
    page.get_by_role("button", name=re.compile("^Withdraw £")).click()
    expect(page.get_by_role("status")).to_contain_text("Withdrawal sent")
    expect(page.locator("table")).to_contain_text("settled")
    shot(page, folder, "money")
    # Going back does not offer what was taken out.
    page.go_back()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.get_by_role("button", name=re.compile("^Withdraw £"))).to_have_count(0)


def wrong_link(page, base):
    """Somebody with a link that is none sees a page."""
    page.goto(f"{base}/pay/pt_nonsense")
    expect(page.get_by_role("heading", name="Not Found")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("use the link from the quote")
    page.get_by_role("main").get_by_role("link", name="Account").click()
    expect(page.get_by_role("heading", name="Your account")).to_be_visible()


def through(browser, base, folder, number, **options):
    """Everything once, in one kind of browser."""
    context = browser.new_context(**options)
    page = context.new_page()
    strange = []
    page.on("request", lambda request: strange.append(request.url) if not request.url.startswith("http://127.0.0.1") else None)
    # Advice of the browser is no complaint; wrong keys, amounts and links are
    # answered with 422, 400 and 404.
    page.on("console", lambda message: strange.append(f"console: {message.text}")
            if message.type in ("error", "warning") and not re.search("422|400|404", message.text) else None)
    page.on("pageerror", lambda error: strange.append(f"error: {error}"))
    key = signed_up(page, base, f"ada{number}@example.com")
    for name in ("account", "account/keys", "account/earnings", "account/money", "account/webhooks", "account/apps"):
        page.goto(f"{base}/{name}")
        width = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]") if options.get("java_script_enabled", True) else (0, 0)
        assert width[0] <= width[1], f"{name} is wider than the screen: {width}"
    shot(page, folder, f"apps-empty-{number}")
    page.goto(f"{base}/account/earnings")
    shot(page, folder, f"earnings-{number}")
    keys(page, base, folder if number == 0 else None)
    consent(page, base, folder if number == 0 else None)
    top_up(page, base, folder if number == 0 else None)
    wrong_link(page, base)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    shot(page, folder, f"sign-in-{number}")
    page.get_by_label("API key").fill("tb_test_nonsense")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    cookies = context.cookies()
    assert all(cookie["httpOnly"] and cookie["sameSite"] == "Lax" for cookie in cookies) and cookies, cookies
    context.close()
    assert not strange, f"a page asked for or said something else: {strange}"
    return key


def earned(browser, base, owner, folder):
    """The publisher sees what the calls of others brought."""
    page = browser.new_page(viewport={"width": 900, "height": 700})
    page.goto(f"{base}/account/sign-in")
    page.get_by_label("API key").fill(owner)
    page.get_by_role("button", name="Sign in").click()
    shot(page, folder, "account")
    page.goto(f"{base}/account/earnings")
    expect(page.locator("svg rect").first).to_be_visible()
    shot(page, folder, "earnings")
    take_out(page, base, folder)
    page.close()
    phone = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme="dark")
    phone.goto(f"{base}/account/sign-in")
    phone.get_by_label("API key").fill(owner)
    phone.get_by_role("button", name="Sign in").click()
    shot(phone, folder, "account-phone")
    phone.close()


def owned(tollbridge, registry, folder):
    """A configuration in which a known account earns what the registry's
    publishers sell: its file, and a key of the account."""
    data = folder / "data"
    command = [tollbridge, "--json", "key", "create", "--data", str(data)]
    made = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    trusted = (pathlib.Path(registry) / "publishers.toml").read_text()
    publishers = folder / "publishers.toml"
    publishers.write_text(re.sub(r'(?m)^account *=.*$', f'account = "{made["account_id"]}"', trusted))
    config = folder / "tollbridge.toml"
    config.write_text(
        f'[server]\nlisten = "127.0.0.1:0"\n[data]\ndir = "{data}"\n'
        f'[registry]\ndir = "{pathlib.Path(registry).resolve()}"\npublishers = "{publishers}"\n'
        "[tiers.free]\nper_minute = 100000\nper_hour = 1000000\n"
    )
    return config, made["api_key"]


def sell(base, key):
    """Some calls on credit, more of some bridges than of others; in the end the
    owner has enough to take out."""
    with urllib.request.urlopen(f"{base}/api/v1/bridges", timeout=30) as reply:
        offers = json.load(reply)["bridges"]
    credit = {"Authorization": f"Bearer {key}", "X-Payment-Source": "credit"}
    live = [offer for offer in offers if offer["status"] == "live" and offer["examples"] and offer["price_pence"] > 0]

    def calls(offer, times):
        for _ in range(times):
            try:
                post(f"{base}/v1/oracle/{offer['name']}", offer["examples"][0]["input"], credit)
            except urllib.error.HTTPError:
                return False
        return True

    for place, offer in enumerate([offer for offer in live if offer["price_pence"] <= 10][:7]):
        calls(offer, 9 - place)
    for offer in sorted(live, key=lambda offer: -offer["price_pence"]):
        if calls(offer, 1) and calls(offer, 800 // offer["price_pence"]):
            return
    raise AssertionError("no bridge answers its own example")


def main():
    tollbridge, registry, chromium = sys.argv[1:4]
    pictures = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        config, owner = owned(tollbridge, registry, pathlib.Path(folder))
        with served(tollbridge, config) as base:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            key = through(browser, base, pictures, 0, viewport={"width": 1000, "height": 800})
            through(browser, base, pictures, 1, viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
            through(browser, base, pictures, 2, java_script_enabled=False)
            sell(base, key)
            earned(browser, base, owner, pictures)
            browser.close()
    print("the account pages work in the browser")


main()
