#!/usr/bin/env python3
"""Measures the cost of an answer 402 with and without the offers of x402 and MPP: the server's processor time per
answer, on two servers that take alternating turns.

usage: bench-402.py SERVER path/to/plugin-registry [--bridge NAME] [--turns N] [--seconds N]
"""

import argparse
import json
import pathlib
import statistics
import tempfile
import time
import urllib.error
import urllib.request

from benching import processor_seconds, run, tollbridge

QUESTION = {"vat_number": "GB980780684"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("server", "registry"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--bridge", default="vat_number_check")
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=3)
    return parser.parse_args()


def wait(base, path):
    request = urllib.request.Request(base + path, json.dumps(QUESTION).encode(), {"content-type": "application/json"})
    for _ in range(600):
        try:
            urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            if error.code == 402:
                return
        time.sleep(0.2)
    raise SystemExit(f"{base}{path} does not ask for payment")


def refused(base, path, seconds, folder):
    """Returns the number of 402 answers within some seconds. `wrk` counts each of them as an error."""
    script = folder / "post.lua"
    script.write_text(f"""wrk.method = "POST"
wrk.body = {json.dumps(json.dumps(QUESTION))}
wrk.headers["content-type"] = "application/json"
function done(summary) io.write(string.format("%d %d\\n", summary.requests, summary.errors.status)) end
""")
    said = run("wrk", "-t1", "-c16", f"-d{seconds}s", "-s", script, base + path)
    requests, errors = map(int, said.strip().splitlines()[-1].split())
    if requests != errors:
        raise SystemExit(f"{requests - errors} of {requests} were not refused")
    return requests


def main():
    options = arguments()
    path = f"/v1/oracle/{options.bridge}"
    # Unlimited requests without a key.
    settings = "\n[tiers.free]\nper_minute = 100000000\nper_hour = 1000000000\n"
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        servers = []
        for name, enabled in ((first, "false"), (second, "true")):
            folder = pathlib.Path(name)
            more = f"{settings}[payments.x402]\nenabled = {enabled}\n[payments.mpp]\nenabled = {enabled}\n"
            base, server, _ = tollbridge(options.server, options.registry, folder, more)
            servers.append((base, server, folder))
        try:
            for base, *_ in servers:
                wait(base, path)
            figures = [[], []]
            for turn in range(options.turns):
                for place in (0, 1) if turn % 2 == 0 else (1, 0):
                    base, server, folder = servers[place]
                    before = processor_seconds(server)
                    count = refused(base, path, options.seconds, folder)
                    figures[place].append((processor_seconds(server) - before) * 1e6 / count)
        finally:
            for _, server, _ in servers:
                server.terminate()
    without, with_offer = (statistics.median(one) for one in figures)
    more = [b - a for a, b in zip(*figures)]
    print(f"402 without offers of x402 and MPP {without:.1f} us, with them {with_offer:.1f} us; "
          f"turn by turn {min(more):.1f} to {max(more):.1f} us more, median {statistics.median(more):.1f}")


main()
