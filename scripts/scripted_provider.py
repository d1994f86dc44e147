#!/usr/bin/env python3
"""A model provider in OpenAI's format that answers from a script. It tests that a model is asked, not how good a model is.

usage: scripted_provider.py path/to/scripted.jsonl [--port PORT]

Each line of the script is `{"agent", "task", "says": {…}}`. A request whose user message contains the `task` of a line is
answered with its `says`, as JSON; if several lines match, the one with the longest task counts. Any other request is
answered with `{"missing": null, "task": null}`, which agents cannot use.
"""

import argparse
import contextlib
import http.server
import json
import pathlib
import threading

MODEL = "scripted"
NOTHING = {"missing": None, "task": None}


def lines(path):
    """Reads the script; the longest tasks come first."""
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return sorted(read, key=lambda line: -len(line["task"]))


def text_of(content):
    """Returns the text of a message, which may consist of parts."""
    parts = content if isinstance(content, list) else [{"text": content}]
    return "\n".join(part.get("text") or "" for part in parts)


def said(script, messages):
    """Returns the line of the script that matches a chat, if any."""
    asked = "\n".join(text_of(message.get("content")) for message in messages if message.get("role") == "user")
    return next((line for line in script if line["task"].strip() in asked), None)


def completion(model, content):
    return {"id": "chatcmpl-scripted", "object": "chat.completion", "created": 0, "model": model,
            "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


class Scripted(http.server.BaseHTTPRequestHandler):
    """Answers chats from the script of the server."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        known = self.path.rstrip("/").endswith("/models")
        self.reply(200 if known else 404, {"object": "list", "data": [{"id": MODEL, "object": "model"}]} if known else {})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if not self.path.endswith("/chat/completions"):
            self.reply(404, {"error": {"message": f"only chats are answered, not {self.path}"}})
            return
        line = said(self.server.script, body.get("messages") or [])
        answer = json.dumps(line["says"] if line else NOTHING, ensure_ascii=False)
        self.reply(200, completion(body.get("model") or MODEL, answer))

    def reply(self, status, body):
        data = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def server(path, port=0):
    made = http.server.ThreadingHTTPServer(("127.0.0.1", port), Scripted)
    made.daemon_threads = True
    made.script = lines(path)
    return made


def settings(made):
    """Returns a server configuration with only this provider."""
    return (f'\n[inference]\nusd_gbp = 1\n[inference.providers.scripted]\nbase_url = "http://127.0.0.1:{made.server_port}/v1"\n'
            f'models = [{{ id = "{MODEL}", input_usd_per_mtok = 0, output_usd_per_mtok = 0, context = 128000 }}]\n')


@contextlib.contextmanager
def serving(path):
    """Serves a script in a separate thread."""
    made = server(path)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    try:
        yield made
    finally:
        made.shutdown()
        made.server_close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", type=pathlib.Path)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    alone = server(options.script, options.port)
    print(f"http://127.0.0.1:{alone.server_port}/v1", flush=True)
    alone.serve_forever()
