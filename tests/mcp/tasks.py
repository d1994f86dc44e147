"""The official MCP client and an agent that takes long: progress while a call
goes on, and the answer of a task that outlived its call; in both eras.

usage: tasks.py BASE_URL API_KEY   (an agent `worker`, as tests/src/worker.rs has it)
Prints "ok" and ends with 0, or says what is wrong and ends with 1.
"""

import sys

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

ERAS = ("legacy", "auto")


async def later(client):
    """A task that goes on without its call is fetched."""
    given = await client.call_tool("invoke_agent", {"agent_slug": "worker", "task": "wait", "wait_ms": 1})
    task = given.structured_content
    assert not given.is_error and task["status"] == "working" and task["task_id"], given
    done = await client.call_tool("get_task", {"task_id": task["task_id"], "wait_ms": 30000})
    made = done.structured_content
    assert not done.is_error and made["status"] == "completed", done
    assert made["agent_slug"] == "worker" and made["output"] == {"done": True}, made
    assert made["proof"]["statement"]["task_id"] == task["task_id"], made
    for wrong in ({}, {"task_id": "task_none"}, {"task_id": task["task_id"], "wait_ms": -1}):
        refused = await client.call_tool("get_task", wrong)
        assert refused.is_error and "E01" in refused.content[0].text, refused
    return task["task_id"]


async def progress(client):
    """A call that runs into its agent's five seconds says meanwhile that it goes on."""
    told = []

    async def hear(done, total, message):
        told.append((done, message))

    spun = await client.call_tool(
        "invoke_agent", {"agent_slug": "worker", "task": "spin", "wait_ms": 30000}, progress_callback=hear
    )
    assert spun.is_error and "E018" in spun.content[0].text and "Nothing was charged" in spun.content[0].text, spun
    steps = [done for done, _ in told]
    assert len(told) >= 2 and steps == sorted(set(steps)) and {text for _, text in told} == {"still running"}, told


async def stranger(base, task):
    """A task is its caller's and nobody else's."""
    async with httpx2.AsyncClient() as http:
        made = (await http.post(f"{base}/v1/signup", json={"email": "other@example.com"})).json()
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {made['api_key']}"}) as http:
        async with Client(streamable_http_client(f"{base}/mcp", http_client=http), mode="auto") as client:
            refused = await client.call_tool("get_task", {"task_id": task})
            assert refused.is_error and "E012" in refused.content[0].text, refused


async def main():
    base, key = sys.argv[1:]
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}) as http:
        for mode in ERAS:
            async with Client(streamable_http_client(f"{base}/mcp", http_client=http), mode=mode) as client:
                tools = {tool.name: tool for tool in (await client.list_tools()).tools}
                assert "task_id" in tools["get_task"].input_schema["required"], tools
                task = await later(client)
                await progress(client)
    await stranger(base, task)
    print("ok")


anyio.run(main)
