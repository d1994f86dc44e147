"""Buys bridges and an agent from a server of ours with the official x402 client
for Python, once with httpx and once with requests:

    python pay_x402.py SERVER

in an environment with x402[evm,httpx,requests]. The server must not settle on a
chain (its sandbox): the wallets here are made up.
"""

import asyncio
import base64
import concurrent.futures
import json
import secrets
import sys
import time

import httpx
import requests
from eth_account import Account
from x402 import x402Client, x402ClientSync
from x402.http.clients.httpx import x402AsyncTransport
from x402.http.clients.requests import x402_requests
from x402.http.utils import decode_payment_required_header, decode_payment_response_header
from x402.mechanisms.evm.exact.register import register_exact_evm_client

SERVER = sys.argv[1].rstrip("/")
ORDERS = [
    ("/v1/oracle/iban_validation", {"iban": "GB29 NWBK 6016 1331 9268 19"}, "data"),
    ("/v1/oracle/token_count", {"text": "hello world", "encoding": "o200k_base"}, "data"),
    ("/v1/oracle/vat_number_check", {"vat_number": "IT 00743110158"}, "data"),
    (
        "/v1/paid/agents/sentiment",
        {"input": {"text": "The food was wonderful, the room was dirty."}},
        "output",
    ),
]
# Records of one paid call: the payment that came in, and the sale.
OWN = 2
SEEN = ["x-worm-seal", "x-transaction-id", "payment-response"]


def records():
    """How many records the ledger has: the second line of its signed head."""
    return int(requests.get(f"{SERVER}/checkpoint").text.splitlines()[1])


def order(body, headers=()):
    """The same bytes from every library: a repeat has the body of the first."""
    headers = {"Content-Type": "application/json"} | dict(headers)
    return {"data": json.dumps(body).encode(), "headers": headers, "timeout": 60}


def check(path, member, answer, payer):
    """What one paid answer holds; returns its seal."""
    assert answer.status_code == 200, (path, answer.status_code, answer.text)
    assert member in answer.json(), (path, answer.text)
    receipt = decode_payment_response_header(answer.headers["PAYMENT-RESPONSE"])
    assert receipt.success and receipt.network.startswith("eip155:"), receipt
    assert receipt.payer.lower() == payer.lower(), receipt
    assert len(receipt.transaction) == 66, receipt
    seal = answer.headers["X-WORM-Seal"]
    assert len(seal) == 64, seal
    assert requests.get(f"{SERVER}/v1/ledger/proof/{seal}").status_code == 200
    return seal


def check_repeat(path, body, answer, signature):
    """The same signature again is the stored answer, and no second payment."""
    before = records()
    again = pay(path, body, signature)
    assert again.status_code == 200 and again.json() == answer.json(), (path, again.text)
    for name in SEEN:
        assert again.headers[name] == answer.headers[name], (path, name)
    assert records() == before, f"{path}: paid twice"


async def with_httpx():
    account = Account.create()
    client = register_exact_evm_client(x402Client(), account)
    sent = []

    async def note(request):
        sent.append(request.headers.get("PAYMENT-SIGNATURE"))

    class Noted(httpx.AsyncHTTPTransport):
        async def handle_async_request(self, request):
            await note(request)
            return await super().handle_async_request(request)

    async with httpx.AsyncClient(transport=x402AsyncTransport(client, Noted()), timeout=60) as http:
        for path, body, member in ORDERS:
            asked = order(body)
            answer = await http.post(f"{SERVER}{path}", content=asked.pop("data"), **asked)
            check(path, member, answer, account.address)
            check_repeat(path, body, answer, sent[-1])


def with_requests():
    account = Account.create()
    client = register_exact_evm_client(x402ClientSync(), account)
    session = x402_requests(client)
    for path, body, member in ORDERS:
        answer = session.post(f"{SERVER}{path}", **order(body))
        check(path, member, answer, account.address)
        check_repeat(path, body, answer, answer.request.headers["PAYMENT-SIGNATURE"])


def signed(path, body, change=lambda payload: None):
    """What the official client signs for a call, changed before it is sent."""
    unpaid = requests.post(f"{SERVER}{path}", **order(body))
    assert unpaid.status_code == 402, unpaid.text
    required = decode_payment_required_header(unpaid.headers["PAYMENT-REQUIRED"])
    client = register_exact_evm_client(x402ClientSync(), Account.create())
    payload = json.loads(client.create_payment_payload(required).model_dump_json(by_alias=True, exclude_none=True))
    change(payload)
    return base64.b64encode(json.dumps(payload).encode()).decode()


def pay(path, body, signature):
    return requests.post(f"{SERVER}{path}", **order(body, {"PAYMENT-SIGNATURE": signature}))


def mix_ups():
    """A signature pays for one call, whatever else it is sent with."""
    path, body, _ = ORDERS[0]
    other_path, other_body, _ = ORDERS[1]
    before = records()

    signature = signed(path, body)
    elsewhere = pay(other_path, other_body, signature)
    assert elsewhere.status_code == 402 and "PAYMENT-REQUIRED" in elsewhere.headers, elsewhere.text
    assert records() == before, "a signature paid for another bridge"

    def cheaper(payload):
        payload["accepted"]["amount"] = "1"
        payload["payload"]["authorization"]["value"] = "1"

    def payee(payload):
        payload["accepted"]["payTo"] = "0x" + "22" * 20
        payload["payload"]["authorization"]["to"] = "0x" + "22" * 20

    def less(payload):
        payload["payload"]["authorization"]["value"] = "1"

    def over(payload):
        payload["payload"]["authorization"]["validBefore"] = str(int(time.time()) - 1)

    def nonce(payload):
        payload["payload"]["authorization"]["nonce"] = "0x" + secrets.token_hex(32)

    for change in (cheaper, payee, less, over, nonce):
        refused = pay(path, body, signed(path, body, change))
        assert refused.status_code == 402, (change.__name__, refused.status_code, refused.text)
        assert "PAYMENT-REQUIRED" in refused.headers, change.__name__
        assert "X-WORM-Seal" not in refused.headers, change.__name__
    assert records() == before, "a changed payment was taken"

    # 100 at once: one sale, and whoever comes meanwhile is told to come again.
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(lambda _: pay(path, body, signature), range(100)))
    statuses = sorted({answer.status_code for answer in answers})
    served = [answer for answer in answers if answer.status_code == 200]
    assert served and set(statuses) <= {200, 409}, (statuses, [a.text for a in answers if a.status_code != 200][:3])
    assert len({answer.headers["X-WORM-Seal"] for answer in served}) == 1
    assert len({answer.text for answer in served}) == 1
    sold = records() - before
    assert sold == OWN, f"{sold} records"

    other = pay(path, {"iban": "DE89 3704 0044 0532 0130 00"}, signature)
    assert other.status_code in (409, 422), (other.status_code, other.text)
    assert records() == before + OWN, "a signature paid twice"


def main():
    asyncio.run(with_httpx())
    print("httpx: 4 calls paid, 4 repeats free")
    with_requests()
    print("requests: 4 calls paid, 4 repeats free")
    mix_ups()
    print("mix-ups: one signature paid for one call")


main()
