"""Starts the example `mpp_server` for each method and has the official clients pay.

    python mpp_clients.py MPP_SERVER NODE_MODULES
"""

import json
import pathlib
import subprocess
import sys

server, modules = sys.argv[1:3]
here = pathlib.Path(__file__).parent


def serve(method, clients):
    process = subprocess.Popen([server, method], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        at = json.loads(process.stdout.readline())
        for client in clients(at):
            subprocess.run(client, check=True, timeout=120)
    finally:
        process.stdin.close()
    assert process.wait(timeout=60) == 0, f"the server of {method} is not content"


def validate(at):
    """mppx's own check of a server, as far as it goes without money."""
    bin = str(pathlib.Path(modules) / "mppx/dist/bin.js")
    return ["node", bin, "validate", at["server"], "--endpoint", "POST:/v1/oracle/echo", "--body", "{}"]


node = ["node", str(here / "pay_mpp.mjs"), modules]
serve(
    "stripe",
    lambda at: [
        validate(at),
        [sys.executable, str(here / "pay_mpp.py"), at["server"], at["stripe"], at["secret_key"]],
        [*node, "stripe", at["server"], at["stripe"], at["secret_key"]],
    ],
)
serve("evm", lambda at: [[*node, "evm", at["server"]]])
