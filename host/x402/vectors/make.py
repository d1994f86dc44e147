"""Makes default_assets.json, signed_python.json and the files of the specification.

    python make.py SPECS

in an environment with x402[evm]==2.25.0; SPECS is a folder with
specs/transports-v2/http.md of x402-foundation/x402.
"""

import base64
import json
import pathlib
import re
import sys
import time

from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_utils import keccak
from x402 import x402ClientSync
from x402.http.utils import encode_payment_signature_header
from x402.mechanisms.evm.default_assets import DEFAULT_ASSETS
from x402.mechanisms.evm.exact.register import register_exact_evm_client
from x402.schemas import PaymentRequired

HERE = pathlib.Path(__file__).parent
TYPES = {
    "TransferWithAuthorization": [
        {"name": "from", "type": "address"},
        {"name": "to", "type": "address"},
        {"name": "value", "type": "uint256"},
        {"name": "validAfter", "type": "uint256"},
        {"name": "validBefore", "type": "uint256"},
        {"name": "nonce", "type": "bytes32"},
    ]
}
# Keys for tests, publicly known.
KEYS = ["0x" + f"{n:02x}" * 32 for n in (0x11, 0x22, 0x33)]
CASES = [("eip155:84532", "10000", 60), ("eip155:8453", "1", 300), ("eip155:43114", "999999", 3600), ("eip155:137", "382020", 10)]


def write(name, value):
    (HERE / name).write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def requirement(network, amount, timeout):
    asset = DEFAULT_ASSETS[network][0]
    return {
        "scheme": "exact",
        "network": network,
        "amount": amount,
        "asset": asset["asset"],
        "payTo": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
        "maxTimeoutSeconds": timeout,
        "extra": {"name": asset["name"], "version": asset["version"]},
    }


def digest(asked, authorization):
    """Returns the digest by eth-account, which is independent of the client's own hashing."""
    message = {
        name: int(value) if name in ("value", "validAfter", "validBefore") else value
        for name, value in authorization.items()
    }
    message["nonce"] = bytes.fromhex(message["nonce"][2:])
    domain = {
        "name": asked["extra"]["name"],
        "version": asked["extra"]["version"],
        "chainId": int(asked["network"].split(":")[1]),
        "verifyingContract": asked["asset"],
    }
    signable = encode_typed_data(domain, TYPES, message)
    return "0x" + keccak(b"\x19" + signable.version + signable.header + signable.body).hex()


def signed():
    vectors = []
    for index, (network, amount, timeout) in enumerate(CASES):
        account = Account.from_key(KEYS[index % len(KEYS)])
        client = x402ClientSync()
        register_exact_evm_client(client, account)
        asked = requirement(network, amount, timeout)
        offer = {"x402Version": 2, "resource": {"url": "http://127.0.0.1:8499/v1/oracle/tax"}, "accepts": [asked]}
        now = int(time.time())
        payment = client.create_payment_payload(PaymentRequired.model_validate(offer))
        vectors.append({
            "client": "x402 2.25.0 (PyPI)",
            "nowS": now,
            "header": encode_payment_signature_header(payment),
            "requirement": asked,
            "decimals": DEFAULT_ASSETS[network][0]["decimals"],
            "digest": digest(asked, payment.payload["authorization"]),
            "payer": account.address,
        })
    return vectors


def main():
    write("default_assets.json", {"source": "x402 2.25.0 (PyPI), mechanisms/evm/default_assets.py", "assets": DEFAULT_ASSETS})
    write("signed_python.json", {"source": "x402 2.25.0 (PyPI), digests by eth-account", "vectors": signed()})
    text = (pathlib.Path(sys.argv[1]) / "specs/transports-v2/http.md").read_text()
    found = re.findall(r"^(PAYMENT-[A-Z]+): (\S+)$", text, re.M)
    names = ["PAYMENT-REQUIRED", "PAYMENT-SIGNATURE", "PAYMENT-RESPONSE success", "PAYMENT-RESPONSE failure"]
    assert [name.split()[0] for name in names] == [name for name, _ in found], found
    write("spec_headers.json", {name: value for name, (_, value) in zip(names, found)})
    write("spec_payment.json", json.loads(base64.b64decode(found[1][1])))


main()
