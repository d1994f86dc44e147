#!/usr/bin/env python3
"""Measures the start time of a server with the published registry, and the memory of its idle plugins.

usage: bench-idle.py path/to/tollbridge path/to/plugin-registry

Starts the server in a new data folder (all components are compiled), five times more from the cache of compiled code,
and five times with an empty registry; prints medians. Memory is read from /proc/PID/status when all plugins are
live: anonymous pages, which are the process's own, and all resident pages, including mapped files of compiled code.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

# The script polls the list of plugins more often than the default limit without a key allows.
CONFIG = "[tiers.free]\nper_minute = 1000000\nper_hour = 10000000\n"


def start(binary, registry, data, plugins):
    """Returns the milliseconds to the line `ready` and until all plugins are live, and the memory then in kilobytes."""
    begun = time.monotonic()
    config = data.parent / "tollbridge.toml"
    config.write_text(CONFIG)
    command = [binary, "-q", "--config", str(config), "serve", "--listen", "127.0.0.1:0", "--data", str(data),
               "--registry", str(registry)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=data.parent)
    try:
        base = server.stdout.readline().split()[1]
        ready = time.monotonic() - begun
        while True:
            with urllib.request.urlopen(f"{base}/api/v1/bridges") as answer:
                # There is no model provider, so plugins that need one are loaded but listed as unavailable.
                loaded = ("live", "unavailable")
                live = [bridge for bridge in json.load(answer)["bridges"] if bridge["status"] in loaded]
            if len(live) >= plugins:
                break
            time.sleep(0.02)
        all_live = time.monotonic() - begun
        status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
        memory = {line.split(":")[0]: int(line.split()[1]) for line in status.splitlines() if line.startswith("Rss")}
        resident = sum(memory.values())
    finally:
        server.terminate()
        server.wait()
    return {"ready_ms": ready * 1e3, "live_ms": all_live * 1e3, "anon_kb": memory["RssAnon"], "resident_kb": resident}


def median(runs):
    return {name: round(statistics.median(run[name] for run in runs)) for name in runs[0]}


def main():
    binary, registry = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
    plugins = len(list(pathlib.Path(registry).glob("bridges/*")))
    with tempfile.TemporaryDirectory() as folder:
        data, empty, none = (pathlib.Path(folder) / name for name in ("data", "empty-data", "empty"))
        none.mkdir()
        (none / "publishers.toml").write_text((pathlib.Path(registry) / "publishers.toml").read_text())
        first = start(binary, registry, data, plugins)
        cached = median([start(binary, registry, data, plugins) for _ in range(5)])
        start(binary, none, empty, 0)
        without = median([start(binary, none, empty, 0) for _ in range(5)])
        cache = sum(file.stat().st_size for file in (data / "compiled").rglob("*"))
    print(json.dumps({"plugins": plugins, "compiling": median([first]), "from_cache": cached, "without_plugins": without,
                      "compiled_kb": cache // 1024}, indent=1))


if __name__ == "__main__":
    main()
