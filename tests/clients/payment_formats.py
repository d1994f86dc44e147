"""Official Python libraries read what this host makes: host/mpp/vectors/ours.json
and host/x402/vectors/ours.json. Needs x402[evm] and pympp[stripe]."""

import json
import pathlib

from mpp import Challenge, Credential, Receipt
from mpp.extensions.mcp.types import MCPChallenge
from x402 import x402ClientSync
from x402.http.utils import decode_payment_required_header, decode_payment_response_header
from x402.mechanisms.evm.exact.register import register_exact_evm_client
from eth_account import Account

HOST = pathlib.Path(__file__).parents[2] / "host"


def mpp():
    ours = json.loads((HOST / "mpp/vectors/ours.json").read_text())
    for vector in ours["vectors"]:
        challenge = Challenge.from_www_authenticate(vector["challenge"])
        assert challenge.verify(ours["secret"], ours["realm"]), vector
        assert challenge.request == vector["request"] and challenge.opaque == vector["opaque"], vector
        assert challenge.description == vector["description"], vector
        credential = Credential.from_authorization(vector["credential"])
        assert credential.challenge.id == vector["id"] and credential.payload == vector["payload"], vector
        native = MCPChallenge.from_dict(vector["error"]["data"]["challenges"][0]).to_core()
        # Their JSON-RPC form does not know the header.
        assert challenge.header or native.verify(ours["secret"], ours["realm"]), vector
    assert Receipt.from_payment_receipt(ours["receipt"]).reference == "pi_1"
    return len(ours["vectors"])


def x402():
    ours = json.loads((HOST / "x402/vectors/ours.json").read_text())
    required = decode_payment_required_header(ours["PAYMENT-REQUIRED"])
    client = x402ClientSync()
    register_exact_evm_client(client, Account.from_key("0x" + "11" * 32))
    # With their limits on what is paid, and to whom, as they are.
    payment = client.create_payment_payload(required)
    assert payment.accepted.amount == "10000" and payment.accepted.network == "eip155:84532"
    response = decode_payment_response_header(ours["PAYMENT-RESPONSE"])
    assert response.success and response.network == "eip155:84532"


count = mpp()
x402()
print(f"official Python libraries read {count} challenges and an offer that they pay")
