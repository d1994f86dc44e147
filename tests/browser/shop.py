"""A shop with a customer and an operator, for what looks at its console."""

import contextlib
import json
import subprocess
import urllib.error
import urllib.request

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
def served(tollbridge, registry, folder, log=None):
    command = [tollbridge, "-q", "serve", "--listen", "127.0.0.1:0", "--registry", registry, "--data", folder]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder)
    try:
        yield next(line.split()[1] for line in server.stdout if line.startswith("ready "))
    finally:
        server.terminate()
        assert server.wait(30) == 0, "the server did not drain"


def link(tollbridge, folder, name, role):
    command = [tollbridge, "--json", "console", "--as", name, "--role", role, "--data", folder]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout)["url"]


def verified(tollbridge, folder):
    """The ledger holds, from its first record to its last."""
    command = [tollbridge, "--json", "ledger", "verify", "--data", folder]
    checked = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout)
    assert checked["ok"] is True, checked


def sold(base):
    """A customer who paid for two calls, of which one was answered and one refused; their key."""
    key = post(f"{base}/v1/signup", {"email": "ada@example.com"})["api_key"]
    headers = {"Authorization": f"Bearer {key}"}
    intents = [post(f"{base}{BRIDGE}", QUESTION, headers)["payment"]["payment_intent_id"] for _ in range(2)]
    for intent in intents:
        post(f"{base}/pay/{intent}", {}, headers)
    post(f"{base}{BRIDGE}", QUESTION, {**headers, "X-Payment-Intent-Id": intents[0]})
    post(f"{base}{BRIDGE}", [1], {**headers, "X-Payment-Intent-Id": intents[1]})
    return key
