"""The official facilitator of x402 with a chain of its own, and a command that is
run against it:

    python x402_facilitator.py NODE_MODULES COMMAND…

in an environment with x402[evm]; NODE_MODULES has ganache and solc. The command
finds the facilitator's address in X402_FACILITATOR and the chain's in X402_CHAIN.
Besides /supported, /verify and /settle there are /payment?key=N&scheme=S, a payment of an
official client, /balance?of=ADDRESS, /cancel?from=ADDRESS&nonce=NONCE and /lose, after which the next
settlement is carried out and not answered. Nothing leaves this machine.

The token, Permit2 and the proxy of scheme `upto` are not those of their makers, which no package has,
but contracts that do the same as far as is needed here, at the addresses of theirs: the facilitator and
the clients are the official ones, and what they sign and call must be right.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

from eth_account import Account
from web3 import Web3
from x402 import x402ClientSync, x402FacilitatorSync
from x402.http.utils import encode_payment_signature_header
from x402.mechanisms.evm.constants import PERMIT2_ADDRESS, X402_UPTO_PERMIT2_PROXY_ADDRESS
from x402.mechanisms.evm.default_assets import DEFAULT_ASSETS
from x402.mechanisms.evm.exact.register import register_exact_evm_client, register_exact_evm_facilitator
from x402.mechanisms.evm.signers import FacilitatorWeb3Signer
from x402.mechanisms.evm.upto import UptoEvmClientScheme, UptoEvmFacilitatorScheme
from x402.schemas import PaymentPayload, PaymentRequired, PaymentRequirements

NETWORK = "eip155:84532"
ASSET = DEFAULT_ASSETS[NETWORK][0]
KEY = "0x" + "99" * 32
# 0x11… has money, 0x22… has none.
RICH = Account.from_key("0x" + "11" * 32).address
TOKEN = """
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;
contract Token {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;
    string public constant name = "USDC";
    string public constant version = "2";
    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);
    struct A { address from; address to; uint256 value; uint256 validAfter; uint256 validBefore; bytes32 nonce; }
    function mint(address to, uint256 value) external { balanceOf[to] += value; }
    // Without the transaction of the owner that the real one asks for.
    function allow(address owner, address spender, uint256 value) external { allowance[owner][spender] = value; }
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        require(allowance[from][msg.sender] >= value, "ERC20: insufficient allowance");
        require(balanceOf[from] >= value, "ERC20: transfer amount exceeds balance");
        allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }
    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        uint8 v, bytes32 r, bytes32 s
    ) external { move(A(from, to, value, validAfter, validBefore, nonce), v, r, s); }
    function move(A memory a, uint8 v, bytes32 r, bytes32 s) internal {
        require(block.timestamp > a.validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < a.validBefore, "FiatTokenV2: authorization is expired");
        require(!authorizationState[a.from][a.nonce], "FiatTokenV2: authorization is used or canceled");
        bytes32 domain = keccak256(abi.encode(
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
            keccak256(bytes(name)), keccak256(bytes(version)), uint256(84532), address(this)));
        bytes32 message = keccak256(abi.encode(
            keccak256("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"),
            a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce));
        require(ecrecover(keccak256(abi.encodePacked(hex"1901", domain, message)), v, r, s) == a.from,
            "FiatTokenV2: invalid signature");
        require(balanceOf[a.from] >= a.value, "ERC20: transfer amount exceeds balance");
        authorizationState[a.from][a.nonce] = true;
        emit AuthorizationUsed(a.from, a.nonce);
        balanceOf[a.from] -= a.value;
        balanceOf[a.to] += a.value;
        emit Transfer(a.from, a.to, a.value);
    }
    // Without the signature that the real one asks for.
    function cancel(address from, bytes32 nonce) external {
        authorizationState[from][nonce] = true;
        emit AuthorizationCanceled(from, nonce);
    }
}

