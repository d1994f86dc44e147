#!/usr/bin/env python3
"""Serves the sandbox with an account, and runs a command with BASE_URL and API_KEY set.

usage: serving.py TOLLBRIDGE REGISTRY COMMAND…
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

# Examples and tests ask more often than a person does.
CONFIG = "[tiers.free]\nper_minute = 100000\nper_hour = 1000000\n"


def main() -> int:
    binary, registry, *command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "tollbridge.toml").write_text(CONFIG)
        base = [str(pathlib.Path(binary).resolve()), "-q", "--config", "tollbridge.toml"]
        serve = [*base, "serve", "--listen", "127.0.0.1:0", "--registry", str(pathlib.Path(registry).resolve())]
        server = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder)
        try:
            assert server.stdout is not None
            url = server.stdout.readline().split()[1]
            made = json.loads(subprocess.run([*base, "--json", "key", "create"], check=True, text=True,
                                             capture_output=True, cwd=folder).stdout)
            variables = {**os.environ, "BASE_URL": url, "API_KEY": made["api_key"]}
            code = subprocess.run(command, env=variables).returncode
        finally:
            server.terminate()
            server.wait()
        checked = subprocess.run([*base, "ledger", "verify"], cwd=folder, capture_output=True, text=True)
        print(checked.stdout.strip() or checked.stderr.strip(), file=sys.stderr)
        return code or checked.returncode


if __name__ == "__main__":
    sys.exit(main())
