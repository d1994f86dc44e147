"""Makes upto_python.json: payments by `upto` of the official client.

    python make_upto.py

in an environment with x402[evm]==2.25.0. The digests are eth-account's.
"""

import json
import pathlib
import time

from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_utils import keccak
from x402 import x402ClientSync
from x402.http.utils import encode_payment_signature_header
from x402.mechanisms.evm.default_assets import DEFAULT_ASSETS
from x402.mechanisms.evm.upto import UptoEvmClientScheme
from x402.schemas import PaymentRequired

HERE = pathlib.Path(__file__).parent
UINT = "uint256"
TYPES = {
    "PermitWitnessTransferFrom": [
        {"name": "permitted", "type": "TokenPermissions"},
        {"name": "spender", "type": "address"},
        {"name": "nonce", "type": UINT},
        {"name": "deadline", "type": UINT},
        {"name": "witness", "type": "Witness"},
    ],
    "TokenPermissions": [{"name": "token", "type": "address"}, {"name": "amount", "type": UINT}],
    "Witness": [
        {"name": "to", "type": "address"},
        {"name": "facilitator", "type": "address"},
        {"name": "validAfter", "type": UINT},
    ],
}
# Keys for tests, publicly known.
KEYS = ["0x" + f"{n:02x}" * 32 for n in (0x11, 0x22, 0x33)]
CASES = [("eip155:84532", "10000", 60), ("eip155:8453", "1", 300), ("eip155:43114", "999999", 3600)]


def requirement(network, amount, timeout):
    asset = DEFAULT_ASSETS[network][0]
    return {
        "scheme": "upto",
        "network": network,
        "amount": amount,
        "asset": asset["asset"],
        "payTo": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
        "maxTimeoutSeconds": timeout,
        "extra": {
            "name": asset["name"],
            "version": asset["version"],
            "assetTransferMethod": "permit2",
            "facilitatorAddress": "0x857b06519E91e3A54538791bDbb0E22373e36b66",
        },
    }


def digest(network, permit):
    """Returns the digest by eth-account, from the types of Permit2 and x402 given above."""
    message = {
        "permitted": {"token": permit["permitted"]["token"], "amount": int(permit["permitted"]["amount"])},
        "spender": permit["spender"],
        "nonce": int(permit["nonce"]),
        "deadline": int(permit["deadline"]),
        "witness": {**permit["witness"], "validAfter": int(permit["witness"]["validAfter"])},
    }
    permit2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
    domain = {"name": "Permit2", "chainId": int(network.split(":")[1]), "verifyingContract": permit2}
    signable = encode_typed_data(domain, TYPES, message)
    return "0x" + keccak(b"\x19" + signable.version + signable.header + signable.body).hex()


def main():
    vectors = []
    for key, (network, amount, timeout) in zip(KEYS, CASES):
        account = Account.from_key(key)
        client = x402ClientSync()
        client.register(network, UptoEvmClientScheme(account))
        asked = requirement(network, amount, timeout)
        offer = {"x402Version": 2, "resource": {"url": "http://127.0.0.1:8499/v1/paid/x"}, "accepts": [asked]}
        now = int(time.time())
        payment = client.create_payment_payload(PaymentRequired.model_validate(offer))
        vectors.append({
            "client": "x402 2.25.0 (PyPI)",
            "nowS": now,
            "header": encode_payment_signature_header(payment),
            "requirement": asked,
            "decimals": DEFAULT_ASSETS[network][0]["decimals"],
            "digest": digest(network, payment.payload["permit2Authorization"]),
            "payer": account.address,
        })
    file = {"source": "x402 2.25.0 (PyPI), digests by eth-account", "vectors": vectors}
    (HERE / "upto_python.json").write_text(json.dumps(file, indent=2) + "\n")


main()
