"""A person pays for a call: the page of a quote, one click, and the call works.

usage: pay.py path/to/tollbridge path/to/registry path/to/chromium
"""

import json
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from playwright.sync_api import expect, sync_playwright

BRIDGE = "tax_jar_lookup"
BODY = {"resource_id": "GB"}


def call(base, intent=None):
    """Calls the bridge; returns status and JSON."""
    headers = {"Content-Type": "application/json"}
    if intent:
        headers["X-Payment-Intent-Id"] = intent
    request = urllib.request.Request(f"{base}/v1/oracle/{BRIDGE}", json.dumps(BODY).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def pay(chromium, base):
    status, quote = call(base)
    assert status == 402, (status, quote)
    payment = quote["payment"]
    seen = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.on("request", lambda request: seen.append(request.url))
        page.on("console", lambda message: seen.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: seen.append(f"error: {error}"))
        page.goto(payment["payment_link"])
        # Somebody who pays must see what for, how much, and that it is a test.
        for text in (BRIDGE, payment["amount_gbp"], "sandbox"):
            expect(page.locator("body")).to_contain_text(text, ignore_case=True)
        status, refused = call(base, payment["payment_intent_id"])
        assert status == 402, (status, refused)
        page.get_by_role("button").click()
        expect(page.get_by_role("heading", name="Paid", exact=True)).to_be_visible()
        # A page that is loaded again must not ask for money again; what was paid can
        # be had back instead.
        page.goto(payment["payment_link"])
        expect(page.get_by_role("button", name=re.compile("^Pay"))).to_have_count(0)
        expect(page.get_by_role("button", name=re.compile("^Refund "))).to_have_count(1)
        browser.close()
    strange = [what for what in seen if not what.startswith(f"{base}/")]
    assert not strange, f"the page asked for or said something else: {strange}"
    status, answer = call(base, payment["payment_intent_id"])
    assert status == 200 and "result" in answer, (status, answer)


def main():
    tollbridge, registry, chromium = sys.argv[1:]
    with tempfile.TemporaryDirectory() as data:
        command = [tollbridge, "serve", "--listen", "127.0.0.1:0", "--data", data, "--registry", registry]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            base = next(line.split()[1] for line in server.stdout if line.startswith("ready "))
            pay(chromium, base)
        finally:
            server.terminate()
        assert server.wait(30) == 0, "the server did not drain"
    print("paid in the browser")


main()
