"""The server takes real transfers on a chain of its own, through the official facilitator:

    python x402_facilitator.py NODE_MODULES python pay_on_chain.py TOLLBRIDGE REGISTRY

TOLLBRIDGE is the server's program. Official clients pay; the chain's balances, the ledger and what the
server says in PAYMENT-RESPONSE must agree.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

import requests
from eth_account import Account
from web3 import Web3
from x402 import x402ClientSync
from x402.http.clients.requests import wrapRequestsWithPayment
from x402.http.utils import decode_payment_response_header
from x402.mechanisms.evm.exact.register import register_exact_evm_client

PAY_TO = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
CHEAP, DEAR = "vat_number_check", "anomaly_detection"
QUESTIONS = {
    CHEAP: {"vat_number": "GB980780684"},
    DEAR: {"values": [1, 2, 1, 2, 1, 2, 90, 1, 2]},
}


def balance():
    with urllib.request.urlopen(f"{os.environ['X402_FACILITATOR']}/balance?of={PAY_TO}") as answer:
        return int(answer.read())


def start(binary, registry, folder):
    (folder / "tollbridge.toml").write_text(f"""
[payments.x402]
pay_to = "{PAY_TO}"
facilitator = "{os.environ['X402_FACILITATOR']}"
node = "{os.environ['X402_CHAIN']}"
""")
    command = [binary, "-q", "--config", folder / "tollbridge.toml"]
    serve = [*command, "serve", "--listen", "127.0.0.1:0", "--registry", registry]
    server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True, cwd=folder)
    return server, server.stdout.readline().split()[1], command


def wallet(key):
    client = x402ClientSync()
    register_exact_evm_client(client, Account.from_key("0x" + key * 32))
    return wrapRequestsWithPayment(requests.Session(), client)


def ask(session, base, bridge):
    for _ in range(600):
        answer = session.post(f"{base}/v1/oracle/{bridge}", json=QUESTIONS[bridge])
        if answer.status_code != 503 and answer.status_code != 404:
            return answer
    raise SystemExit(f"{bridge} does not answer")


def wait(base, bridge):
    for _ in range(1200):
        if requests.post(f"{base}/v1/oracle/{bridge}", json=QUESTIONS[bridge]).status_code == 402:
            return


def main():
    binary, registry = (pathlib.Path(text).resolve() for text in sys.argv[1:3])
    chain = Web3(Web3.HTTPProvider(os.environ["X402_CHAIN"]))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server, base, command = start(binary, registry, folder)
        try:
            for bridge in QUESTIONS:
                wait(base, bridge)
            before = balance()
            rich = wallet("11")
            answer = ask(rich, base, CHEAP)
            assert answer.status_code == 200, (answer.status_code, answer.text, dict(answer.headers))
            told = decode_payment_response_header(answer.headers["PAYMENT-RESPONSE"])
            moved = balance() - before
            assert told.success and int(told.amount) == moved > 0, (told, moved)
            receipt = chain.eth.get_transaction_receipt(told.transaction)
            assert receipt["status"] == 1, receipt
            # The facilitator's answer is lost: the chain says that the money moved.
            with urllib.request.urlopen(f"{os.environ['X402_FACILITATOR']}/lose"):
                pass
            lost = ask(rich, base, CHEAP)
            assert lost.status_code == 200, (lost.status_code, lost.text)
            again = decode_payment_response_header(lost.headers["PAYMENT-RESPONSE"])
            assert again.transaction != told.transaction and balance() - before == 2 * moved, again
            # Somebody without money is not answered, and nothing moves.
            poor = ask(wallet("22"), base, CHEAP)
            assert poor.status_code == 402, (poor.status_code, poor.text)
            assert balance() - before == 2 * moved
            # A bridge that is dearer than what the wallet has left.
            broke = ask(rich, base, DEAR)
            assert broke.status_code == 402, (broke.status_code, broke.text)
            assert balance() - before == 2 * moved
        finally:
            server.terminate()
            server.wait()
        exported = subprocess.run([*command, "ledger", "export"], check=True, capture_output=True, text=True, cwd=folder)
        records = [json.loads(json.loads(line)["record"]) for line in exported.stdout.splitlines() if '"record"' in line[:9]]
        paid = [record["body"] for record in records if record["kind"] == "payment"]
        assert [body["token"]["amount"] for body in paid] == [str(moved)] * 2, paid
        assert [body["reference"] for body in paid] == [told.transaction, again.transaction], paid
        subprocess.run([sys.executable, pathlib.Path(__file__).parents[2] / "docs/verify.py", "export", "/dev/stdin"],
                       input=exported.stdout, text=True, check=True)
    print(f"{moved} units moved twice on the chain, once without an answer, and the ledger says so")


main()
