"""The official Python client of MPP pays a call by a Shared Payment Token.

    python pay_mpp.py SERVER STRIPE SECRET_KEY
"""

import asyncio
import json
import sys
import uuid

import httpx
from mpp import Receipt
from mpp.client import Mpp
from mpp.methods.stripe import client as stripe

server, stripe_url, secret_key = sys.argv[1:4]
granted = []


async def grant(asked):
    """As the payer's own backend would: a token of Stripe's tests."""
    form = {
        "payment_method": asked.payment_method,
        "usage_limits[currency]": asked.currency,
        "usage_limits[max_amount]": asked.amount,
        "usage_limits[expires_at]": str(asked.expires_at),
        "seller_details[network_id]": asked.network_id,
    }
    headers = {
        "authorization": f"Bearer {secret_key}",
        "idempotency-key": str(uuid.uuid4()),
        "stripe-version": "2024-06-20",
    }
    async with httpx.AsyncClient(trust_env=False) as client:
        url = f"{stripe_url}/v1/test_helpers/shared_payment/granted_tokens"
        token = (await client.post(url, data=form, headers=headers)).raise_for_status().json()
    granted.append((asked, token["id"]))
    return token["id"]


async def call(card, headers=None):
    engine = Mpp(methods=[stripe.charge(create_token=grant, payment_method=card)], max_payment_retries=1)
    async with httpx.AsyncClient(transport=engine.payment_transport, timeout=60) as client:
        return await client.post(f"{server}/v1/oracle/echo", json={"text": "x"}, headers=headers or {})


async def main():
    answer = await call("pm_card_visa")
    assert answer.status_code == 200, (answer.status_code, answer.text)
    asked, _ = granted[-1]
    assert (asked.amount, asked.currency, asked.network_id) == ("500", "gbp", "profile_test"), asked
    receipt = Receipt.from_payment_receipt(answer.headers["payment-receipt"])
    assert receipt.method == "stripe" and receipt.reference.startswith("pi_"), receipt
    assert answer.json()["input"] == {"text": "x"}, answer.text
    left = {"x-payment-intent-id": answer.headers["x-payment-intent-id"]}
    async with httpx.AsyncClient(trust_env=False) as client:
        more = await client.post(f"{server}/v1/oracle/echo", json={"text": "y"}, headers=left)
    assert more.status_code == 200 and more.headers["x-payment-remaining"] == "4.80", (more.status_code, more.text)

    declined = await call("pm_card_chargeDeclined")
    problem = declined.json()
    assert declined.status_code == 402 and problem["type"].endswith("/verification-failed"), problem
    assert "payment-receipt" not in declined.headers
    print("pympp", json.dumps({"receipt": receipt.reference, "declined": problem["title"]}))


asyncio.run(main())
