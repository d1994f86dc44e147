"""Pay with a wallet of your own; here it posts to the sandbox's pay page."""

import os

import httpx

from tollbridge import Client, Payment, PaymentRequired


def wallet(payment: Payment) -> None:
    """Opens the link; returns when it is paid."""
    print(f"paying £{payment.charge_gbp} for {payment.name}")
    httpx.post(payment.link or "", json={}).raise_for_status()


with Client(os.environ["BASE_URL"], budget="0.05", wallet=wallet) as client:
    try:
        print(client.call("tax_jar_lookup", resource_id="GB").result["rates"][0]["rate_percent"], "% VAT")
    except PaymentRequired as error:
        print("not paid:", error.payment.link if error.payment else error)
