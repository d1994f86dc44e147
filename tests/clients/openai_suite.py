"""Calls of the official `openai` client, unchanged but for address and key.

Needs BASE_URL and API_KEY in the environment, and the models that
`tests/it/inference_clients.rs` sets up. Prints `ok` at the end.
"""

import asyncio
import os
import time

import openai

TEXT = os.environ["TEXT"]
BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]
HELLO = [{"role": "user", "content": "hello"}]
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "Weather of a place",
        "parameters": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
    },
}
client = openai.OpenAI(base_url=BASE_URL, api_key=API_KEY)


def ask(model="small", **more):
    return client.chat.completions.create(model=model, messages=HELLO, max_tokens=20, **more)


def raises(kind, status, call):
    try:
        call()
    except kind as error:
        assert type(error) is kind, type(error)
        assert error.status_code == status, error.status_code
        assert error.request_id and error.request_id.startswith("req_"), error.request_id
        return error
    raise AssertionError(f"no {kind.__name__}")


def chat():
    answer = ask(temperature=0.5, seed=7, user="u", extra_body={"a_new_member": 1})
    assert answer.choices[0].message.content == TEXT and answer.choices[0].finish_reason == "stop"
    assert answer.usage.prompt_tokens == 11 and answer.usage.total_tokens == 18
    raw = client.chat.completions.with_raw_response.create(model="small", messages=HELLO, max_tokens=20)
    assert raw.headers["x-provider"] == "good" and raw.headers["x-attempts"] == "1", raw.headers
    assert raw.parse().choices[0].message.content == TEXT


def stream():
    chunks = list(ask(stream=True))
    said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert said == TEXT, said
    assert all(chunk.usage is None for chunk in chunks)
    chunks = list(ask(stream=True, stream_options={"include_usage": True}))
    assert chunks[-1].usage.completion_tokens == 7 and not chunks[-1].choices
    with client.chat.completions.stream(model="small", messages=HELLO, max_tokens=20) as helper:
        for _ in helper:
            pass
        assert helper.get_final_completion().choices[0].message.content == TEXT


def tools():
    answer = ask(tools=[TOOL], tool_choice="auto")
    call = answer.choices[0].message.tool_calls[0]
    assert answer.choices[0].finish_reason == "tool_calls"
    assert (call.function.name, call.function.arguments) == ("weather", '{"place":"Rome"}')
    messages = [*HELLO, answer.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "sunny"}]
    again = client.chat.completions.create(model="small", messages=messages, max_tokens=20)
    assert again.choices[0].message.content == TEXT


def json_mode():
    answer = ask(model="json", response_format={"type": "json_object"})
    assert answer.choices[0].message.content == '{"a": 1}', answer


def picture():
    parts = [{"type": "text", "text": "what?"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]
    answer = client.chat.completions.create(model="small", messages=[{"role": "user", "content": parts}], max_tokens=5)
    assert answer.choices[0].message.content == TEXT


def embeddings():
    made = client.embeddings.create(model="vectors", input=["a", "b"], encoding_format="float")
    assert [one.index for one in sorted(made.data, key=lambda one: one.index)] == [0, 1]
    assert made.usage.prompt_tokens == 11


def models():
    listed = {model.id: model for model in client.models.list()}
    assert listed["small"].object == "model" and listed["small"].owned_by == "good"
    assert client.models.retrieve("good/small").id == "good/small"
    raises(openai.NotFoundError, 404, lambda: client.models.retrieve("none"))


def errors():
    raises(openai.BadRequestError, 400, lambda: client.chat.completions.create(model="small", messages=[]))
    error = raises(openai.NotFoundError, 404, lambda: ask("none"))
    assert error.response.json()["code"] == "E004" and isinstance(error.response.json()["error"], str)
    raises(openai.BadRequestError, 400, lambda: ask("refuses"))
    raises(openai.UnprocessableEntityError, 422, lambda: ask("unprocessable"))
    wrong = openai.OpenAI(base_url=BASE_URL, api_key="tb_test_wrong")
    raises(openai.AuthenticationError, 401, lambda: wrong.models.list())
    # Every provider was tried: the client, which would repeat twice, does not.
    for model in ["broken", "unauthorised", "limited"]:
        error = raises(openai.InternalServerError, 503, lambda: ask(model))
        assert error.response.headers["x-should-retry"] == "false", model
        assert error.response.request.headers["x-stainless-retry-count"] == "0", model
        assert error.response.json()["code"] == "E005", model


def timeouts():
    began = time.monotonic()
    try:
        client.with_options(timeout=0.3, max_retries=0).chat.completions.create(
            model="slow", messages=HELLO, max_tokens=20)
        raise AssertionError("no time-out")
    except openai.APITimeoutError:
        assert time.monotonic() - began < 2


def broken_stream():
    said = ""
    try:
        for chunk in ask("cut", stream=True):
            said += chunk.choices[0].delta.content or ""
        raise AssertionError("a cut stream looked whole")
    except openai.APIError:
        assert said and TEXT.startswith(said) and said != TEXT


def abort():
    with ask("hangs", stream=True) as hanging:
        for chunk in hanging:
            if chunk.choices[0].delta.content:
                break
        hanging.close()
    assert ask().choices[0].message.content == TEXT


async def many():
    client = openai.AsyncOpenAI(base_url=BASE_URL, api_key=API_KEY)
    asked = [client.chat.completions.create(model="small", messages=HELLO, max_tokens=20) for _ in range(20)]
    for answer in await asyncio.gather(*asked):
        assert answer.choices[0].message.content == TEXT


for test in [chat, stream, tools, json_mode, picture, embeddings, models, errors, timeouts, broken_stream, abort]:
    test()
    print(test.__name__, "passed")
asyncio.run(many())
print("ok")
