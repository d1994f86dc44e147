// The official MCP clients for TypeScript, of both lines, against a server; and the
// inspector's command line.
//
// usage: node client.mjs BASE_URL API_KEY   (a bridge `echo`, an agent `worker`)
// Prints "ok" and ends with 0, or says what is wrong and ends with 1.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client as First } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Second, StreamableHTTPClientTransport as SecondTransport } from '@modelcontextprotocol/client';

const [base, key] = process.argv.slice(2);
const address = new URL(`${base}/mcp`);
const headers = { authorization: `Bearer ${key}` };

/** What every client does with tools, resources and prompts. */
async function stories(client) {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  assert.ok(names.includes('echo') && names.includes('invoke_agent') && names.includes('get_task'), names);
  const answer = await client.callTool({ name: 'echo', arguments: { resource_id: 'hello' } });
  assert.ok(!answer.isError && answer.structuredContent, JSON.stringify(answer));
  assert.match(answer._meta.worm_seal, /^[0-9a-f]{64}$/);
  const wrong = await client.callTool({ name: 'invoke_agent', arguments: { task: 'x' } });
  assert.ok(wrong.isError && wrong.content[0].text.includes('`agent_slug` is required'), JSON.stringify(wrong));
  const task = await client.callTool({ name: 'invoke_agent', arguments: { agent_slug: 'worker', task: 'count' } });
  assert.equal(task.structuredContent.status, 'completed', JSON.stringify(task));
  await assert.rejects(client.callTool({ name: 'none', arguments: {} }), (error) => error.code === -32602);
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: 'tollbridge://bridges/echo' });
  assert.equal(JSON.parse(contents[0].text).price_gbp, '0.10');
  assert.ok(resources.some((resource) => resource.uri === 'tollbridge://docs/errors'));
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((prompt) => prompt.name), ['worker']);
  const prompt = await client.getPrompt({ name: 'worker', arguments: { task: 'count' } });
  assert.ok(prompt.messages[0].content.text.includes('invoke_agent'));
}

async function client(Client, Transport, options) {
  const client = new Client({ name: 'test', version: '1' }, options);
  await client.connect(new Transport(address, { requestInit: { headers } }));
  const version = client.getNegotiatedProtocolVersion?.() ?? '2025-11-25';
  assert.equal(version, options ? '2026-07-28' : '2025-11-25');
  await stories(client);
  await client.close();
}

/** One request by the inspector. */
function inspect(...request) {
  const node = createRequire(import.meta.url).resolve('node/package.json');
  const inspector = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json');
  const launcher = join(dirname(inspector), 'clients/launcher/build/index.js');
  const server = ['--cli', address.href, '--transport', 'http', '--header', `Authorization: Bearer ${key}`];
  const run = execFileSync(join(dirname(node), 'bin/node'), [launcher, ...server, ...request], { encoding: 'utf8' });
  return JSON.parse(run);
}

await client(First, FirstTransport);
await client(Second, SecondTransport);
await client(Second, SecondTransport, { versionNegotiation: { mode: 'auto' } });
const listed = inspect('--method', 'tools/list');
assert.ok(listed.tools.some((tool) => tool.name === 'echo'), JSON.stringify(listed));
const told = inspect('--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'resource_id=hello');
assert.ok(!told.isError && told.structuredContent, JSON.stringify(told));
console.log('ok');
