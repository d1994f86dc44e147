"""Calls of the official `openai` client, unchanged but for address and key.

Needs BASE_URL and API_KEY in the environment, and the models that
`tests/it/inference_clients.rs` sets up. Prints `ok` at the end.
"""

import asyncio
import io
import json
import os
import time
import wave

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
    # The client asks for base64 unless it is told otherwise.
    for more in [{}, {"encoding_format": "float"}, {"dimensions": 3}]:
        made = client.embeddings.create(model="vectors", input=["a", "b"], **more)
        vectors = [one.embedding for one in sorted(made.data, key=lambda one: one.index)]
        assert vectors == [[0.5, 0.25, 0], [0.5, 0.25, 1]], vectors
        assert made.usage.prompt_tokens == 11
    raw = client.embeddings.with_raw_response.create(model="vectors", input="a", encoding_format="base64")
    assert isinstance(raw.http_response.json()["data"][0]["embedding"], str)


def completions():
    answer = client.completions.create(model="small", prompt="hello", max_tokens=20)
    assert answer.choices[0].text == TEXT and answer.choices[0].finish_reason == "stop", answer
    assert answer.object == "text_completion" and answer.usage.total_tokens == 18
    chunks = list(client.completions.create(model="small", prompt="hello", max_tokens=20, stream=True))
    assert "".join(chunk.choices[0].text for chunk in chunks) == TEXT
    error = raises(openai.BadRequestError, 400, lambda: client.completions.create(model="small", prompt="x", echo=True))
    assert error.param == "echo", error.body


def speech():
    spoken = client.audio.speech.with_raw_response.create(model="voice", voice="alloy", input="h\u00e9llo")
    assert spoken.content == b"ID3 la la" and spoken.headers["content-type"] == "audio/mpeg", spoken.headers
    # Five characters at a dollar for a million of them.
    assert spoken.headers["x-cost-gbp"] == "0.00001" and spoken.headers["x-worm-seal"], spoken.headers
    again = client.audio.speech.create(model="voice", voice="alloy", input="x", response_format="wav")
    assert again.response.headers["content-type"] == "audio/wav"
    error = raises(openai.BadRequestError, 400, lambda: client.audio.speech.create(
        model="voice", voice="alloy", input="x", response_format="midi"))
    assert error.param == "response_format", error.body
    raises(openai.BadRequestError, 400, lambda: client.audio.speech.create(
        model="voice", voice="alloy", input="x" * 100_001))


