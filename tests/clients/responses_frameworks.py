"""LangChain and LiteLLM over the Responses API, unchanged but for address and key.

Needs BASE_URL and API_KEY in the environment, and the models that
`tests/it/inference_clients.rs` sets up. Prints `ok` at the end.
"""

import json
import os

# It would otherwise look for prices on the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
import openai
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

TEXT = os.environ["TEXT"]
BASE_URL, API_KEY = os.environ["BASE_URL"], os.environ["API_KEY"]


class Counted(BaseModel):
    """A number."""

    a: int


@tool
def weather(place: str) -> str:
    """Weather of a place"""
    return f"sunny in {place}"


def langchain(model="small", **more):
    return ChatOpenAI(
        model=model, base_url=BASE_URL, api_key=API_KEY, use_responses_api=True, max_tokens=20, max_retries=0, **more
    )


def text_of(message):
    return message.text if isinstance(message.text, str) else message.text()


def langchain_plain():
    for model in ["small", "native"]:
        answer = langchain(model).invoke("hello")
        assert text_of(answer) == TEXT, answer
        assert answer.usage_metadata["input_tokens"] == 11, answer.usage_metadata
        follow = langchain(model).invoke("and?", previous_response_id=answer.response_metadata["id"])
        assert text_of(follow) == TEXT, follow


def langchain_stream():
    for model in ["small", "native"]:
        said = "".join(text_of(chunk) for chunk in langchain(model).stream("hello"))
        assert said == TEXT, said


def langchain_tools():
    for model in ["small", "native"]:
        bound = langchain(model).bind_tools([weather])
        question = HumanMessage("weather?")
        answer = bound.invoke([question])
        call = answer.tool_calls[0]
        assert call["name"] == "weather" and call["args"] == {"place": "Rome"}, call
        result = ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"])
        assert text_of(langchain(model).invoke([question, answer, result])) == TEXT


def langchain_structured():
    answer = langchain("json").with_structured_output(Counted, method="json_schema").invoke("hello")
    assert answer == Counted(a=1), answer


def langchain_errors():
    for model, kind in [("none", openai.NotFoundError), ("refuses", openai.BadRequestError),
                        ("broken", openai.InternalServerError)]:
        try:
            langchain(model).invoke("hello")
            raise AssertionError(f"{model}: no error")
        except kind:
            pass


def langchain_abort():
    for chunk in langchain("hangs").stream("hello"):
        if text_of(chunk):
            break
    assert text_of(langchain().invoke("hello")) == TEXT


def langchain_long():
    assert text_of(langchain("large").invoke("long " * 200_000)) == TEXT


def lite(model="small", **more):
    options = {"input": "hello", "max_output_tokens": 20, "num_retries": 0, **more}
    return litellm.responses(model=f"openai/{model}", api_base=BASE_URL, api_key=API_KEY, **options)


def said(response):
    parts = [part for item in response.output if item.type == "message" for part in item.content]
    return "".join(part.text for part in parts)


def lite_plain():
    for model in ["small", "native"]:
        answer = lite(model, instructions="be brief")
        assert said(answer) == TEXT and answer.usage.input_tokens == 11, answer


def lite_stream():
    for model in ["small", "native"]:
        events = list(lite(model, stream=True))
        text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
        assert text == TEXT and events[-1].type == "response.completed", events[-1]


def lite_tools():
    flat = {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}}
    for model in ["small", "native"]:
        call = lite(model, tools=[flat]).output[0]
        assert call.type == "function_call" and json.loads(call.arguments) == {"place": "Rome"}, call


def lite_errors():
    for model, kind in [("none", litellm.NotFoundError), ("refuses", litellm.BadRequestError)]:
        try:
            lite(model)
            raise AssertionError(f"{model}: no error")
        except kind:
            pass


def lite_long():
    assert said(lite("large", input="long " * 200_000)) == TEXT


for test in [langchain_plain, langchain_stream, langchain_tools, langchain_structured, langchain_errors,
             langchain_abort, langchain_long, lite_plain, lite_stream, lite_tools, lite_errors, lite_long]:
    test()
    print(test.__name__, "passed")
print("ok")
