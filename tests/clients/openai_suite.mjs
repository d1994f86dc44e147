// Calls of the official `openai` client for JavaScript, unchanged but for
// address and key; the same models as openai_suite.py. Prints `ok` at the end.
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const { BASE_URL, API_KEY, TEXT } = process.env;
const client = new OpenAI({ baseURL: BASE_URL, apiKey: API_KEY });
const messages = [{ role: 'user', content: 'hello' }];
const ask = (model, more = {}, options = {}) =>
  client.chat.completions.create({ model, messages, max_tokens: 20, ...more }, options);

const answer = await ask('small');
assert.equal(answer.choices[0].message.content, TEXT);
assert.equal(answer.usage.total_tokens, 18);

let said = '';
for await (const chunk of await ask('small', { stream: true })) said += chunk.choices[0]?.delta?.content ?? '';
assert.equal(said, TEXT);

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
const called = await ask('small', { tools });
assert.equal(called.choices[0].message.tool_calls[0].function.name, 'weather');

const made = await client.embeddings.create({ model: 'vectors', input: ['a', 'b'], encoding_format: 'float' });
assert.equal(made.data.length, 2);

const ids = [];
for await (const model of client.models.list()) ids.push(model.id);
assert.ok(ids.includes('small'));

await assert.rejects(ask('none'), OpenAI.NotFoundError);
await assert.rejects(ask('refuses'), OpenAI.BadRequestError);
await assert.rejects(ask('broken'), (error) => error instanceof OpenAI.InternalServerError && error.status === 503);
await assert.rejects(
  new OpenAI({ baseURL: BASE_URL, apiKey: 'tb_test_wrong' }).models.list(), OpenAI.AuthenticationError);
await assert.rejects(ask('slow', {}, { timeout: 300, maxRetries: 0 }), OpenAI.APIConnectionTimeoutError);

said = '';
await assert.rejects(async () => {
  for await (const chunk of await ask('cut', { stream: true })) said += chunk.choices[0]?.delta?.content ?? '';
}, OpenAI.APIError);
assert.ok(said.length > 0 && TEXT.startsWith(said) && said !== TEXT);

const abort = new AbortController();
const hanging = await ask('hangs', { stream: true }, { signal: abort.signal });
for await (const chunk of hanging) {
  if (chunk.choices[0]?.delta?.content) {
    abort.abort();
    break;
  }
}
assert.equal((await ask('small')).choices[0].message.content, TEXT);
console.log('ok');
