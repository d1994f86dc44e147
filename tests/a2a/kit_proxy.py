"""Stands between the protocol's test kit for 1.0 and a server.

The kit sends no key, names no skill, gives one message id to different messages,
and checks the card against a schema that knows no member of 0.3. This proxy adds
what a client of this server adds: the key, the version to the request for the
card, a fresh id to each message, and a skill to those messages that the kit wants
an agent of its own to answer (their ids begin with `tck-` and what it should do).

The kit for 0.3 needs the key only: say `0.3` for it.

usage: kit_proxy.py PORT SERVER KEY [0.3]
"""

import json
import sys
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT, SERVER, KEY = int(sys.argv[1]), sys.argv[2].rstrip("/"), sys.argv[3]
ONLY_KEY = sys.argv[4:] == ["0.3"]

# What the kit wants to happen, and the skill whose agent does it.
SKILLS = {
    "tck-complete-task": "summarization",
    "tck-artifact-text": "sentiment",
    "tck-artifact-file-url": "classification",
    "tck-artifact-file": "data:extraction",
    "tck-artifact-data": "data:aggregation",
    "tck-message-response": "translation",
}


def prepared(message):
    """The message with an id of its own, and with a skill if it needs one."""
    if ONLY_KEY or not isinstance(message, dict) or not isinstance(message.get("messageId"), str):
        return
    wanted = [skill for start, skill in SKILLS.items() if message["messageId"].startswith(start)]
    if wanted:
        message.setdefault("metadata", {}).setdefault("capability", wanted[0])
    message["messageId"] += f"-{uuid.uuid4()}"


class Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
        try:
            parsed = json.loads(body or b"")
            prepared(parsed.get("message"))
            prepared(parsed.get("params", {}).get("message"))
            body = body if ONLY_KEY else json.dumps(parsed).encode()
        except (ValueError, AttributeError):
            pass
        dropped = {"host", "content-length", "connection", "accept-encoding"}
        headers = {name: value for name, value in self.headers.items() if name.lower() not in dropped}
        headers["Authorization"] = f"Bearer {KEY}"
        if not ONLY_KEY and self.path == "/.well-known/agent-card.json":
            headers.setdefault("A2A-Version", "1.0")
        request = urllib.request.Request(SERVER + self.path, data=body, headers=headers, method=self.command)
        try:
            response = urllib.request.urlopen(request, timeout=90)
        except urllib.error.HTTPError as error:
            response = error
        text = response.read()
        self.send_response(response.status)
        for name, value in response.headers.items():
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = forward

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", PORT), Proxy).serve_forever()
