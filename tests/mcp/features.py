"""The official MCP client and what is beside tools: resources, prompts,
completions, hints and refusals, in both eras; and a person who is asked to pay,
in the newer one.

usage: features.py BASE_URL API_KEY   (bridges `echo` and `costly`, an agent `worker`)
Prints "ok" and ends with 0, or says what is wrong and ends with 1.
"""

import json
import sys

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, PromptReference, ResourceTemplateReference

# What the client is told to do, and the code of what is not there.
ERAS = {"legacy": -32002, "auto": -32602}


async def refused(code, call):
    try:
        answer = await call
    except MCPError as error:
        assert error.code == code, error
        return str(error)
    raise AssertionError(answer)


async def resources(client, absent):
    listed = (await client.list_resources()).resources
    uris = [str(resource.uri) for resource in listed]
    assert uris == sorted(uris) and len(set(uris)) == len(uris), uris
    for uri in ("tollbridge://agents/worker", "tollbridge://bridges", "tollbridge://bridges/echo", "tollbridge://docs/errors"):
        assert uri in uris, uris
    for resource in listed:
        [contents] = (await client.read_resource(resource.uri)).contents
        assert str(contents.uri) == str(resource.uri) and contents.mime_type == resource.mime_type, contents
        assert resource.size in (None, len(contents.text.encode())), resource
        if resource.mime_type == "application/json":
            json.loads(contents.text)
    [echo] = (await client.read_resource("tollbridge://bridges/echo")).contents
    assert json.loads(echo.text)["price_gbp"] == "0.10" and "input_schema" in echo.text, echo
    [all_bridges] = (await client.read_resource("tollbridge://bridges?after=costly")).contents
    assert [bridge["name"] for bridge in json.loads(all_bridges.text)["bridges"]] == ["echo", "free"], all_bridges
    templates = (await client.list_resource_templates()).resource_templates
    assert "tollbridge://bridges/{name}" in [template.uri_template for template in templates], templates
    for uri in ("tollbridge://bridges/none", "tollbridge://docs/../x", "file:///etc/passwd"):
        await refused(absent, client.read_resource(uri))


async def prompts(client):
    [prompt] = (await client.list_prompts()).prompts
    assert prompt.name == "worker" and "£0.20" in prompt.description, prompt
    assert [(argument.name, argument.required) for argument in prompt.arguments] == [("task", True), ("skill", False)], prompt
    made = await client.get_prompt("worker", {"task": "count <b>", "skill": "testing"})
    words, attached = (message.content for message in made.messages)
    assert "count <b>" in words.text and "`invoke_agent`" in words.text and "`testing`" in words.text, words
    assert json.loads(attached.resource.text)["slug"] == "worker", attached
    for name, arguments in (("nobody", {"task": "x"}), ("worker", {}), ("worker", {"task": "x", "skill": "none"}), ("worker", {"task": "x", "y": "z"})):
        await refused(-32602, client.get_prompt(name, arguments))


async def completions(client):
    async def values(ref, name, typed):
        return (await client.complete(ref, {"name": name, "value": typed})).completion.values

    assert await values(PromptReference(name="worker"), "skill", "te") == ["testing"]
    assert await values(PromptReference(name="worker"), "task", "te") == []
    assert await values(ResourceTemplateReference(uri="tollbridge://bridges/{name}"), "name", "e") == ["echo"]
    assert "errors" in await values(ResourceTemplateReference(uri="tollbridge://docs/{name}"), "name", "")
    await refused(-32602, values(PromptReference(name="nobody"), "skill", ""))
    await refused(-32602, values(ResourceTemplateReference(uri="file:///{name}"), "name", ""))


async def hints_and_refusals(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    hints = lambda name: tools[name].annotations.model_dump(exclude={"title"})
    paid = {"read_only_hint": False, "destructive_hint": False, "idempotent_hint": False, "open_world_hint": False}
    free = {"read_only_hint": True, "destructive_hint": False, "idempotent_hint": True, "open_world_hint": False}
    assert hints("echo") == paid and hints("get_task") == free and hints("free") == free, tools
    assert hints("invoke_agent") == paid | {"open_world_hint": True}, tools
    for arguments, expected in (
        ({"agent_slug": "worker", "task": "x", "wait": 1}, "unknown argument `wait`; the arguments are: agent_slug, task"),
        ({"task": "x"}, "`agent_slug` is required"),
        ({"agent_slug": 7, "task": "x"}, "`agent_slug` must be a string"),
    ):
        wrong = await client.call_tool("invoke_agent", arguments)
        assert wrong.is_error and expected in wrong.content[0].text, wrong


class Person:
    """Opens a link and pays there, or does not."""

    def __init__(self, willing):
        self.willing = willing
        self.asked = []

    async def answer(self, _, question):
        self.asked.append(question)
        if not self.willing:
            return ElicitResult(action="decline")
        assert question.mode == "url" and "£50.00" in question.message, question
        async with httpx2.AsyncClient() as browser:
            paid = await browser.post(question.url)
            assert paid.status_code == 200, paid.text
        return ElicitResult(action="accept")


async def poor(base):
    """Who has no credit is asked for a payment, if there is a way to ask."""
    async with httpx2.AsyncClient() as http:
        made = (await http.post(f"{base}/v1/signup", json={"email": "poor@example.com"})).json()
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {made['api_key']}"}) as http:

        async def buy(mode, person):
            transport = streamable_http_client(f"{base}/mcp", http_client=http)
            async with Client(transport, mode=mode, elicitation_callback=person.answer) as client:
                return await client.call_tool("costly", {"resource_id": "hello"})

        legacy, unwilling, willing = Person(True), Person(False), Person(True)
        told = await buy("legacy", legacy)
        assert told.is_error and "E003" in told.content[0].text and not legacy.asked, told
        told = await buy("auto", unwilling)
        assert told.is_error and "E003" in told.content[0].text and len(unwilling.asked) == 1, told
        done = await buy("auto", willing)
        assert not done.is_error and len(willing.asked) == 1 and "worm_seal" in done.meta, done


async def main():
    base, key = sys.argv[1:]
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}) as http:
        for mode, absent in ERAS.items():
            async with Client(streamable_http_client(f"{base}/mcp", http_client=http), mode=mode) as client:
                offered = client.server_capabilities
                assert offered.tools and offered.resources and offered.prompts and offered.completions, offered
                extensions = offered.model_dump(by_alias=True, exclude_none=True).get("extensions")
                assert extensions == ({"io.modelcontextprotocol/tasks": {}} if mode == "auto" else None), offered
                await resources(client, absent)
                await prompts(client)
                await completions(client)
                await hints_and_refusals(client)
    await poor(base)
    print("ok")


anyio.run(main)
