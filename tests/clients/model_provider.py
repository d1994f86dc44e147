"""A provider of OpenAI's format, for clients that pay for models; and how a server of ours is told of it."""

import http.server
import json
import threading

CONFIG = """
[inference.providers.local]
base_url = "http://127.0.0.1:{port}/v1"
models = [{{ id = "small", input_usd_per_mtok = 100.0, output_usd_per_mtok = 200.0, context = 8192 }}]
"""
# At most some pence; what it costs is some tenths of a penny.
QUESTION = {"model": "small", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 100}


class Provider(http.server.BaseHTTPRequestHandler):
    """Answers, unless `answers` is not set, and counts how often it was asked."""

    answers = True
    asked = 0

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        Provider.asked += 1
        message = {"role": "assistant", "content": "Hello there"}
        said = {
            "id": "c1", "object": "chat.completion", "created": 1, "model": request["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
        }
        body = json.dumps(said if Provider.answers else {"error": "broken"}).encode()
        self.send_response(200 if Provider.answers else 500)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def provided():
    """Starts it: the settings that name it."""
    provider = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    return CONFIG.format(port=provider.server_port)
