// Calls of the official `openai` client for JavaScript, unchanged but for
// address and key; the same models and the same calls as openai_suite.py.
// Prints `ok` at the end.
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const { BASE_URL, API_KEY, TEXT } = process.env;
const client = new OpenAI({ baseURL: BASE_URL, apiKey: API_KEY });
const messages = [{ role: 'user', content: 'hello' }];
const ask = (model = 'small', more = {}, options = {}) =>
  client.chat.completions.create({ model, messages, max_tokens: 20, ...more }, options);
const text = (answer) => answer.choices[0].message.content;
const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };

/** The error of a call, which must be of exactly this kind. */
async function raises(kind, status, call) {
  const error = await call().then(() => assert.fail(`no ${kind.name}`), (error) => error);
  assert.equal(error.constructor, kind, `${error}`);
  assert.equal(error.status, status);
  assert.match(error.requestID, /^req_/);
  return error;
}

/** A WAV file of so many seconds of silence. */
function wav(seconds) {
  const bytes = Buffer.alloc(44 + 16000 * seconds);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + 16000 * seconds, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8000, 24);
  bytes.writeUInt32LE(16000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(16000 * seconds, 40);
  return bytes;
}

const tests = {
  async chat() {
    const answer = await ask('small', { temperature: 0.5, seed: 7, user: 'u', a_new_member: 1 });
    assert.equal(text(answer), TEXT);
    assert.equal(answer.choices[0].finish_reason, 'stop');
    assert.equal(answer.usage.total_tokens, 18);
    const { data, response } = await ask().withResponse();
    assert.equal(text(data), TEXT);
    assert.equal(response.headers.get('x-provider'), 'good');
    assert.equal(response.headers.get('x-attempts'), '1');
  },

  async stream() {
    let said = '';
    for await (const chunk of await ask('small', { stream: true })) {
      said += chunk.choices[0].delta.content ?? '';
      assert.equal(chunk.usage ?? null, null);
    }
    assert.equal(said, TEXT);
    let last;
    for await (const chunk of await ask('small', { stream: true, stream_options: { include_usage: true } })) last = chunk;
    assert.equal(last.usage.completion_tokens, 7);
    assert.equal(last.choices.length, 0);
    const helper = client.chat.completions.stream({ model: 'small', messages, max_tokens: 20 });
    assert.equal(await helper.finalContent(), TEXT);
  },

  async tools() {
    const answer = await ask('small', { tools: [weather], tool_choice: 'auto' });
    const { message, finish_reason } = answer.choices[0];
    assert.equal(finish_reason, 'tool_calls');
    const call = message.tool_calls[0];
    assert.deepEqual([call.function.name, call.function.arguments], ['weather', '{"place":"Rome"}']);
    const result = { role: 'tool', tool_call_id: call.id, content: 'sunny' };
    assert.equal(text(await ask('small', { messages: [...messages, message, result] })), TEXT);
  },

  async jsonMode() {
    assert.equal(text(await ask('json', { response_format: { type: 'json_object' } })), '{"a": 1}');
  },

  async picture() {
    const url = 'data:image/png;base64,AAAA';
    const content = [{ type: 'text', text: 'what?' }, { type: 'image_url', image_url: { url } }];
    assert.equal(text(await ask('small', { messages: [{ role: 'user', content }] })), TEXT);
  },

  async embeddings() {
    const made = await client.embeddings.create({ model: 'vectors', input: ['a', 'b'], encoding_format: 'float' });
    assert.deepEqual(made.data.map((one) => one.index).sort(), [0, 1]);
    assert.equal(made.usage.prompt_tokens, 11);
  },

  async models() {
    const listed = new Map();
    for await (const model of client.models.list()) listed.set(model.id, model);
    assert.equal(listed.get('small').object, 'model');
    assert.equal(listed.get('small').owned_by, 'good');
    assert.equal((await client.models.retrieve('good/small')).id, 'good/small');
    await raises(OpenAI.NotFoundError, 404, () => client.models.retrieve('none'));
  },

  async errors() {
    await raises(OpenAI.BadRequestError, 400, () => ask('small', { messages: [] }));
    await raises(OpenAI.NotFoundError, 404, () => ask('none'));
    await raises(OpenAI.BadRequestError, 400, () => ask('refuses'));
    await raises(OpenAI.UnprocessableEntityError, 422, () => ask('unprocessable'));
    const wrong = new OpenAI({ baseURL: BASE_URL, apiKey: 'tb_test_wrong' });
    await raises(OpenAI.AuthenticationError, 401, async () => wrong.models.list());
    // Every provider was tried: the client, which would repeat twice, does not.
    const limited = await raises(OpenAI.RateLimitError, 429, () => ask('limited', {}, { maxRetries: 0 }));
    assert.ok(limited.code === 'E002' && Number(limited.headers.get('retry-after')) > 0, limited.message);
    const unknown = await raises(OpenAI.NotFoundError, 404, () => ask('none'));
    assert.ok(unknown.code === 'E004' && unknown.message.includes('no model `none`'), unknown.message);
    for (const model of ['broken', 'unauthorised']) {
      const error = await raises(OpenAI.InternalServerError, 503, () => ask(model));
      assert.equal(error.headers.get('x-should-retry'), 'false', model);
    }
  },

  async timeouts() {
    const late = ask('slow', {}, { timeout: 300, maxRetries: 0 });
    await assert.rejects(late, OpenAI.APIConnectionTimeoutError);
  },

  async brokenStream() {
    let said = '';
    await assert.rejects(async () => {
      for await (const chunk of await ask('cut', { stream: true })) said += chunk.choices[0]?.delta?.content ?? '';
    }, OpenAI.APIError);
    assert.ok(said.length > 0 && TEXT.startsWith(said) && said !== TEXT);
  },

  async abort() {
    const abort = new AbortController();
    for await (const chunk of await ask('hangs', { stream: true }, { signal: abort.signal })) {
      if (chunk.choices[0]?.delta?.content) {
        abort.abort();
        break;
      }
    }
    assert.equal(text(await ask()), TEXT);
  },

  async media() {
    const spoken = await client.audio.speech.create({ model: 'voice', voice: 'alloy', input: 'hello' });
    assert.equal(await spoken.text(), 'ID3 la la');
    const sound = new File([wav(2)], 'hello.wav', { type: 'audio/wav' });
    assert.equal((await client.audio.transcriptions.create({ model: 'scribe', file: sound })).text, 'la la');
    const { data, response } = await client.images.generate({ model: 'camera', prompt: 'a cat', n: 2 }).withResponse();
    assert.deepEqual(data.data.map((image) => image.b64_json), ['aW1hZ2U=', 'aW1hZ2U=']);
    assert.equal(response.headers.get('x-cost-gbp'), '0.06320');
    const noise = new File(['no sound'], 'a.wav');
    const error = await raises(OpenAI.BadRequestError, 400, () =>
      client.audio.transcriptions.create({ model: 'scribe', file: noise }));
    assert.equal(error.param, 'file');
  },

  async batches() {
    const body = { model: 'small', messages, max_tokens: 20 };
    const line = (custom_id, body) => ({ custom_id, method: 'POST', url: '/v1/chat/completions', body });
    const lines = [line('a', body), line('b', { ...body, model: 'none' })];
    const content = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const file = await client.files.create({ file: new File([content], 'in.jsonl'), purpose: 'batch' });
    assert.equal(file.bytes, Buffer.byteLength(content));
    assert.equal(await (await client.files.content(file.id)).text(), content);
    const files = [];
    for await (const one of client.files.list({ limit: 1 })) files.push(one.id);
    assert.ok(files.includes(file.id));
    let batch = await client.batches.create({
      input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' });
    while (!['completed', 'failed'].includes(batch.status)) {
      await new Promise((done) => setTimeout(done, 50));
      batch = await client.batches.retrieve(batch.id);
    }
    assert.deepEqual({ ...batch.request_counts }, { total: 2, completed: 1, failed: 1 });
    const [answer] = (await (await client.files.content(batch.output_file_id)).text()).split('\n');
    assert.equal(text(JSON.parse(answer).response.body), TEXT);
    const batches = [];
    for await (const one of client.batches.list({ limit: 1 })) batches.push(one.id);
    assert.ok(batches.includes(batch.id));
    await raises(OpenAI.BadRequestError, 400, () =>
      client.files.create({ file: new File(['x'], 'x'), purpose: 'assistants' }));
    assert.equal((await client.files.delete(file.id)).deleted, true);
    await raises(OpenAI.NotFoundError, 404, () => client.files.retrieve(file.id));
  },

  async many() {
    for (const answer of await Promise.all(Array.from({ length: 20 }, () => ask()))) assert.equal(text(answer), TEXT);
  },
};

for (const [name, test] of Object.entries(tests)) {
  await test();
  console.log(name, 'passed');
}
console.log('ok');
