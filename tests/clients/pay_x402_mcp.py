"""Buys tools from a server of ours with the official x402 client for MCP, without
an account:

    python pay_x402_mcp.py SERVER

in an environment with x402[evm,mcp] and mcp<2, whose names x402 2.25 knows. The
server must not settle on a chain.
"""

import asyncio
import sys

from eth_account import Account
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from x402 import x402Client
from x402.mcp.client import x402MCPSession
from x402.mechanisms.evm.exact.register import register_exact_evm_client

SERVER = sys.argv[1].rstrip("/")
ORDERS = [
    ("iban_validation", {"iban": "GB29 NWBK 6016 1331 9268 19"}),
    ("token_count", {"text": "hello world", "encoding": "o200k_base"}),
    (
        "invoke_agent",
        {"agent_slug": "sentiment", "task": "How do they feel?", "input": {"text": "The food was wonderful."}},
    ),
]


async def main():
    account = Account.create()
    payer = register_exact_evm_client(x402Client(), account)
    async with streamablehttp_client(f"{SERVER}/v1/paid/mcp") as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            client = x402MCPSession(session, payer)
            await client.initialize()
            for name, arguments in ORDERS:
                result = await client.call_tool(name, arguments)
                assert not result.is_error and result.payment_made, (name, result)
                settled = result.payment_response
                assert settled.success and settled.payer.lower() == account.address.lower(), settled
                assert len(settled.transaction) == 66, settled
    print(f"x402 over MCP: {len(ORDERS)} tools paid")


asyncio.run(main())
