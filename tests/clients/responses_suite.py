"""Calls of the Responses API with the official `openai` client, unchanged but for
address and key.

Needs BASE_URL and API_KEY in the environment, and the models that
`tests/it/inference_clients.rs` sets up. Prints `ok` at the end.
"""

import asyncio
import json
import os

import openai
from pydantic import BaseModel

TEXT = os.environ["TEXT"]
BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]
TOOL = {
    "type": "function",
    "name": "weather",
    "description": "Weather of a place",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"place": {"type": "string"}},
        "required": ["place"],
        "additionalProperties": False,
    },
}
client = openai.OpenAI(base_url=BASE_URL, api_key=API_KEY)


class Counted(BaseModel):
    a: int


def ask(model="small", **more):
    return client.responses.create(model=model, **{"input": "hello", "max_output_tokens": 20, **more})


def raises(kind, status, call):
    try:
        call()
    except kind as error:
        assert type(error) is kind, type(error)
        assert error.status_code == status, error.status_code
        return error
    raise AssertionError(f"no {kind.__name__}")


def plain(model):
    answer = ask(model, instructions="be brief", metadata={"a": "b"}, temperature=0.5)
    assert answer.output_text == TEXT and answer.status == "completed", answer
    assert answer.usage.input_tokens == 11 and answer.usage.output_tokens == 7, answer.usage
    assert answer.metadata == {"a": "b"} and answer.id.startswith("resp_")
    assert answer.error is None and answer.incomplete_details is None and answer.parallel_tool_calls is True


def stream(model):
    events = list(ask(model, stream=True))
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[0].type == "response.created" and events[-1].type == "response.completed", events[-1]
    said = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert said == TEXT == events[-1].response.output_text, said
    assert events[0].response.id == events[-1].response.id
    with client.responses.stream(model=model, input="hello", max_output_tokens=20) as helper:
        for _ in helper:
            pass
        assert helper.get_final_response().output_text == TEXT


def tools(model):
    answer = ask(model, tools=[TOOL], tool_choice="auto", parallel_tool_calls=False)
    call = answer.output[0]
    assert call.type == "function_call" and json.loads(call.arguments) == {"place": "Rome"}, call
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
    assert ask(model, input=[result], previous_response_id=answer.id).output_text == TEXT
    # The same with everything sent again, as a client does that keeps nothing.
    again = [{"role": "user", "content": "hello"}, call, result]
    assert ask(model, input=again, store=False).output_text == TEXT


def structured():
    answer = client.responses.parse(model="json", input="hello", text_format=Counted, max_output_tokens=20)
    assert answer.output_parsed == Counted(a=1), answer
    with client.responses.stream(model="json", input="hello", text_format=Counted, max_output_tokens=20) as helper:
        for _ in helper:
            pass
        assert helper.get_final_response().output_parsed == Counted(a=1)


def kept(model):
    made = ask(model, input=[{"role": "user", "content": name} for name in ["one", "two", "three"]])
    read = client.responses.retrieve(made.id)
    assert read.output_text == TEXT and read.id == made.id
    listed = [item.content[0].text for item in client.responses.input_items.list(made.id, limit=2)]
    assert listed == ["three", "two", "one"], listed
    listed = [item.content[0].text for item in client.responses.input_items.list(made.id, order="asc")]
    assert listed == ["one", "two", "three"], listed
    client.responses.delete(made.id)
    raises(openai.NotFoundError, 404, lambda: client.responses.retrieve(made.id))
    raises(openai.NotFoundError, 404, lambda: client.responses.input_items.list(made.id))
    raises(openai.BadRequestError, 400, lambda: ask(model, previous_response_id=made.id))


def picture(model):
    parts = [{"type": "input_text", "text": "what?"}, {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]
    assert ask(model, input=[{"role": "user", "content": parts}]).output_text == TEXT


def errors():
    raises(openai.BadRequestError, 400, lambda: ask(input=[]))
    raises(openai.BadRequestError, 400, lambda: ask(tools=[{"type": "web_search"}]))
    raises(openai.BadRequestError, 400, lambda: ask(background=True))
    raises(openai.NotFoundError, 404, lambda: ask("none"))
    raises(openai.BadRequestError, 400, lambda: ask("refuses"))
    raises(openai.UnprocessableEntityError, 422, lambda: ask("unprocessable"))
    wrong = openai.OpenAI(base_url=BASE_URL, api_key="tb_test_wrong")
    raises(openai.AuthenticationError, 401, lambda: wrong.responses.create(model="small", input="hello"))
    error = raises(openai.RateLimitError, 429, lambda: client.with_options(max_retries=0).responses.create(
        model="limited", input="hello", max_output_tokens=20))
    assert error.code == "E002" and int(error.response.headers["retry-after"]) > 0, error.body
    for model in ["broken", "unauthorised"]:
        error = raises(openai.InternalServerError, 503, lambda: ask(model))
        assert error.response.request.headers["x-stainless-retry-count"] == "0", model


def broken_stream():
    said = ""
    try:
        for event in ask("cut", stream=True):
            said += event.delta if event.type == "response.output_text.delta" else ""
        raise AssertionError("a cut stream looked whole")
    except openai.APIError as error:
        assert said and TEXT.startswith(said) and said != TEXT, said
        assert "incomplete" in error.message and error.code == "E005", (error.message, error.code)


def abort():
    with ask("hangs", stream=True) as hanging:
        for event in hanging:
            if event.type == "response.output_text.delta":
                break
        hanging.close()
    assert ask().output_text == TEXT


def long_input():
    answer = ask("large", input="long " * 200_000)
    assert answer.output_text == TEXT
    assert ask("large", input="and?", previous_response_id=answer.id).output_text == TEXT


async def many():
    client = openai.AsyncOpenAI(base_url=BASE_URL, api_key=API_KEY)
    asked = [client.responses.create(model="small", input="hello", max_output_tokens=20) for _ in range(20)]
    for answer in await asyncio.gather(*asked):
        assert answer.output_text == TEXT


# One provider speaks chat, the other the API itself.
for test in [plain, stream, tools, kept, picture]:
    for model in ["small", "native"]:
        test(model)
    print(test.__name__, "passed")
for test in [structured, errors, broken_stream, abort, long_input]:
    test()
    print(test.__name__, "passed")
asyncio.run(many())
print("ok")
