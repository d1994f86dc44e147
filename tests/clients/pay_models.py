"""An official x402 client buys chat completions without an account:

    python pay_models.py TOLLBRIDGE

TOLLBRIDGE is the server's program. A provider of OpenAI's format answers beside it. What a request does not
cost stays the wallet's credit and pays for the next one before anything is signed away again.
"""

import pathlib
import subprocess
import sys
import tempfile

import requests
from eth_account import Account
from model_provider import QUESTION, provided
from x402 import x402ClientSync
from x402.http.clients.requests import wrapRequestsWithPayment
from x402.http.utils import decode_payment_response_header
from x402.mechanisms.evm.exact.register import register_exact_evm_client


def buy(base):
    client = x402ClientSync()
    register_exact_evm_client(client, Account.from_key("0x" + "11" * 32))
    wallet = wrapRequestsWithPayment(requests.Session(), client)
    url = f"{base}/v1/paid/chat/completions"
    asked = requests.post(url, json=QUESTION)
    assert asked.status_code == 402 and "at most" in asked.json()["error"], (asked.status_code, asked.text)
    settled, charged = 0, 0.0
    for _ in range(6):
        answer = wallet.post(url, json=QUESTION)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        assert answer.json()["choices"][0]["message"]["content"] == "Hello there"
        assert answer.headers["X-WORM-Seal"]
        charged += float(answer.headers["X-Charged-GBP"])
        if told := answer.headers.get("PAYMENT-RESPONSE"):
            settled += int(decode_payment_response_header(told).amount)
    assert 0 < charged <= settled / 1_250_000 < float(asked.json()["payment"]["amount_gbp"]) * 6, (charged, settled)
    return charged, settled


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "tollbridge.toml").write_text(provided())
        (folder / "registry").mkdir()
        serve = [binary, "-q", "--config", folder / "tollbridge.toml", "serve", "--listen", "127.0.0.1:0"]
        server = subprocess.Popen([*serve, "--registry", folder / "registry"], stdout=subprocess.PIPE, text=True, cwd=folder)
        try:
            charged, settled = buy(server.stdout.readline().split()[1])
        finally:
            server.terminate()
            server.wait()
    print(f"6 chat completions for £{charged:.5f}, of {settled} units that were taken")


main()
