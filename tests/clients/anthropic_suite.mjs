// Calls of the official `@anthropic-ai/sdk` client, unchanged but for address and key.
//
// Needs BASE_URL and API_KEY in the environment, and the models that
// `tests/it/inference_clients.rs` sets up. Prints `ok` at the end.

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";

const { TEXT, BASE_URL, API_KEY } = process.env;
const client = new Anthropic({ baseURL: BASE_URL.replace(/\/v1$/, ""), apiKey: API_KEY });
const messages = [{ role: "user", content: "hello" }];
const ask = (model = "small", more = {}, options = {}) =>
  client.messages.create({ model, messages, max_tokens: 20, ...more }, options);
const tool = {
  name: "weather",
  description: "Weather of a place",
  input_schema: { type: "object", properties: { place: { type: "string" } }, required: ["place"] },
};

async function raises(kind, status, call) {
  try {
    await call();
  } catch (error) {
    assert.ok(error instanceof kind, `${error}`);
    assert.equal(error.status, status);
    return error.error.error;
  }
  assert.fail(`no ${kind.name}`);
}

async function plain(model) {
  const answer = await ask(model, { system: "be brief" });
  assert.equal(answer.content[0].text, TEXT);
  assert.deepEqual([answer.usage.input_tokens, answer.usage.output_tokens], [11, 7]);
}

async function stream(model) {
  const final = await client.messages.stream({ model, messages, max_tokens: 20 }).finalMessage();
  assert.equal(final.content[0].text, TEXT);
  assert.equal(final.stop_reason, "end_turn");
}

async function tools(model) {
  const answer = await ask(model, { tools: [tool], tool_choice: { type: "tool", name: "weather" } });
  assert.deepEqual(answer.content[0].input, { place: "Rome" });
  const results = [{ type: "tool_result", tool_use_id: answer.content[0].id, content: "sunny" }];
  const turns = [...messages, { role: "assistant", content: answer.content }, { role: "user", content: results }];
  assert.equal((await ask(model, { messages: turns })).content[0].text, TEXT);
}

async function counts(model) {
  assert.ok((await client.messages.countTokens({ model, messages })).input_tokens > 0);
}

async function errors() {
  const empty = await raises(Anthropic.BadRequestError, 400, () => ask("small", { messages: [] }));
  assert.equal(empty.code, "E011");
  const unknown = await raises(Anthropic.NotFoundError, 404, () => ask("none"));
  assert.ok(unknown.message.includes("no model `none`"), unknown.message);
  await raises(Anthropic.RateLimitError, 429, () => ask("limited", {}, { maxRetries: 0 }));
  await raises(Anthropic.InternalServerError, 503, () => ask("broken"));
  const wrong = new Anthropic({ baseURL: BASE_URL.replace(/\/v1$/, ""), apiKey: "tb_test_wrong" });
  await raises(Anthropic.AuthenticationError, 401, () => wrong.models.list());
}

async function large() {
  const turns = [{ role: "user", content: "x".repeat(1 << 20) }];
  assert.equal((await ask("large", { messages: turns })).content[0].text, TEXT);
}

async function brokenStream() {
  let said = "";
  await assert.rejects(async () => {
    for await (const event of await ask("cut", { stream: true })) said += event.delta?.text ?? "";
  }, /incomplete/);
  assert.ok(said.length > 0 && TEXT.startsWith(said) && said !== TEXT);
}

async function abort() {
  const abort = new AbortController();
  for await (const event of await ask("hangs", { stream: true }, { signal: abort.signal })) {
    if (event.type === "content_block_delta") {
      abort.abort();
      break;
    }
  }
  assert.equal((await ask()).content[0].text, TEXT);
}

for (const test of [plain, stream, tools, counts]) for (const model of ["small", "claude"]) await test(model);
for (const test of [errors, large, brokenStream, abort]) await test();
console.log("ok");
