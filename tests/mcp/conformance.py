"""The official MCP conformance suite against a server: the scenarios that apply
to a server that offers tools of its own, and those of an authorization server.

usage: conformance.py path/to/tollbridge path/to/registry path/to/node path/to/suite.js
docs/mcp.md says which scenarios do not apply, and why; one that is neither run
nor named there is a failure.
"""

import contextlib
import fnmatch
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

HERE = pathlib.Path(__file__).parent
CALLBACK = 3917

# Scenario and era.
SERVER = [
    ("server-initialize", "2025-06-18"),
    ("ping", "2025-06-18"),
    ("tools-list", "2025-06-18"),
    ("resources-list", "2025-06-18"),
    ("prompts-list", "2025-06-18"),
    ("server-initialize", "2025-11-25"),
    ("ping", "2025-11-25"),
    ("tools-list", "2025-11-25"),
    ("resources-list", "2025-11-25"),
    ("prompts-list", "2025-11-25"),
    ("server-session-lifecycle", "2025-11-25"),
    ("dns-rebinding-protection", "2025-11-25"),
    ("tools-list", "2026-07-28"),
    ("resources-list", "2026-07-28"),
    ("prompts-list", "2026-07-28"),
    ("sep-2164-resource-not-found", "2026-07-28"),
    ("caching", "2026-07-28"),
    ("http-header-validation", "2026-07-28"),
    ("input-required-result-unsupported-methods", "2026-07-28"),
    ("server-sse-multiple-streams", "2026-07-28"),
    ("dns-rebinding-protection", "2026-07-28"),
]


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@contextlib.contextmanager
def running(command):
    """A process that says `ready ADDRESS`."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield next(line.split()[1] for line in process.stdout if line.startswith("ready "))
    finally:
        process.terminate()
        process.wait(30)


class Person:
    """Follows the address that the suite prints, signs in and allows."""

    def __init__(self, base, key):
        self.base, self.key, self.cookie = base, key, None
        self.opener = urllib.request.build_opener(NoRedirect)

    def ask(self, url, form=None):
        data = urllib.parse.urlencode(form).encode() if form is not None else None
        headers = {"Accept": "text/html"} | ({"Cookie": self.cookie} if self.cookie else {})
        try:
            reply = self.opener.open(urllib.request.Request(url, data, headers), timeout=30)
        except urllib.error.HTTPError as error:
            reply = error
        if cookie := reply.headers.get("set-cookie"):
            self.cookie = cookie.split(";")[0]
        return reply, reply.read().decode()

    def allow(self, url):
        self.ask(f"{self.base}/account/sign-in", {"key": self.key, "next": "/account"})
        reply, page = self.ask(url)
        location = reply.headers.get("location")
        if location is None:
            fields = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', page))
            assert fields, f"no consent at {url}: {page}"
            form = fields | {"decision": "allow", "max_spend_gbp": "1.00"}
            reply, page = self.ask(f"{self.base}/oauth/authorize", form)
            location = reply.headers["location"]
        self.ask(location)


def run(suite, arguments, person=None):
    """Runs the suite; the page that it wants opened is opened."""
    process = subprocess.Popen([*suite, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    told, page = [], None
    for line in process.stdout:
        told.append(line)
        if found := re.search(r"https?://\S*/oauth/authorize\?\S+", line):
            page = found.group(0)
        # It names the page before it listens for the answer.
        if person and page and "Callback server started" in line:
            threading.Thread(target=person.allow, args=(page,), daemon=True).start()
    return process.wait(), "".join(told)


def forgotten(suite):
    """Scenarios of the suite that are neither run nor written down as not applying."""
    listed = subprocess.run([*suite, "list", "--server"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  - (\S+) \[", listed, re.MULTILINE)
    assert len(names) > 30, listed
    table = (HERE.parents[1] / "docs/mcp.md").read_text().split("| scenarios |")[1]
    excused = re.findall(r"`([^`]+)`", " ".join(row.split("|")[1] for row in table.splitlines() if row.startswith("| `")))
    run = [scenario for scenario, _ in SERVER] + excused
    return [name for name in names if not any(fnmatch.fnmatch(name, known) for known in run)]


def registered(base):
    body = {"client_name": "conformance", "redirect_uris": [f"http://127.0.0.1:{CALLBACK}/callback"]}
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{base}/oauth/register", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)["client_id"]


def main():
    tollbridge, registry, node, script = sys.argv[1:]
    suite, failed = [node, script], []
    if new := forgotten(suite):
        failed.append(f"neither run nor named in docs/mcp.md: {', '.join(new)}")
    with tempfile.TemporaryDirectory() as data:
        made = subprocess.run([tollbridge, "key", "create", "--data", data], capture_output=True, text=True, check=True)
        key = made.stdout.strip()
        serve = [tollbridge, "serve", "--listen", "127.0.0.1:0", "--data", data, "--registry", registry]
        with running(serve) as base:
            target = base.removeprefix("http://")
            with running([sys.executable, str(HERE / "proxy.py"), "0", target, key]) as proxy:
                for scenario, era in SERVER:
                    options = ["--url", f"{proxy}/mcp", "--scenario", scenario, "--spec-version", era]
                    code, told = run(suite, ["server", *options, "-o", data])
                    print(f"{'ok' if code == 0 else 'FAILED'}: {scenario} ({era})")
                    if code:
                        failed.append(told)
            # Its scenarios build on each other: one run for all of them.
            options = ["--url", base, "--client-id", registered(base), "-p", str(CALLBACK)]
            options += ["--resource", f"{base}/mcp", "-o", data]
            code, told = run(suite, ["authorization", *options], Person(base, key))
            print(f"{'ok' if code == 0 else 'FAILED'}: authorization")
            if code:
                failed.append(told)
    if failed:
        print("\n".join(failed))
        sys.exit(1)


main()
