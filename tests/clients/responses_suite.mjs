// The official `openai` client for JavaScript over the Responses API, and the AI SDK
// with its default provider for OpenAI, which speaks it; unchanged but for address
// and key.
//
// Needs BASE_URL and API_KEY in the environment, and the models that
// `tests/it/inference_clients.rs` sets up. Prints `ok` at the end.

import assert from "node:assert/strict";
import { createOpenAI } from "@ai-sdk/openai";
import { APICallError, Output, generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";

const { TEXT, BASE_URL, API_KEY } = process.env;
const client = new OpenAI({ baseURL: BASE_URL, apiKey: API_KEY });
const provider = createOpenAI({ baseURL: BASE_URL, apiKey: API_KEY });
const ask = (model, more = {}) => client.responses.create({ model, input: "hello", max_output_tokens: 20, ...more });
const generate = (model, more = {}) =>
  generateText({ model: provider(model), prompt: "hello", maxOutputTokens: 20, maxRetries: 0, ...more });
const flat = {
  type: "function",
  name: "weather",
  strict: false,
  parameters: { type: "object", properties: { place: { type: "string" } } },
};

async function plain(model) {
  const answer = await ask(model, { instructions: "be brief" });
  assert.equal(answer.output_text, TEXT);
  assert.equal(answer.usage.input_tokens, 11);
  const follow = await ask(model, { previous_response_id: answer.id });
  assert.equal(follow.previous_response_id, answer.id);
}

async function stream(model) {
  let said = "";
  const kinds = [];
  for await (const event of await ask(model, { stream: true })) {
    kinds.push(event.type);
    if (event.type === "response.output_text.delta") said += event.delta;
  }
  assert.equal(said, TEXT);
  assert.equal(kinds.at(-1), "response.completed");
  const helper = client.responses.stream({ model, input: "hello", max_output_tokens: 20 });
  assert.equal((await helper.finalResponse()).output_text, TEXT);
}

async function tools(model) {
  const answer = await ask(model, { tools: [flat] });
  const [call] = answer.output;
  assert.deepEqual(JSON.parse(call.arguments), { place: "Rome" });
  const result = { type: "function_call_output", call_id: call.call_id, output: "sunny" };
  const again = await ask(model, { input: [result], previous_response_id: answer.id });
  assert.equal(again.output_text, TEXT);
}

async function kept(model) {
  const made = await ask(model);
  assert.equal((await client.responses.retrieve(made.id)).output_text, TEXT);
  const listed = [];
  for await (const item of client.responses.inputItems.list(made.id)) listed.push(item.content[0].text);
  assert.deepEqual(listed, ["hello"]);
  await client.responses.delete(made.id);
  await assert.rejects(client.responses.retrieve(made.id), OpenAI.NotFoundError);
}

async function errors() {
  await assert.rejects(ask("none"), OpenAI.NotFoundError);
  await assert.rejects(ask("refuses"), OpenAI.BadRequestError);
  await assert.rejects(ask("unprocessable"), OpenAI.UnprocessableEntityError);
  await assert.rejects(ask("broken"), OpenAI.InternalServerError);
  const cut = async () => {
    for await (const _ of await ask("cut", { stream: true }));
  };
  await assert.rejects(cut(), OpenAI.APIError);
}

async function abort() {
  const hanging = await ask("hangs", { stream: true });
  for await (const event of hanging) if (event.type === "response.output_text.delta") break;
  hanging.controller.abort();
  assert.equal((await ask("small")).output_text, TEXT);
}

async function long() {
  assert.equal((await ask("large", { input: "long ".repeat(200_000) })).output_text, TEXT);
}

async function sdkPlain(model) {
  const answer = await generate(model, { system: "be brief" });
  assert.equal(answer.text, TEXT);
  assert.equal(answer.usage.inputTokens, 11);
  // What the model said goes back as a reference to its item.
  const messages = [{ role: "user", content: "hello" }, ...answer.response.messages, { role: "user", content: "and?" }];
  const again = await generate(model, { prompt: undefined, messages });
  assert.equal(again.text, TEXT);
}

async function sdkStream(model) {
  const result = streamText({ model: provider(model), prompt: "hello", maxOutputTokens: 20 });
  let said = "";
  for await (const piece of result.textStream) said += piece;
  assert.equal(said, TEXT);
  assert.equal((await result.usage).outputTokens, 7);
}

async function sdkTools(model) {
  const places = [];
  const weather = tool({
    description: "Weather of a place",
    inputSchema: z.object({ place: z.string() }),
    execute: async ({ place }) => places.push(place) && "sunny",
  });
  const answer = await generate(model, { tools: { weather }, stopWhen: stepCountIs(2) });
  // The fake calls as long as it is given tools.
  assert.deepEqual(places, ["Rome", "Rome"]);
  assert.equal(answer.steps.length, 2);
}

async function sdkStructured() {
  const { output } = await generate("json", { output: Output.object({ schema: z.object({ a: z.number() }) }) });
  assert.deepEqual(output, { a: 1 });
}

async function sdkErrors() {
  for (const [model, status] of [["none", 404], ["refuses", 400], ["unprocessable", 422], ["broken", 503]]) {
    await assert.rejects(generate(model), (error) => APICallError.isInstance(error) && error.statusCode === status);
  }
  const seen = [];
  const cut = streamText({ model: provider("cut"), prompt: "hello", onError: ({ error }) => seen.push(error) });
  for await (const _ of cut.textStream);
  assert.equal(seen.length > 0, true);
}

async function sdkAbort() {
  const controller = new AbortController();
  const result = streamText({
    model: provider("hangs"), prompt: "hello", abortSignal: controller.signal, onError: () => {},
  });
  for await (const _ of result.textStream) controller.abort();
  assert.equal((await generate("small")).text, TEXT);
}

async function sdkLong() {
  assert.equal((await generate("large", { prompt: "long ".repeat(200_000) })).text, TEXT);
}

// One provider speaks chat, the other the API itself.
for (const test of [plain, stream, tools, kept, sdkPlain, sdkStream, sdkTools]) {
  for (const model of ["small", "native"]) await test(model);
  console.log(test.name, "passed");
}
for (const test of [errors, abort, long, sdkStructured, sdkErrors, sdkAbort, sdkLong]) {
  await test();
  console.log(test.name, "passed");
}
console.log("ok");
