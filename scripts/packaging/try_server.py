"""Starts an installed server and says how long it takes until it answers.

usage: try_server.py NAME SECONDS COMMAND …   (SECONDS: what the first answer may take)
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

CALL = "/v1/oracle/tax_jar_lookup"
PATIENCE = 300


def asked(url: str, body: bytes | None = None) -> tuple[int, dict]:
    """Status and answer; 0 where nobody listens yet."""
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer) if body else {}
    except urllib.error.HTTPError as error:
        return error.code, json.load(error) if body else {}
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return 0, {}


def main() -> None:
    name, most, *command = sys.argv[1:]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command += ["serve", "--listen", address]
    environment = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": os.getcwd()}
    environment |= {key: value for key, value in os.environ.items() if key.startswith("TOLLBRIDGE_")}
    started = time.monotonic()
    log = open("server.log", "wb")
    server = subprocess.Popen(command, stdout=log, stderr=log, env=environment)

    def until(what: str, holds) -> float:
        while not holds():
            after = time.monotonic() - started
            if server.poll() is not None or after > PATIENCE:
                sys.exit(f"{name}: {what} not after {after:.0f} s\n{open('server.log').read()[-4000:]}")
            time.sleep(0.02)
        return time.monotonic() - started

    def first_answer() -> bool:
        status, answer = asked(f"http://{address}{CALL}", b'{"resource_id": "GB"}')
        return status == 200 or (status == 402 and "payment" in answer)

    try:
        live = until("/health/live", lambda: asked(f"http://{address}/health/live")[0] == 200)
        first = until("a price or an answer", first_answer)
        ready = until("/health/ready", lambda: asked(f"http://{address}/health/ready")[0] == 200)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(75)
    print(f"{name}: live after {live:.1f} s, first answer after {first:.1f} s, all after {ready:.1f} s", flush=True)
    if first > float(most):
        sys.exit(f"{name}: the first answer may take {most} s")
    if server.returncode:
        sys.exit(f"{name}: ended with {server.returncode}")


if __name__ == "__main__":
    main()
