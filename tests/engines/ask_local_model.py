"""Asks a model that runs on this machine through a Tollbridge server, and checks answers and charges: ADDRESS KEY."""

import json
import sys
import time
import urllib.error
import urllib.request

address, key = sys.argv[1:3]


def send(path, body=None):
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    data = json.dumps(body).encode() if body else None
    return urllib.request.urlopen(urllib.request.Request(address + path, data, headers), timeout=300)


def chat(**members):
    messages = [{"role": "user", "content": "What is the capital of France? Answer in one word."}]
    return send("/v1/chat/completions", {"model": "smollm2-135m", "max_tokens": 24, "temperature": 0, "messages": messages, **members})


refused = 0
while True:
    try:
        with chat() as response:
            headers, answer = response.headers, json.load(response)
        break
    except urllib.error.HTTPError as error:
        body = error.read().decode()
        assert error.code == 503 and "E005" in body, f"{error.code} {body}"
        refused += 1
        time.sleep(min(float(error.headers["retry-after"]), 1))
text, usage = answer["choices"][0]["message"]["content"], answer["usage"]
assert "Paris" in text, text
assert usage["completion_tokens"] > 0 and float(headers["x-charged-gbp"]) > 0, (usage, dict(headers))

with chat(stream=True) as response:
    events = [line[6:] for line in response.read().decode().splitlines() if line.startswith("data: ")]
assert events[-1] == "[DONE]", events[-3:]
parts = [json.loads(event) for event in events[:-1]]
streamed = "".join(part["choices"][0]["delta"].get("content") or "" for part in parts if part["choices"])
assert streamed.strip() == text.strip(), (streamed, text)

with send("/v1/usage") as response:
    total = json.load(response)["total"]
assert total["requests"] == 2, total
print(f"smollm2-135m said {text!r}; {refused} requests were refused while it started; usage {total}")
