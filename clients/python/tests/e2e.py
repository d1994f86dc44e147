"""The Python clients against a real server in the sandbox: BASE_URL, and an API_KEY with £10 of credit.

Prints `ok` at the end.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / "src"), str(HERE.parents[2])]

import httpx  # noqa: E402

import tollbridge  # noqa: E402
from tollbridge import AsyncClient, Client  # noqa: E402

BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]
VALUES: Any = [12, 15, 14, 18, 20, 19, 23, 25, 24, 28]


class Losing(httpx.HTTPTransport):
    """Loses so many replies to paid calls, after the server has given them."""

    lost = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if "idempotency-key" in request.headers and self.lost:
            self.lost -= 1
            response.read()
            raise httpx.ReadError("the reply was lost")
        return response


def raises(kind: Any, call: Any) -> Any:
    try:
        call()
    except kind as error:
        assert type(error) is kind, type(error)
        return error
    raise AssertionError(f"no {kind.__name__}")


def credit() -> None:
    transport = Losing()
    with Client(BASE_URL, API_KEY, "2.00", transport=transport) as client:
        before = client.balance().credit
        assert client.quote("forecast", values=VALUES).amount_gbp == "0.40"
        answer = client.call("forecast", values=VALUES, horizon=2)
        assert len(answer.result["points"]) == 2 and answer.charged_gbp == "0.40", answer
        assert answer.body["method"]["name"], answer.body
        transport.lost = 2
        again = client.call("forecast", values=VALUES, horizon=3)
        assert again.replayed and again.charged_gbp == "0.40", again
        transport.lost = 9
        error = raises(tollbridge.Unsettled, lambda: client.call("forecast", values=VALUES))
        assert client.budget.held == 40_000
        transport.lost = 0
        late = client.resume(error)
        assert late.replayed and client.budget.held == 0
        assert client.budget.spent == before - client.balance().credit == 120_000
        (dear,) = [one for one in client.bridges() if one["name"] == "price_optimization"]
        example = dear["examples"][0]["input"]
        error = raises(tollbridge.BudgetExceeded, lambda: client.call_any("price_optimization", example))
        assert error.over_by == 120_000, error.over_by
        assert client.budget.spent == before - client.balance().credit
        for one in (answer, again, late):
            verified = client.verify(one)
            assert verified.record and verified.record["body"]["plugin"] == "forecast"
        tampered(client, answer)


def agents() -> None:
    with Client(BASE_URL, API_KEY, "3.00") as client:
        answer = client.agent("analytics:forecast", "Forecast the next 3 values: 12 15 14 18 20 19 23 25")
        assert answer.charged == client.quote_agent("analytics:forecast", "Forecast the next 3 values: 1 2 3 4 5 6").amount
        assert client.verify(answer).record
        tampered(client, answer)
        text = "The clock stopped. Nobody wound it. It rang."
        again = client.agent("summarization", input={"text": text, "max_sentences": 1})
        assert again.result["summary"] in text and client.verify(again)
        words = client.agent("analytics:forecast", '{"values": [12, 15, 14, 18, 20, 19, 23, 25.5], "horizon": 3}')
        assert client.verify(words).seq > 0
        error = raises(tollbridge.NotFound, lambda: client.agent_any("analytics-forecasts", "1 2 3", None))
        assert error.code == "E007" and "analytics-forecast" in error.hint and error.request_id.startswith("req_")


def tampered(client: Client, answer: Any) -> None:
    """A changed byte anywhere fails."""
    evidence, keys = client.evidence(answer), client.keys()
    assert tollbridge.check(answer, evidence, keys)
    proof, record = dict(evidence.proof), evidence.record or ""

    def flip(text: str, at: int) -> str:
        return text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1:]

    def fails(answer: Any, evidence: Any, keys: Any = keys) -> None:
        raises(tollbridge.VerificationFailed, lambda: tollbridge.check(answer, evidence, keys))

    place = answer.raw.index(b'"output"' if answer.is_agent else b'"result"') + 30
    wrong = [{"raw": flip(answer.raw.decode(), place).encode()}, {"seal": flip(answer.seal, 5)}, {"charged": answer.charged - 1},
             {"transaction": flip(answer.transaction, 9)}, {"name": "other"}, {"result": {}},
             {"request": answer.request.replace(b"1", b"2")}]
    for change in wrong:
        fails(dataclasses.replace(answer, **change), evidence)
    for member in ("leaf_hash", "root", "seal"):
        fails(answer, tollbridge.Evidence({**proof, member: flip(proof[member], 7)}, record))
    for change in ({"seq": proof["seq"] + 1}, {"tree_size": proof["tree_size"] + 1}, {"inclusion": proof["inclusion"][1:]},
                   {"inclusion": [flip(proof["inclusion"][0], 3), *proof["inclusion"][1:]]},
                   {"checkpoint": flip(proof["checkpoint"], len(proof["checkpoint"]) - 20)}):
        fails(answer, tollbridge.Evidence({**proof, **change}, record))
    for at in (0, len(record) // 2, len(record) - 1):
        fails(answer, tollbridge.Evidence(proof, flip(record, at)))
    fails(answer, tollbridge.Evidence(proof, None))
    foreign = tollbridge.Keys(("localhost/worm+00000000+" + "A" * 44,), ("00" * 32,))
    fails(answer, evidence, foreign)
    if answer.is_agent:
        body = json.loads(answer.raw)
        for change in ({"proof": {**body["proof"], "signature": flip(body["proof"]["signature"], 9)}}, {"task_id": "task_x"}):
            fails(dataclasses.replace(answer, raw=json.dumps({**body, **change}).encode()), evidence)


def intents() -> None:
    transport = Losing()
    with Client(BASE_URL, budget="0.05", transport=transport) as client:
        transport.lost = 1
        answer = client.call("tax_jar_lookup", resource_id="GB")
        assert answer.replayed and answer.charged_gbp == "0.01" and client.budget.spent == 1_000
        assert client.verify(answer, seal_only=True).record is None
        raises(tollbridge.VerificationFailed, lambda: client.verify(answer))
        raises(tollbridge.BudgetExceeded, lambda: client.call("forecast", values=VALUES))
        error = raises(tollbridge.InvalidRequest, lambda: client.call("forecast"))
        assert error.field is not None and error.code == "E011"
        raises(tollbridge.AccessDenied, lambda: client.agent("sentiment", "good"))
        assert client.budget.spent == 1_000 and client.budget.held == 0
    with Client(BASE_URL, budget="1.00", wallet=lambda payment: None) as client:
        error = raises(tollbridge.PaymentRequired, lambda: client.call("tax_jar_lookup", resource_id="FR"))
        assert client.budget.spent == 0 and error.payment.charge_gbp == "0.01"
        httpx.post(error.payment.link, json={}).raise_for_status()
        assert client.resume(error).result["country"] == "FR" and client.budget.spent == 1_000


async def at_once() -> None:
    async with AsyncClient(BASE_URL, API_KEY, "0.05") as client:
        before = (await client.balance()).credit
        calls = [client.call("tax_jar_lookup", resource_id=place) for place in ("GB", "FR", "DE", "IT", "ES", "PT", "NL")]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        answers = [one for one in outcomes if isinstance(one, tollbridge.Answer)]
        assert len(answers) == 5 and sum(isinstance(one, tollbridge.BudgetExceeded) for one in outcomes) == 2, outcomes
        assert before - (await client.balance()).credit == client.budget.spent == 5_000
        assert (await client.verify(answers[0])).record


def schemas() -> None:
    """What is checked in is what the server says."""
    import generate

    assert generate.kept_bytes(generate.fetch(BASE_URL)) == generate.KEPT.read_bytes(), (
        "schemas changed: run clients/generate.py --fetch BASE_URL")


def examples() -> None:
    root = HERE.parents[3]
    for readme in (root / "README.md", HERE.parents[1] / "README.md"):
        (code,) = re.findall(r"```python\n(from tollbridge .*?)```", readme.read_text(encoding="utf-8"), re.S)
        exec(code.replace("http://127.0.0.1:8402", BASE_URL).replace("tb_test_…", API_KEY), {})
    for script in sorted((HERE.parents[1] / "examples").glob("*.py")):
        variables = {**os.environ, "PYTHONPATH": str(HERE.parents[1] / "src")}
        ran = subprocess.run([sys.executable, script], env=variables, capture_output=True, text=True)
        assert ran.returncode == 0 and ran.stdout, f"{script}: {ran.stdout}{ran.stderr}"


for step in (schemas, credit, agents, intents, lambda: asyncio.run(at_once()), examples):
    step()
print("ok")
