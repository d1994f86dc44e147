"""Makes python.json, in an environment with pympp[stripe]==0.16.0."""

import json
import pathlib
from datetime import UTC, datetime

from mpp import Challenge, Credential, Receipt
from mpp._body_digest import compute

# 32 bytes, publicly known.
SECRET = "0123456789abcdef0123456789abcdef"
REALM = "api.example.com"
STRIPE = {"amount": "100", "currency": "gbp", "methodDetails": {"networkId": "profile_test", "paymentMethodTypes": ["card"]}}
EVM = {
    "amount": "10000",
    "currency": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    "recipient": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    "methodDetails": {"chainId": 84532, "credentialTypes": ["authorization"], "decimals": 6},
}
BODY = '{"input":"é"}'
CASES = [
    {"method": "stripe", "request": STRIPE},
    {"method": "stripe", "request": STRIPE, "digest": compute(BODY), "meta": {"quote": "pt_1", "a": "ü"}},
    {"method": "evm", "request": EVM, "description": "a \"call\" — 1p \\ 😀", "header": "Payment-Authorization"},
    {"method": "tempo", "request": {"amount": "1000000", "currency": "0x20c0", "recipient": "0x742d", "methodDetails": {"feePayer": True}}, "meta": {}},
]

vectors = []
for case in CASES:
    challenge = Challenge.create(
        secret_key=SECRET, realm=REALM, intent="charge", expires="2027-01-15T08:00:00Z", **case
    )
    payload = {"spt": "spt_test_1"} if case["method"] == "stripe" else {"type": "hash", "hash": "0x01"}
    credential = Credential(challenge=challenge.to_echo(), payload=payload, source="did:key:z6Mk")
    vectors.append({
        "challenge": challenge.to_www_authenticate(REALM),
        "id": challenge.id,
        "request": case["request"],
        "opaque": case.get("meta"),
        "description": case.get("description"),
        "credential": credential.to_authorization(),
        "payload": payload,
        "body": BODY if "digest" in case else None,
    })
receipt = Receipt(status="success", timestamp=datetime(2027, 1, 15, 8, tzinfo=UTC), reference="pi_1", method="stripe")
result = {"source": "pympp 0.16.0 (PyPI)", "secret": SECRET, "realm": REALM, "vectors": vectors, "receipt": receipt.to_payment_receipt()}
path = pathlib.Path(__file__).parent / "python.json"
path.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n")