interface Erc20 { function transferFrom(address from, address to, uint256 value) external returns (bool); }
struct Permissions { address token; uint256 amount; }
struct Permit { Permissions permitted; uint256 nonce; uint256 deadline; }
struct Details { address to; uint256 requestedAmount; }
struct Witness { address to; address facilitator; uint256 validAfter; }

contract Permit2 {
    mapping(address => mapping(uint256 => uint256)) public nonceBitmap;
    error InvalidNonce();
    error InvalidSignature();
    error InvalidAmount(uint256 most);
    error SignatureExpired(uint256 deadline);
    function permitWitnessTransferFrom(
        Permit calldata permit, Details calldata details, address owner, bytes32 witness,
        string calldata witnessType, bytes calldata signature
    ) external {
        if (block.timestamp > permit.deadline) revert SignatureExpired(permit.deadline);
        if (details.requestedAmount > permit.permitted.amount) revert InvalidAmount(permit.permitted.amount);
        uint256 bit = 1 << uint8(permit.nonce);
        if (nonceBitmap[owner][permit.nonce >> 8] & bit != 0) revert InvalidNonce();
        nonceBitmap[owner][permit.nonce >> 8] |= bit;
        if (signer(digest(permit, witness, witnessType), signature) != owner) revert InvalidSignature();
        Erc20(permit.permitted.token).transferFrom(owner, details.to, details.requestedAmount);
    }
    function digest(Permit calldata permit, bytes32 witness, string calldata witnessType) internal view returns (bytes32) {
        bytes32 domain = keccak256(abi.encode(
            keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)"),
            keccak256("Permit2"), block.chainid, address(this)));
        bytes32 kind = keccak256(abi.encodePacked(
            "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,", witnessType));
        bytes32 permitted = keccak256(abi.encode(
            keccak256("TokenPermissions(address token,uint256 amount)"), permit.permitted.token, permit.permitted.amount));
        bytes32 message = keccak256(abi.encode(kind, permitted, msg.sender, permit.nonce, permit.deadline, witness));
        return keccak256(abi.encodePacked(hex"1901", domain, message));
    }
    function signer(bytes32 hash, bytes calldata signature) internal pure returns (address) {
        if (signature.length != 65) revert InvalidSignature();
        return ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
    }
}