def recording(seconds):
    """A WAV file of so many seconds of silence."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(16000 * seconds))
    return ("hello.wav", file.getvalue(), "audio/wav")


def transcription():
    ask = client.audio.transcriptions.with_raw_response.create
    raw = ask(model="scribe", file=recording(3), language="en")
    assert raw.parse().text == "la la", raw.text
    # Three seconds at a cent each, 0.79 pounds for a dollar.
    assert raw.headers["x-cost-gbp"] == "0.02370" and raw.headers["x-worm-seal"], raw.headers
    raw = ask(model="scribe", file=recording(3), response_format="srt")
    assert raw.text.startswith("1\n00:00:00,000") and raw.headers["content-type"].startswith("text/plain"), raw.headers
    verbose = client.audio.transcriptions.create(
        model="scribe", file=recording(3), response_format="verbose_json", timestamp_granularities=["word", "segment"])
    assert verbose.text == "la la" and float(verbose.duration) == 2.97
    # The same recording in another form, with the same key, is the same request.
    headers = {"Idempotency-Key": "the-recording-of-monday"}
    first, second = (ask(model="scribe", file=recording(2), extra_headers=headers) for _ in range(2))
    assert second.headers["idempotent-replayed"] == "true" and second.text == first.text
    refused = lambda **more: raises(openai.BadRequestError, 400, lambda: client.audio.transcriptions.create(
        **{"model": "scribe", "file": recording(1), **more}))
    assert refused(file=("a.wav", b"no sound")).param == "file"
    assert refused(response_format="tex").param == "response_format"
    raises(openai.NotFoundError, 404, lambda: client.audio.transcriptions.create(model="small", file=recording(1)))


def images():
    ask = client.images.with_raw_response.generate
    raw = ask(model="camera", prompt="a cat", n=2)
    assert [image.b64_json for image in raw.parse().data] == ["aW1hZ2U="] * 2
    assert raw.headers["x-cost-gbp"] == "0.06320" and raw.headers["x-worm-seal"], raw.headers
    # Five tokens at a dollar for a million, thirty at two.
    raw = ask(model="painter", prompt="a cat", size="1024x1024")
    assert raw.headers["x-cost-gbp"] == "0.00006", raw.headers
    refused = lambda **more: raises(openai.BadRequestError, 400, lambda: client.images.generate(
        **{"model": "camera", "prompt": "a cat", **more}))
    assert refused(n=5).param == "n" and refused(prompt="").param == "prompt"
    listed = {model.id: model.model_dump() for model in client.models.list()}
    assert listed["camera"]["kind"] == "image" and listed["camera"]["providers"][0]["pricing"]["usd_per_image"] == "0.04"
    assert listed["scribe"]["providers"][0]["pricing"]["usd_per_minute"] == "0.6", listed["scribe"]


def wait_for(batch):
    for _ in range(600):
        batch = client.batches.retrieve(batch.id)
        if batch.status in ("completed", "failed", "expired", "cancelled"):
            return batch
        time.sleep(0.05)
    raise AssertionError(f"the batch does not end: {batch}")


def lines_of(file_id):
    return [json.loads(line) for line in client.files.content(file_id).text.splitlines()]


def batches():
    body = {"model": "small", "messages": HELLO, "max_tokens": 20}
    line = lambda name, body: {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}
    lines = [line("a", body), line("b", body), line("c", {**body, "model": "none"})]
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    file = client.files.create(file=("in.jsonl", content), purpose="batch")
    assert (file.object, file.bytes, file.purpose, file.filename) == ("file", len(content), "batch", "in.jsonl"), file
    assert client.files.wait_for_processing(file.id).status == "processed"
    assert client.files.content(file.id).read() == content
    assert file.id in [one.id for one in client.files.list(purpose="batch", limit=1)], "pages end"
    short = client.files.create(
        file=("x.jsonl", b"{}\n"), purpose="batch", expires_after={"anchor": "created_at", "seconds": 3600})
    assert short.expires_at == short.created_at + 3600, short
    batch = client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={"job": "x"})
    assert batch.object == "batch" and batch.metadata == {"job": "x"} and batch.errors is None, batch
    batch = wait_for(batch)
    counts = batch.request_counts
    assert (batch.status, counts.total, counts.completed, counts.failed) == ("completed", 3, 2, 1), batch
    answers = {one["custom_id"]: one["response"] for one in lines_of(batch.output_file_id)}
    assert sorted(answers) == ["a", "b"] and answers["a"]["status_code"] == 200, answers
    assert answers["a"]["body"]["choices"][0]["message"]["content"] == TEXT
    [refused] = lines_of(batch.error_file_id)
    assert refused["custom_id"] == "c" and refused["response"]["body"]["error"]["code"] == "E004", refused
    assert batch.id in [one.id for one in client.batches.list(limit=1)], "pages end"
    # A file whose lines are wrong asks nothing.
    failed = wait_for(client.batches.create(
        input_file_id=short.id, endpoint="/v1/chat/completions", completion_window="24h"))
    assert failed.status == "failed" and failed.errors.data[0].line == 1, failed
    assert failed.errors.data[0].code == "missing_required_parameter", failed.errors
    error = raises(openai.BadRequestError, 400, lambda: client.batches.cancel(failed.id))
    assert "failed" in error.message, error.message
    slow = json.dumps(line("a", {**body, "model": "slow"})) + "\n" + json.dumps(line("b", body)) + "\n"
    waiting = client.files.create(file=slow.encode(), purpose="batch")
    batch = client.batches.create(
        input_file_id=waiting.id, endpoint="/v1/chat/completions", completion_window="24h")
    assert client.batches.cancel(batch.id).status in ("cancelling", "cancelled")
    assert wait_for(batch).status == "cancelled"
    error = raises(openai.BadRequestError, 400, lambda: client.files.create(file=b"x", purpose="assistants"))
    assert error.param == "purpose", error.body
    assert client.files.delete(file.id).deleted
    raises(openai.NotFoundError, 404, lambda: client.files.retrieve(file.id))
    raises(openai.NotFoundError, 404, lambda: client.batches.retrieve("batch_none"))


def models():
    listed = {model.id: model for model in client.models.list()}
    assert listed["small"].object == "model" and listed["small"].owned_by == "good"
    assert client.models.retrieve("good/small").id == "good/small"
    raises(openai.NotFoundError, 404, lambda: client.models.retrieve("none"))


def errors():
    raises(openai.BadRequestError, 400, lambda: client.chat.completions.create(model="small", messages=[]))
    error = raises(openai.NotFoundError, 404, lambda: ask("none"))
    assert (error.code, error.type, error.param) == ("E004", "invalid_request_error", None), error.body
    assert "there is no model `none`" in error.message, error.message
    error = raises(openai.BadRequestError, 400, lambda: ask(n=0))
    assert (error.code, error.param) == ("E011", "n"), error.body
    raises(openai.BadRequestError, 400, lambda: ask("refuses"))
    raises(openai.UnprocessableEntityError, 422, lambda: ask("unprocessable"))
    wrong = openai.OpenAI(base_url=BASE_URL, api_key="tb_test_wrong")
    error = raises(openai.AuthenticationError, 401, lambda: wrong.models.list())
    assert error.code == "E001" and error.type == "authentication_error", error.body
    error = raises(openai.NotFoundError, 404, lambda: client.moderations.create(input="a cat"))
    assert error.code == "E012" and "chat completions" in error.message, error.message
    error = raises(openai.RateLimitError, 429, lambda: client.with_options(max_retries=0).chat.completions.create(
        model="limited", messages=HELLO, max_tokens=20))
    assert error.code == "E002" and int(error.response.headers["retry-after"]) > 0, error.body
    error = raises(openai.APIStatusError, 402, lambda: ask(extra_body={"max_cost_gbp": "0.00"}))
    assert error.code == "E003" and error.type == "insufficient_quota", error.body
    # Every provider was tried: the client, which would repeat twice, does not.
    for model in ["broken", "unauthorised"]:
        error = raises(openai.InternalServerError, 503, lambda: ask(model))
        assert error.response.headers["x-should-retry"] == "false", model
        assert error.response.request.headers["x-stainless-retry-count"] == "0", model
        assert error.code == "E005" and error.type == "server_error", error.body


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
    except openai.APIError as error:
        assert said and TEXT.startswith(said) and said != TEXT
        assert "incomplete" in error.message and error.code == "E005", (error.message, error.code)


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


for test in [chat, stream, tools, json_mode, picture, embeddings, completions, speech, transcription, images, batches, models, errors, timeouts, broken_stream, abort]:
    test()
    print(test.__name__, "passed")
asyncio.run(many())
print("ok")
