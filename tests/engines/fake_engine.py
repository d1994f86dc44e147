"""A fake engine of models, which refuses what a server must not do.

It answers `/health` (unless `--no-health`), `/v1/models` and `/v1/chat/completions`; its
answers contain its process id.
"""

import argparse
import json
import os
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Variables that the server passes on, and those that shells, pyenv and Python add.
ALLOWED = {"PATH", "HOME", "LANG"} | {"PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"}

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--model", required=True)
parser.add_argument("--slow", type=float, default=0, help="seconds until it is ready")
parser.add_argument("--fails", action="store_true", help="ends at its start")
parser.add_argument("--no-health", action="store_true")
parser.add_argument("--stubborn", action="store_true", help="ignores SIGTERM")
parser.add_argument("--chatty", action="store_true", help="writes lines without an end")
parser.add_argument("--ends-with-input", action="store_true")
options = parser.parse_args()
ready_at = time.monotonic() + options.slow


def chat(request):
    if request.get("model") != options.model or not request.get("messages"):
        return 400, {"error": {"message": f"unexpected request {request}"}}
    message = {"role": "assistant", "content": f"pid {os.getpid()}"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return 200, {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": options.model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": usage,
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        known = ["/v1/models"] if options.no_health else ["/v1/models", "/health"]
        if self.path not in known:
            return self.answer(404, {})
        if time.monotonic() < ready_at:
            return self.answer(503, {"error": {"message": "Loading model"}})
        self.answer(200, {"data": [{"id": options.model}]})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if time.monotonic() < ready_at:
            return self.answer(500, {"error": {"message": "a request before the engine was ready"}})
        self.answer(*(chat(request) if self.path == "/v1/chat/completions" else (404, {})))

    def log_message(self, *_):
        pass


def write_lines():
    while True:
        print("line " * 50, flush=True)


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


unexpected = {name for name in set(os.environ) - ALLOWED if "PYENV_" not in name}
if unexpected:
    sys.exit(f"the environment contains {sorted(unexpected)}")
if options.fails:
    sys.exit("the model cannot be loaded")
if options.stubborn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
for needed, work in [(options.chatty, write_lines), (options.ends_with_input, end_with_input)]:
    if needed:
        threading.Thread(target=work, daemon=True).start()
print(f"loading {options.model}", file=sys.stderr, flush=True)
ThreadingHTTPServer(("127.0.0.1", options.port), Handler).serve_forever()
