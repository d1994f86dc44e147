"""An official client of x402's scheme `upto` buys chat completions, each for what it costs and no more:

    python pay_upto.py TOLLBRIDGE
    python x402_facilitator.py NODE_MODULES python pay_upto.py TOLLBRIDGE

TOLLBRIDGE is the server's program; a provider of OpenAI's format answers beside it. The first way nothing
moves (the sandbox); the second way the official facilitator settles on a chain of its own, whose balances,
the ledger and what the server says in PAYMENT-RESPONSE must agree.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

import requests
from eth_account import Account
from model_provider import QUESTION, Provider, provided
from x402 import x402ClientSync
from x402.http.clients.requests import wrapRequestsWithPayment
from x402.http.utils import decode_payment_required_header, decode_payment_response_header
from x402.mechanisms.evm.upto import UptoEvmClientScheme

PAY_TO = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
FACILITATOR = os.environ.get("X402_FACILITATOR")
ON_CHAIN = """
[payments.x402]
pay_to = "{pay_to}"
facilitator = "{facilitator}"
node = "{node}"
"""
# Of the token for a hundred thousandth of a pound, at the sandbox's rate.
UNITS = 12.5


def facilitator(path):
    with urllib.request.urlopen(FACILITATOR + path) as answer:
        return answer.read().decode()


def balance():
    return int(facilitator(f"/balance?of={PAY_TO}")) if FACILITATOR else 0


def wallet(key):
    client = x402ClientSync()
    client.register("eip155:84532", UptoEvmClientScheme(Account.from_key("0x" + key * 32)))
    return wrapRequestsWithPayment(requests.Session(), client)


def offered(url, question):
    asked = requests.post(url, json=question)
    assert asked.status_code == 402, (asked.status_code, asked.text)
    return decode_payment_required_header(asked.headers["PAYMENT-REQUIRED"]).accepts


def buy(base):
    url = f"{base}/v1/paid/chat/completions"
    for _ in range(600):
        schemes = [entry.scheme for entry in offered(url, QUESTION)]
        if len(schemes) == 2:
            break
    assert schemes == ["exact", "upto"], schemes
    most = int(offered(url, QUESTION)[1].amount)
    streamed = offered(url, {**QUESTION, "stream": True})
    assert [entry.scheme for entry in streamed] == ["exact"], streamed
    rich, told = wallet("11"), []
    for number in range(4):
        before = balance()
        if FACILITATOR and number == 3:
            # The facilitator's answer is lost: the chain says that the money moved.
            facilitator("/lose")
        answer = rich.post(url, json=QUESTION)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        assert answer.json()["choices"][0]["message"]["content"] == "Hello there"
        settled = decode_payment_response_header(answer.headers["PAYMENT-RESPONSE"])
        charged = round(float(answer.headers["X-Charged-GBP"]) * 100_000)
        assert settled.success and int(settled.amount) == int(charged * UNITS) < most, (settled, charged, most)
        assert not FACILITATOR or balance() - before == int(settled.amount), settled
        told.append(settled)
    # What fails moves nothing.
    before, Provider.answers = balance(), False
    failed = rich.post(url, json=QUESTION)
    assert failed.status_code >= 500 and balance() == before, (failed.status_code, failed.text)
    Provider.answers = True
    if FACILITATOR:
        # Somebody who cannot pay is not answered, and no model is asked.
        asked = Provider.asked
        poor = wallet("22").post(url, json=QUESTION)
        assert poor.status_code == 402 and Provider.asked == asked, (poor.status_code, poor.text)
    return told


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        config = provided()
        if FACILITATOR:
            config += ON_CHAIN.format(pay_to=PAY_TO, facilitator=FACILITATOR, node=os.environ["X402_CHAIN"])
        (folder / "tollbridge.toml").write_text(config)
        (folder / "registry").mkdir()
        command = [binary, "-q", "--config", folder / "tollbridge.toml"]
        serve = [*command, "serve", "--listen", "127.0.0.1:0", "--registry", folder / "registry"]
        server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True, cwd=folder)
        try:
            told = buy(server.stdout.readline().split()[1])
        finally:
            server.terminate()
            server.wait()
        exported = subprocess.run([*command, "ledger", "export"], check=True, capture_output=True, text=True, cwd=folder)
        records = [json.loads(json.loads(line)["record"]) for line in exported.stdout.splitlines() if '"record"' in line[:9]]
        paid = [record["body"]["wallet"] for record in records if "wallet" in record["body"]]
        assert [body["token"]["amount"] for body in paid] == [settled.amount for settled in told], (paid, told)
        assert [body["reference"] for body in paid] == [settled.transaction for settled in told], (paid, told)
        moved = {leg["account"]: leg["amount_millipence"] for record in records for leg in record["postings"]}
        assert not any(account.startswith("credit:") for account in moved), moved
        subprocess.run([sys.executable, pathlib.Path(__file__).parents[2] / "docs/verify.py", "export", "/dev/stdin"],
                       input=exported.stdout, text=True, check=True)
    where = "on the chain" if FACILITATOR else "in the sandbox"
    units = sum(int(settled.amount) for settled in told)
    print(f"{len(told)} chat completions by upto {where}: {units} units were taken, and the ledger says so")


main()
