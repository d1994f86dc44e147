"""The official client of Stripe against the server that the tests use in its place."""

import hashlib
import hmac
import sys
import time

import stripe

url, event_secret = sys.argv[1], sys.argv[2]
client = stripe.StripeClient("sk_test_fake", base_addresses={"api": url, "connect": url}, max_network_retries=0)
order = {
    "mode": "payment",
    "client_reference_id": "ab" * 16,
    "success_url": "https://toll.example/pay",
    "cancel_url": "https://toll.example/pay",
    "expires_at": int(time.time()) + 1900,
    "line_items": [
        {"quantity": 1, "price_data": {"currency": "gbp", "unit_amount": 500, "product_data": {"name": "Calls"}}}
    ],
}
sessions = client.v1.checkout.sessions if hasattr(client, "v1") else client.checkout.sessions
first = sessions.create(order, {"idempotency_key": "k1"})
again = sessions.create(order, {"idempotency_key": "k1"})
assert first.id == again.id and first.status == "open" and first.payment_status == "unpaid", first
try:
    sessions.create({**order, "client_reference_id": "other"}, {"idempotency_key": "k1"})
    raise AssertionError("another body under the same key")
except stripe.IdempotencyError:
    pass
found = sessions.retrieve(first.id)
assert found.amount_total == 500 and found.currency == "gbp" and found.url == first.url, found
try:
    sessions.create({**order, "expires_at": int(time.time()) + 60}, {"idempotency_key": "k2"})
    raise AssertionError("a session that expires too soon")
except stripe.InvalidRequestError as error:
    assert error.http_status == 400, error
root = client.v1 if hasattr(client, "v1") else client
try:
    root.transfers.create({"amount": 100, "currency": "gbp", "destination": "acct_nobody"}, {"idempotency_key": "k3"})
    raise AssertionError("a transfer to nobody")
except stripe.InvalidRequestError as error:
    assert error.code == "resource_missing", error
assert root.balance.retrieve().available[0].currency == "gbp"
assert root.balance_transactions.list({"limit": 3}).data == []
assert root.refunds.list({"limit": 3}).data == []

stamp = int(time.time())
body = '{"id": "evt_1", "object": "event", "type": "charge.refunded", "data": {"object": {}}}'
digest = hmac.new(event_secret.encode(), f"{stamp}.{body}".encode(), hashlib.sha256).hexdigest()
stripe.Webhook.construct_event(body, f"t={stamp},v1={digest}", event_secret)
print("agrees")
