// The client against a real server in the sandbox: BASE_URL, and an API_KEY with £10 of credit.
// Prints `ok` at the end.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import * as tollbridge from "../dist/index.js";

const { Client, check } = tollbridge;
const { BASE_URL, API_KEY } = process.env;
const values = [12, 15, 14, 18, 20, 19, 23, 25, 24, 28];
let lost = 0;

/** Loses so many replies to paid calls, after the server has given them. */
async function losing(address, init) {
  const answer = await fetch(address, init);
  if (!init.headers["Idempotency-Key"] || lost === 0) return answer;
  lost -= 1;
  await answer.arrayBuffer();
  throw new TypeError("the reply was lost");
}

async function raises(kind, promise) {
  const error = await promise.then(() => assert.fail(`no ${kind.name}`), (error) => error);
  assert.equal(error.constructor, kind, `${error.stack}`);
  return error;
}

const flip = (text, at) => text.slice(0, at) + (text[at] === "0" ? "1" : "0") + text.slice(at + 1);

/** A changed byte anywhere fails. */
async function tampered(client, answer) {
  const [evidence, keys] = [await client.evidence(answer), await client.keys()];
  assert.equal((await check(answer, evidence, keys)).seal, answer.seal);
  const { proof, record } = evidence;
  const fails = (changes, otherEvidence = {}, otherKeys = keys) =>
    raises(tollbridge.VerificationFailed, check({ ...answer, ...changes }, { ...evidence, ...otherEvidence }, otherKeys));
  const text = new TextDecoder().decode(answer.raw);
  const encode = (text) => new TextEncoder().encode(text);
  const place = text.indexOf(answer.isAgent ? '"output"' : '"result"') + 30;
  const request = encode(new TextDecoder().decode(answer.request).replace("1", "2"));
  for (const changes of [{ raw: encode(flip(text, place)) }, { seal: flip(answer.seal, 5) }, { charged: answer.charged - 1 },
    { transaction: flip(answer.transaction, 9) }, { name: "other" }, { result: {} }, { request }]) await fails(changes);
  for (const changes of [{ leaf_hash: flip(proof.leaf_hash, 7) }, { root: flip(proof.root, 7) }, { seq: proof.seq + 1 },
    { tree_size: proof.tree_size + 1 }, { inclusion: proof.inclusion.slice(1) },
    { inclusion: [flip(proof.inclusion[0], 3), ...proof.inclusion.slice(1)] },
    { checkpoint: flip(proof.checkpoint, proof.checkpoint.length - 20) }]) await fails({}, { proof: { ...proof, ...changes } });
  for (const at of [0, record.length >> 1, record.length - 1]) await fails({}, { record: flip(record, at) });
  await fails({}, { record: undefined });
  await fails({}, {}, { checkpoints: [`localhost/worm+00000000+${"A".repeat(44)}`], proofs: ["00".repeat(32)] });
}

const steps = {
  async credit() {
    const client = new Client(BASE_URL, { key: API_KEY, budget: "2.00", fetch: losing });
    const before = (await client.balance()).credit;
    const answer = await client.call("forecast", { values, horizon: 2 });
    assert.equal(answer.result.points.length, 2);
    assert.equal(answer.charged, 40_000);
    lost = 2;
    const again = await client.call("forecast", { values, horizon: 3 });
    assert.ok(again.replayed && again.charged === 40_000);
    lost = 9;
    const error = await raises(tollbridge.Unsettled, client.call("forecast", { values }));
    assert.equal(client.budget.held, 40_000);
    lost = 0;
    assert.ok((await client.resume(error)).replayed);
    assert.deepEqual([client.budget.held, client.budget.spent], [0, 120_000]);
    assert.equal(before - (await client.balance()).credit, 120_000);
    assert.equal((await client.verify(again)).record.body.plugin, "forecast");
    await tampered(client, answer);
  },

  async agents() {
    const client = new Client(BASE_URL, { key: API_KEY, budget: "2.00" });
    const answer = await client.agent("analytics:forecast", "Forecast the next 3 values: 12 15 14 18 20 19 23 25");
    assert.equal(answer.charged, (await client.quoteAgent("analytics:forecast", "1 2 3 4 5 6, next 3")).amount);
    await tampered(client, answer);
    const words = await client.agent("analytics:forecast", '{"values": [12, 15, 14, 18, 20, 19, 23, 25.5], "horizon": 3}');
    assert.ok((await client.verify(words)).seq > 0);
    const error = await raises(tollbridge.NotFound, client.agentAny("analytics-forecasts", "1 2 3"));
    assert.ok(error.code === "E007" && error.hint.includes("analytics-forecast") && error.requestId.startsWith("req_"));
  },

  async intents() {
    const client = new Client(BASE_URL, { budget: "0.05", fetch: losing });
    lost = 1;
    const answer = await client.call("tax_jar_lookup", { resource_id: "GB" });
    assert.ok(answer.replayed && answer.charged === 1_000 && client.budget.spent === 1_000);
    assert.equal((await client.verify(answer, { sealOnly: true })).record, undefined);
    await raises(tollbridge.VerificationFailed, client.verify(answer));
    await raises(tollbridge.BudgetExceeded, client.call("forecast", { values }));
    const bare = new Client(BASE_URL, { wallet: () => {} });
    const error = await raises(tollbridge.PaymentRequired, bare.call("tax_jar_lookup", { resource_id: "FR" }));
    await fetch(error.payment.link, { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } });
    assert.equal((await bare.resume(error)).result.country, "FR");
    assert.equal(bare.budget.spent, 1_000);
  },

  async examples() {
    const folder = fileURLToPath(new URL("../examples/", import.meta.url));
    for (const script of readdirSync(folder)) {
      const said = execFileSync(process.execPath, [folder + script], { encoding: "utf8" });
      assert.ok(said.length > 0, script);
    }
  },
};

for (const [name, step] of Object.entries(steps)) {
  await step();
  console.log(name, "passed");
}
console.log("ok");
