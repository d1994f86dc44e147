#!/usr/bin/env python3
"""Compares the cost of bridge calls with what a user would run instead: the same requests over HTTP, answered by the
usual library behind axum (Rust) and behind FastAPI (Python). The three servers are called "doors" here.

usage: bench-doors.py path/to/tollbridge path/to/plugin-registry work-folder

Builds `tests/doors` and a Python environment in the work folder, starts the three servers, and calls each in turn with
`wrk`. Tollbridge's calls are real: paid by credit, metered, sealed. `pii_redaction` has no Rust server, because no crate
does its work. Prints calls a second: the median of the turns, and the spread.
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

from benching import answers, calls, run, tollbridge

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOORS = ROOT / "tests/doors"
TURNS, SECONDS, CALLERS = 5, 4, (1, 64)
RANKS = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"


def case(bridge, name):
    return json.loads((ROOT / f"plugins/bridges/{bridge}/cases/{name}.json").read_text())["input"]


def questions(door):
    """Returns path and body of each request in the format of one of the servers."""
    bodies = {"token_count": {"text": "hello world"}, "validation": case("validation", "order_fits"),
              "pii_redaction": case("pii_redaction", "letter")}
    folder = "/v1/oracle" if door == "tollbridge" else ""
    return {name: (f"{folder}/{name}", body) for name, body in bodies.items()}


def native(work):
    """Starts the Rust server; returns its address and process."""
    run("cargo", "build", "--release", "--locked", "--manifest-path", DOORS / "Cargo.toml", "--target-dir", work / "rust")
    server = subprocess.Popen([work / "rust/release/doors"], stdout=subprocess.PIPE, text=True)
    return f"http://{server.stdout.readline().strip()}", server


def python(work):
    """Starts the Python server with one worker per processor."""
    venv = work / "venv"
    if not (venv / "ready").exists():
        run(sys.executable, "-m", "venv", venv)
        run(venv / "bin/pip", "install", "--quiet", "-r", DOORS / "requirements.txt")
        (venv / "ready").touch()
    ranks = work / "ranks"
    ranks.mkdir(exist_ok=True)
    # The cache path at which tiktoken looks for its files before it downloads them.
    shutil.copy(ROOT / "plugins/bridges/token_count/data/o200k_base.tiktoken",
                ranks / hashlib.sha1(RANKS.encode()).hexdigest())
    command = [venv / "bin/uvicorn", "app:app", "--port", "18533", "--workers", str(os.cpu_count()), "--no-access-log",
               "--log-level", "warning"]
    server = subprocess.Popen(command, cwd=DOORS, env={**os.environ, "TIKTOKEN_CACHE_DIR": str(ranks)})
    return "http://127.0.0.1:18533", server


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
                    turns[door].append(calls(*what, callers, SECONDS, folder)[1])
            medians = {door: statistics.median(figures) for door, figures in turns.items()}
            for door, figures in turns.items():
                spread = f"{min(figures):.0f}-{max(figures):.0f}"
                ratios = [f"{medians[door] / medians[other]:.2f}" if other in medians else "-"
                          for other in ("axum", "FastAPI")]
                print(f"{question:16} {callers:7} {door:>10} {medians[door]:9.0f} {spread:>15} {ratios[0]:>8} {ratios[1]:>10}",
                      flush=True)


if __name__ == "__main__":
    main()