contract UptoProxy {
    error AmountExceedsPermitted();
    error UnauthorizedFacilitator();
    error PaymentTooEarly();
    function settle(
        Permit calldata permit, uint256 amount, address owner, Witness calldata witness, bytes calldata signature
    ) external {
        if (msg.sender != witness.facilitator) revert UnauthorizedFacilitator();
        if (amount > permit.permitted.amount) revert AmountExceedsPermitted();
        if (block.timestamp < witness.validAfter) revert PaymentTooEarly();
        bytes32 hash = keccak256(abi.encode(
            keccak256("Witness(address to,address facilitator,uint256 validAfter)"),
            witness.to, witness.facilitator, witness.validAfter));
        Permit2(0x000000000022D473030F116dDEE9F6B43aC78BA3).permitWitnessTransferFrom(
            permit, Details(witness.to, amount), owner, hash,
            "Witness witness)TokenPermissions(address token,uint256 amount)Witness(address to,address facilitator,uint256 validAfter)",
            signature);
    }
}
"""
COMPILE = """
const solc = require(process.argv[1] + "/solc");
const source = require("fs").readFileSync(0, "utf8");
const settings = { evmVersion: "paris", viaIR: true, optimizer: { enabled: true },
  outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object"] } } };
const out = JSON.parse(solc.compile(JSON.stringify(
  { language: "Solidity", sources: { t: { content: source } }, settings })));
if (!out.contracts) throw new Error(JSON.stringify(out.errors));
const built = Object.entries(out.contracts.t).map(([name, { abi, evm }]) =>
  [name, { abi, code: "0x" + evm.deployedBytecode.object }]);
console.log(JSON.stringify(Object.fromEntries(built)));
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_chain(modules):
    port = free_port()
    command = ["node", f"{modules}/ganache/dist/node/cli.js", "--chain.chainId", "84532", "--server.port", str(port)]
    command += ["--wallet.accounts", f"{KEY},{hex(10**20)}", "--logging.quiet"]
    chain = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    rpc = f"http://127.0.0.1:{port}"
    web3 = Web3(Web3.HTTPProvider(rpc))
    for _ in range(200):
        if web3.is_connected():
            return chain, rpc, web3
        time.sleep(0.1)
    chain.terminate()
    raise RuntimeError("ganache does not start")


def put_token(modules, web3):
    run = subprocess.run(["node", "-e", COMPILE, modules], input=TOKEN, capture_output=True, text=True, check=True)
    built = json.loads(run.stdout)
    places = {"Token": ASSET["asset"], "Permit2": PERMIT2_ADDRESS, "UptoProxy": X402_UPTO_PERMIT2_PROXY_ADDRESS}
    for name, address in places.items():
        web3.provider.make_request("evm_setAccountCode", [address, built[name]["code"]])
    token = web3.eth.contract(address=ASSET["asset"], abi=built["Token"]["abi"])
    sender = {"from": Account.from_key(KEY).address}
    for call in [token.functions.mint(RICH, 100_000), token.functions.allow(RICH, PERMIT2_ADDRESS, 10**18)]:
        web3.eth.wait_for_transaction_receipt(call.transact(sender))
    return token


def payment(key, scheme):
    requirement = {
        "scheme": scheme,
        "network": NETWORK,
        "amount": "10000",
        "asset": ASSET["asset"],
        "payTo": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
        "maxTimeoutSeconds": 60,
        "extra": {"name": ASSET["name"], "version": ASSET["version"]},
    }
    account = Account.from_key("0x" + key * 32)
    client = x402ClientSync()
    if scheme == "upto":
        requirement["extra"] |= {"assetTransferMethod": "permit2", "facilitatorAddress": Account.from_key(KEY).address}
        client.register(NETWORK, UptoEvmClientScheme(account))
    else:
        register_exact_evm_client(client, account)
    offer = {"x402Version": 2, "resource": {"url": "http://127.0.0.1/x"}, "accepts": [requirement]}
    return encode_payment_signature_header(client.create_payment_payload(PaymentRequired.model_validate(offer)))


def handler(facilitator, token):
    lose = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def answer(self, text):
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def do_GET(self):
            url = urlparse(self.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            if url.path == "/payment":
                self.answer(payment(query["key"], query.get("scheme", "exact")))
            elif url.path == "/balance":
                self.answer(str(token.functions.balanceOf(query["of"]).call()))
            elif url.path == "/lose":
                lose.set()
                self.answer("{}")
            elif url.path == "/cancel":
                sender = Account.from_key(KEY).address
                token.functions.cancel(query["from"], query["nonce"]).transact({"from": sender})
                self.answer("{}")
            else:
                self.answer(facilitator.get_supported().model_dump_json(by_alias=True, exclude_none=True))

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            paid = PaymentPayload.model_validate(body["paymentPayload"])
            asked = PaymentRequirements.model_validate(body["paymentRequirements"])
            result = {"/verify": facilitator.verify, "/settle": facilitator.settle}[self.path](paid, asked)
            text = result.model_dump_json(by_alias=True, exclude_none=True)
            print(self.path, text, flush=True)
            if self.path == "/settle" and lose.is_set():
                lose.clear()
                return self.connection.close()
            self.answer(text)

        def log_message(self, *_):
            pass

    return Handler


def main():
    modules, command = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]
    chain, rpc, web3 = start_chain(modules)
    try:
        token = put_token(modules, web3)
        facilitator = x402FacilitatorSync()
        signer = FacilitatorWeb3Signer(KEY, rpc)
        register_exact_evm_facilitator(facilitator, signer, NETWORK)
        facilitator.register([NETWORK], UptoEvmFacilitatorScheme(signer))
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler(facilitator, token))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        return subprocess.run(command, env={**os.environ, "X402_FACILITATOR": address, "X402_CHAIN": rpc}).returncode
    finally:
        chain.terminate()


sys.exit(main())
