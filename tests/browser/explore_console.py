"""Somebody who clicks and types at random in the console for some minutes finds no page that fails (5xx), none without
a heading, and no error of a script: bombadil (npm) does the clicking, explore_console.ts says what must hold.

usage: explore_console.py path/to/tollbridge path/to/registry [--minutes 10] [--trace folder]

Chromium and npm are needed; bombadil is installed into target/bombadil, or where BOMBADIL says.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

from shop import link, served, sold, verified

VERSION = "0.7.0"
ROOT = pathlib.Path(__file__).resolve().parents[2]


def bombadil():
    folder = pathlib.Path(os.environ.get("BOMBADIL") or ROOT / "target" / "bombadil")
    program = folder / "node_modules" / ".bin" / "bombadil"
    if not program.exists():
        install = ["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(folder)]
        subprocess.run([*install, f"@antithesishq/bombadil@{VERSION}"], check=True)
    return str(program)


def cookie(url):
    """What a link gives a browser that follows it."""
    with urllib.request.urlopen(url, timeout=30) as reply:
        value = reply.headers["Set-Cookie"].split(";")[0]
    return f"{value}; Path=/console; HttpOnly"


def explore(console, minutes, trace, session):
    command = [bombadil(), "browser", "test", "--headless", "--no-sandbox", "--exit-on-violation"]
    command += ["--time-limit", f"{minutes}m", "--output-path", str(trace), "--output-path-overwrite"]
    command += ["--cookie", session, f"{console}/console", str(pathlib.Path(__file__).with_suffix(".ts"))]
    return subprocess.run(command, timeout=minutes * 60 + 300).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tollbridge")
    parser.add_argument("registry")
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--trace", help="folder for what was done and seen; a violation can be replayed from it")
    args = parser.parse_args()
    tollbridge, registry = (str(pathlib.Path(path).resolve()) for path in (args.tollbridge, args.registry))
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(args.trace or pathlib.Path(folder) / "trace").resolve()
        log_file = pathlib.Path(folder) / "log"
        data = pathlib.Path(folder) / "data"
        data.mkdir(mode=0o700)
        with log_file.open("w") as log, served(tollbridge, registry, str(data), log) as base:
            sold(base)
            entered = link(tollbridge, str(data), "explorer", "admin")
            code = explore(entered.split("/console/")[0], args.minutes, trace, cookie(entered))
        # The server has drained; what it wrote meanwhile is whole.
        verified(tollbridge, str(data))
        text = log_file.read_text()
        faults = [line for line in text.splitlines() if "panicked" in line or " ERROR " in line]
        if code or faults:
            sys.exit(f"bombadil ended with {code}; trace: {trace}\n" + "\n".join(faults[-20:]))
    print(f"{args.minutes} minutes of clicking found nothing")


main()
