"""An official x402 seller (FastAPI) that names a server of ours as its facilitator, and an official buyer:

    python sell_x402.py BASE KEY

Needs x402[evm,fastapi,requests] and uvicorn. The seller's payment is sealed in the server's ledger.
"""

import sys
import threading
import time

import requests
import uvicorn
from eth_account import Account
from fastapi import FastAPI
from x402 import x402ClientSync, x402ResourceServer
from x402.http import FacilitatorConfig, HTTPFacilitatorClient
from x402.http.facilitator_client_base import AuthHeaders
from x402.http.clients.requests import wrapRequestsWithPayment
from x402.http.middleware.fastapi import payment_middleware
from x402.http.types import PaymentOption, RouteConfig
from x402.http.utils import decode_payment_response_header
from x402.mechanisms.evm.exact.server import ExactEvmScheme
from x402.mechanisms.evm.exact.register import register_exact_evm_client

SELLER = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"


class Key:
    """Sends the account's key with every request."""

    def __init__(self, key):
        self.headers = {"Authorization": f"Bearer {key}"}

    def get_auth_headers(self):
        return AuthHeaders(verify=self.headers, settle=self.headers, supported=self.headers)


def shop(base, key):
    facilitator = HTTPFacilitatorClient(FacilitatorConfig(url=f"{base}/x402", auth_provider=Key(key)))
    server = x402ResourceServer(facilitator)
    server.register("eip155:84532", ExactEvmScheme())
    option = PaymentOption(scheme="exact", pay_to=SELLER, price="$0.01", network="eip155:84532")
    app = FastAPI()

    @app.middleware("http")
    async def pay(request, call_next):
        return await payment_middleware({"GET /weather": RouteConfig(accepts=[option])}, server)(request, call_next)

    @app.get("/weather")
    async def weather():
        return {"weather": "sunny"}

    return app


def main():
    base, key = sys.argv[1:3]
    config = uvicorn.Config(shop(base, key), host="127.0.0.1", port=0, log_level="warning")
    seller = uvicorn.Server(config)
    threading.Thread(target=seller.run, daemon=True).start()
    while not seller.started:
        time.sleep(0.05)
    port = seller.servers[0].sockets[0].getsockname()[1]
    client = x402ClientSync()
    register_exact_evm_client(client, Account.from_key("0x" + "11" * 32))
    buyer = wrapRequestsWithPayment(requests.Session(), client)
    answer = buyer.get(f"http://127.0.0.1:{port}/weather")
    assert answer.status_code == 200 and answer.json() == {"weather": "sunny"}, (answer.status_code, answer.text)
    told = decode_payment_response_header(answer.headers["PAYMENT-RESPONSE"])
    assert told.success and told.transaction.startswith("0x"), told
    print(f"an official seller was paid through this server: {told.transaction}, {told.extensions}")


main()
