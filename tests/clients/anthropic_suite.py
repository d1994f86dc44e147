"""Calls of the official `anthropic` client, unchanged but for address and key.

Needs BASE_URL and API_KEY in the environment, and the models that
`tests/it/inference_clients.rs` sets up. Prints `ok` at the end.
"""

import asyncio
import os
import time

import anthropic

TEXT = os.environ["TEXT"]
BASE_URL, API_KEY = os.environ["BASE_URL"].removesuffix("/v1"), os.environ["API_KEY"]
HELLO = [{"role": "user", "content": "hello"}]
TOOL = {
    "name": "weather",
    "description": "Weather of a place",
    "input_schema": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
}
# One provider speaks chat, the other the Messages API itself.
MODELS = ["small", "claude"]
client = anthropic.Anthropic(base_url=BASE_URL, api_key=API_KEY)


def ask(model="small", client=client, **more):
    return client.messages.create(**{"model": model, "messages": HELLO, "max_tokens": 20, **more})


def raises(kind, status, call):
    try:
        call()
    except kind as error:
        assert error.status_code == status, error.status_code
        assert error.body["type"] == "error" and error.body["request_id"].startswith("req_"), error.body
        return error.body["error"]
    raise AssertionError(f"no {kind.__name__}")


def plain(model):
    answer = ask(model, system="be brief", metadata={"user_id": "u"}, stop_sequences=["END"], extra_body={"temperature": 0.5})
    assert answer.content[0].text == TEXT and answer.stop_reason == "end_turn", answer
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (11, 7), answer.usage
    assert answer.id.startswith("msg_") and answer.role == "assistant"


def stream(model):
    with client.messages.stream(model=model, messages=HELLO, max_tokens=20) as stream:
        said = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert said == TEXT == final.content[0].text, said
    assert final.stop_reason == "end_turn" and final.usage.output_tokens == 7, final
    assert final.usage.input_tokens == 11, final.usage
    kinds = [event.type for event in ask(model, stream=True)]
    assert kinds[0] == "message_start" and kinds[-1] == "message_stop", kinds


def tools(model):
    answer = ask(model, tools=[TOOL], tool_choice={"type": "any"})
    call = answer.content[0]
    assert answer.stop_reason == "tool_use" and (call.name, call.input) == ("weather", {"place": "Rome"}), answer
    result = {"type": "tool_result", "tool_use_id": call.id, "content": [{"type": "text", "text": "sunny"}]}
    turns = [*HELLO, {"role": "assistant", "content": answer.content}, {"role": "user", "content": [result]}]
    assert ask(model, messages=turns).content[0].text == TEXT


def picture(model):
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    parts = [{"type": "text", "text": "what?"}, {"type": "image", "source": source}]
    assert ask(model, messages=[{"role": "user", "content": parts}]).content[0].text == TEXT


def counts(model):
    counted = client.messages.count_tokens(model=model, messages=HELLO, system="be brief", tools=[TOOL])
    assert counted.input_tokens > 0, counted


def large():
    turns = [{"role": "user", "content": "x" * (1 << 20)}]
    assert ask("large", messages=turns).content[0].text == TEXT


def errors():
    error = raises(anthropic.BadRequestError, 400, lambda: ask(messages=[]))
    assert error["code"] == "E011" and error["type"] == "invalid_request_error", error
    error = raises(anthropic.NotFoundError, 404, lambda: ask("none"))
    assert error["code"] == "E004" and "no model `none`" in error["message"], error
    raises(anthropic.BadRequestError, 400, lambda: ask(tools=[{"type": "web_search_20250305", "name": "web_search"}]))
    raises(anthropic.BadRequestError, 400, lambda: ask("refuses"))
    raises(anthropic.UnprocessableEntityError, 422, lambda: ask("unprocessable"))
    wrong = anthropic.Anthropic(base_url=BASE_URL, api_key="tb_test_wrong")
    raises(anthropic.AuthenticationError, 401, lambda: ask(client=wrong))
    error = raises(anthropic.RateLimitError, 429, lambda: ask("limited", client.with_options(max_retries=0)))
    assert error["code"] == "E002", error
    for model in ["broken", "unauthorised"]:
        error = raises(anthropic.InternalServerError, 503, lambda: ask(model))
        assert error["code"] == "E005", error


def models():
    listed = {model.id: model for model in client.models.list()}
    assert listed["small"].display_name == "small" and listed["small"].created_at.year >= 2025, listed["small"]
    assert client.models.retrieve("small").type == "model"


def batches():
    params = {"model": "small", "max_tokens": 20, "messages": HELLO}
    requests = [{"custom_id": "a", "params": params}, {"custom_id": "b", "params": {**params, "model": "none"}}]
    batch = client.messages.batches.create(requests=requests)
    assert batch.type == "message_batch" and batch.processing_status == "in_progress", batch
    for _ in range(600):
        batch = client.messages.batches.retrieve(batch.id)
        if batch.processing_status == "ended":
            break
        time.sleep(0.05)
    counts = batch.request_counts
    assert (counts.processing, counts.succeeded, counts.errored) == (0, 1, 1), batch
    results = {one.custom_id: one.result for one in client.messages.batches.results(batch.id)}
    assert results["a"].type == "succeeded" and results["a"].message.content[0].text == TEXT, results
    assert results["b"].type == "errored" and results["b"].error.error.type == "not_found_error", results
    assert batch.id in [one.id for one in client.messages.batches.list(limit=1)], "pages end"
    raises(anthropic.BadRequestError, 400, lambda: client.messages.batches.create(requests=[]))
    raises(anthropic.BadRequestError, 400, lambda: client.messages.batches.create(requests=[requests[0]] * 2))
    assert client.messages.batches.delete(batch.id).type == "message_batch_deleted"
    raises(anthropic.NotFoundError, 404, lambda: client.messages.batches.retrieve(batch.id))


def timeouts():
    began = time.monotonic()
    try:
        ask("slow", client.with_options(timeout=0.3, max_retries=0))
        raise AssertionError("no time-out")
    except anthropic.APITimeoutError:
        assert time.monotonic() - began < 2


def broken_stream():
    said = ""
    try:
        for event in ask("cut", stream=True):
            said += event.delta.text if event.type == "content_block_delta" else ""
        raise AssertionError("a cut stream looked whole")
    except anthropic.APIError as error:
        assert said and TEXT.startswith(said) and said != TEXT, said
        assert error.body["error"]["code"] == "E005" and "incomplete" in error.body["error"]["message"], error.body


def abort():
    with ask("hangs", stream=True) as hanging:
        for event in hanging:
            if event.type == "content_block_delta":
                break
        hanging.close()
    assert ask().content[0].text == TEXT


async def many():
    client = anthropic.AsyncAnthropic(base_url=BASE_URL, auth_token=API_KEY)
    asked = [client.messages.create(model="small", messages=HELLO, max_tokens=20) for _ in range(20)]
    for answer in await asyncio.gather(*asked):
        assert answer.content[0].text == TEXT


for test in [plain, stream, tools, picture, counts]:
    for model in MODELS:
        test(model)
    print(test.__name__, "passed")
for test in [large, batches, errors, models, timeouts, broken_stream, abort]:
    test()
    print(test.__name__, "passed")
asyncio.run(many())
print("ok")
