#!/usr/bin/env python3
"""What calls of bridges cost beside what a user would run instead: the same question over HTTP, answered by the usual
library behind axum (Rust) and behind FastAPI (Python).

usage: bench-doors.py path/to/tollbridge path/to/plugin-registry work-folder

Builds `tests/doors` and a Python environment in the work folder, starts the three servers, and asks each in turns with
`wrk`. Ours are real calls: paid by credit, metered, sealed. `pii_redaction` has no other door yet. Prints calls a
second: the median of the turns, and the spread.
"""

import hashlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOORS = ROOT / "tests/doors"
TURNS, SECONDS, CALLERS = 5, 4, (1, 64)
RANKS = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
CONFIG = """
[tiers.pro]
per_minute = 100000000
per_hour = 1000000000
"""


def case(bridge, name):
    return json.loads((ROOT / f"plugins/bridges/{bridge}/cases/{name}.json").read_text())["input"]


def questions(door):
    """Path and body of each question, as one of the doors takes it."""
    bodies = {"token_count": {"text": "hello world"}, "validation": case("validation", "order_fits"),
              "pii_redaction": case("pii_redaction", "letter")}
    folder = "/v1/oracle" if door == "tollbridge" else ""
    return {name: (f"{folder}/{name}", body) for name, body in bodies.items()}


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, text=True, capture_output=True, **options).stdout


def native(work):
    """The door of Rust: its address, and the process."""
    run("cargo", "build", "--release", "--locked", "--manifest-path", DOORS / "Cargo.toml", "--target-dir", work / "rust")
    server = subprocess.Popen([work / "rust/release/doors"], stdout=subprocess.PIPE, text=True)
    return f"http://{server.stdout.readline().strip()}", server


def python(work):
    """The door of Python, with as many workers as there are processors."""
    venv = work / "venv"
    if not (venv / "ready").exists():
        run(sys.executable, "-m", "venv", venv)
        run(venv / "bin/pip", "install", "--quiet", "-r", DOORS / "requirements.txt")
        (venv / "ready").touch()
    ranks = work / "ranks"
    ranks.mkdir(exist_ok=True)
    # Where tiktoken looks before it fetches them.
    shutil.copy(ROOT / "plugins/bridges/token_count/data/o200k_base.tiktoken",
                ranks / hashlib.sha1(RANKS.encode()).hexdigest())
    command = [venv / "bin/uvicorn", "app:app", "--port", "18533", "--workers", str(os.cpu_count()), "--no-access-log",
               "--log-level", "warning"]
    server = subprocess.Popen(command, cwd=DOORS, env={**os.environ, "TIKTOKEN_CACHE_DIR": str(ranks)})
    return "http://127.0.0.1:18533", server


def tollbridge(binary, registry, folder):
    """Ours, and the headers of a caller with credit."""
    (folder / "tollbridge.toml").write_text(CONFIG)
    command = [binary, "-q", "--config", folder / "tollbridge.toml"]
    serve = [*command, "serve", "--listen", "127.0.0.1:0", "--registry", registry]
    server = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder)
    base = server.stdout.readline().split()[1]
    made = json.loads(run(*command, "--json", "key", "create", cwd=folder))
    run(*command, "account", "credit", made["account_id"], "9000.00", cwd=folder)
    run(*command, "account", "tier", made["account_id"], "pro", cwd=folder)
    return base, server, {"authorization": f"Bearer {made['api_key']}", "x-payment-source": "credit"}


def answers(base, path, body, headers):
    """Whether the door has such a question and answers it."""
    request = urllib.request.Request(base + path, json.dumps(body).encode(), {"content-type": "application/json", **headers})
    for _ in range(300):
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status == 200
        except urllib.error.HTTPError as error:
            if error.code == 404 and not headers:
                return False
            if error.code not in (404, 503):
                raise SystemExit(f"{base}{path}: {error.code} {error.read().decode()}") from error
        except urllib.error.URLError:
            pass
        time.sleep(0.2)
    raise SystemExit(f"{base}{path} does not answer")


def calls_a_second(base, path, body, headers, callers, folder):
    script = folder / "post.lua"
    lines = ['wrk.method = "POST"', f"wrk.body = {json.dumps(json.dumps(body))}"]
    lines += [f"wrk.headers[{json.dumps(name)}] = {json.dumps(value)}"
              for name, value in {"content-type": "application/json", **headers}.items()]
    lines.append('function done(summary) io.write(string.format("%d %d %d\\n", summary.requests, summary.duration, '
                 'summary.errors.status + summary.errors.read + summary.errors.timeout)) end')
    script.write_text("\n".join(lines))
    said = run("wrk", "-t1", f"-c{callers}", f"-d{SECONDS}s", "-s", script, base + path)
    requests, microseconds, errors = map(int, said.strip().splitlines()[-1].split())
    if errors:
        raise SystemExit(f"{base}{path}: {errors} of {requests} calls failed")
    return requests * 1e6 / microseconds


def main():
    binary, registry, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        servers = []
        try:
            doors = {}
            base, server, headers = tollbridge(binary, registry, folder)
            doors["tollbridge"] = (base, headers)
            servers.append(server)
            for door, start in (("axum", native), ("FastAPI", python)):
                base, server = start(work)
                doors[door] = (base, {})
                servers.append(server)
            measure(doors, folder)
        finally:
            for server in servers:
                server.terminate()


def measure(doors, folder):
    print(f"{'question':16} {'callers':>7} {'door':>10} {'calls/s':>9} {'spread':>15} {'of axum':>8} {'of FastAPI':>10}")
    for question in questions("tollbridge"):
        asked = {door: (base, *questions(door)[question], headers) for door, (base, headers) in doors.items()}
        asked = {door: what for door, what in asked.items() if answers(*what)}
        for callers in CALLERS:
            turns = {door: [] for door in asked}
            for _ in range(TURNS):
                for door, what in asked.items():
                    turns[door].append(calls_a_second(*what, callers, folder))
            medians = {door: statistics.median(figures) for door, figures in turns.items()}
            for door, figures in turns.items():
                spread = f"{min(figures):.0f}-{max(figures):.0f}"
                ratios = [f"{medians[door] / medians[other]:.2f}" if other in medians else "-"
                          for other in ("axum", "FastAPI")]
                print(f"{question:16} {callers:7} {door:>10} {medians[door]:9.0f} {spread:>15} {ratios[0]:>8} {ratios[1]:>10}",
                      flush=True)


if __name__ == "__main__":
    main()
