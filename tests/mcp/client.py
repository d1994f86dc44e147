"""The official MCP client against a server: OAuth from the first 401 to a
refresh, then tools, in both eras of the protocol; API keys too.

usage: client.py BASE_URL API_KEY   (the key signs the person in and pays)
Prints "ok" and ends with 0, or says what is wrong and ends with 1.
"""

import re
import sys
from urllib.parse import parse_qs, urlparse

import anyio
import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

REDIRECT = "http://127.0.0.1:45678/callback"
# What the client is told to do, and what comes of it.
MODES = {"legacy": "2025-11-25", "auto": "2026-07-28"}


class Storage:
    """Where the client keeps its tokens."""

    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Person:
    """Signs in, reads the consent and allows it, as a browser would."""

    def __init__(self, base, key, limit="1.00"):
        self.base, self.key, self.limit = base, key, limit
        self.answer = None
        self.consents = 0

    async def open(self, url):
        async with httpx2.AsyncClient(headers={"accept": "text/html"}) as browser:
            page = await browser.get(url)
            assert page.status_code == 303 and "/account/sign-in" in page.headers["location"], page.text
            sign_in = urlparse(page.headers["location"])
            [after] = parse_qs(sign_in.query)["next"]
            form = {"key": self.key, "next": after}
            page = await browser.post(f"{self.base}/account/sign-in", data=form)
            assert page.status_code == 303 and page.headers["location"] == after, page.text
            page = await browser.get(self.base + after)
            assert page.status_code == 200 and "the test client" in page.text, page.text
            assert "http://127.0.0.1:45678" in page.headers["content-security-policy"]
            hidden = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', page.text))
            form = {name: value.replace("&#38;", "&") for name, value in hidden.items()}
            form |= {"max_spend_gbp": self.limit, "decision": "allow"}
            page = await browser.post(f"{self.base}/oauth/authorize", data=form)
            assert page.status_code == 303 and page.headers["location"].startswith(REDIRECT), page.text
            self.answer = {name: value[0] for name, value in parse_qs(urlparse(page.headers["location"]).query).items()}
            self.consents += 1

    async def come_back(self):
        answer = self.answer
        assert answer["iss"] == self.base, answer
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])


def provider(base, person, storage):
    metadata = OAuthClientMetadata(redirect_uris=[REDIRECT], client_name="the test client")
    return OAuthClientProvider(f"{base}/mcp", metadata, storage, person.open, person.come_back)


async def use(base, http, mode):
    """Lists the tools and calls some; the answers are checked by the client."""
    async with Client(streamable_http_client(f"{base}/mcp", http_client=http), mode=mode) as client:
        assert client.protocol_version == MODES[mode], client.protocol_version
        assert "credit" in client.instructions
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        tool = tools["echo"]
        assert "£0.10" in tool.description and tool.input_schema["type"] == "object", tool
        assert tool.output_schema["type"] == "object", tool
        result = await client.call_tool("echo", {"resource_id": "hello"})
        assert not result.is_error and isinstance(result.structured_content, dict), result
        assert re.fullmatch("[0-9a-f]{64}", result.meta["worm_seal"]), result.meta
        wrong = await client.call_tool("echo", {"split": 1})
        assert wrong.is_error and "E008" in wrong.content[0].text, wrong
        try:
            unknown = await client.call_tool("no_such_tool", {})
        except Exception as error:
            assert "no_such_tool" in str(error), error
        else:
            raise AssertionError(unknown)
        return result


async def oauth(base, key):
    person, storage = Person(base, key), Storage()
    auth = provider(base, person, storage)
    async with httpx2.AsyncClient(auth=auth) as http:
        for mode in MODES:
            await use(base, http, mode)
        assert person.consents == 1, person.consents
        first = storage.tokens
        assert first.scope == "call" and first.refresh_token, first
        # The token is old: the client gets another without the person.
        auth.context.token_expiry_time = 1
        await use(base, http, "auto")
        second = storage.tokens
        assert person.consents == 1 and second.access_token != first.access_token, "not refreshed"
        assert second.refresh_token != first.refresh_token, "the refresh token was not changed"
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {second.access_token}"}) as thief:
        # It opens this one endpoint and nothing else.
        assert (await thief.get(f"{base}/v1/balance")).status_code == 401
        again = {"grant_type": "refresh_token", "refresh_token": first.refresh_token, "client_id": storage.client.client_id}
    async with httpx2.AsyncClient() as thief:
        reply = await thief.post(f"{base}/oauth/token", data=again)
        assert reply.status_code == 400 and reply.json()["error"] == "invalid_grant", reply.text
    # Somebody used an old refresh token: everything of that grant is over.
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {second.access_token}"}) as ended:
        assert (await ended.post(f"{base}/mcp", json={})).status_code == 401


async def poor(base):
    """Who has no credit is told what to do, as an error that a model reads."""
    async with httpx2.AsyncClient() as http:
        made = (await http.post(f"{base}/v1/signup", json={"email": "poor@example.com"})).json()
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {made['api_key']}"}) as http:
        async with Client(streamable_http_client(f"{base}/mcp", http_client=http), mode="auto") as client:
            result = await client.call_tool("costly", {})
            text = result.content[0].text
            assert result.is_error and "E003" in text and f"{base}/account" in text and "£50.00" in text, text


async def main():
    base, key = sys.argv[1:]
    await oauth(base, key)
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}) as http:
        for mode in MODES:
            await use(base, http, mode)
    await poor(base)
    print("ok")


anyio.run(main)
