// The client against a strict stand-in of the server that injects faults (clients/fake.py).
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import * as tollbridge from "../dist/index.js";

const { Client, millipence, pounds } = tollbridge;
const KEY = "tb_test_good";
const PENNY = 1_000;
const values = [1, 2, 3];
let server;
let url;

/** The state of the server, after changes. */
const state = async (changes) =>
  (await fetch(`${url}/_state`, { method: "POST", body: JSON.stringify(changes ?? {}) })).json();
const client = (options = {}) => new Client(url, { key: KEY, sleep: async () => {}, ...options });
const call = (client) => client.call("forecast", { values });

function money({ budget }, spent, held = 0) {
  assert.deepEqual([budget.spent, budget.held], [spent * PENNY, held * PENNY]);
}

async function raises(kind, promise) {
  const error = await promise.then(() => assert.fail(`no ${kind.name}`), (error) => error);
  assert.equal(error.constructor, kind, `${error.stack}`);
  return error;
}

before(async () => {
  const fake = fileURLToPath(new URL("../../fake.py", import.meta.url));
  server = spawn(process.env.PYTHON ?? "python3", [fake], { stdio: ["pipe", "pipe", "inherit"] });
  url = await new Promise((found) => server.stdout.once("data", (data) => found(String(data).trim())));
});
after(() => server.stdin.end());
afterEach(async () => {
  assert.deepEqual((await state()).wrong, []);
  await state({ price: 40 * PENNY, credit: 1000 * PENNY, sandbox: true, faults: [], requests: [] });
});

test("credit", async () => {
  const ours = client();
  const first = await state();
  const answer = await call(ours);
  assert.deepEqual(answer.result, { points: values });
  assert.deepEqual([answer.charged, answer.seal.length], [40 * PENNY, 64]);
  await call(ours);
  money(ours, 80);
  assert.equal((await state()).charged - first.charged, 80 * PENNY);
  const error = await raises(tollbridge.BudgetExceeded, call(ours));
  assert.deepEqual([error.overBy, error.needed], [20 * PENNY, 40 * PENNY]);
  assert.equal((await ours.balance()).credit, 920 * PENNY);
});

test("agent", async () => {
  const ours = client();
  await state({ faults: ["task"] });
  const answer = await ours.agentAny("work:er", "hello", { a: 1 });
  assert.deepEqual([answer.result, answer.name], [{ task: "hello", input: { a: 1 } }, "work-er"]);
  money(ours, 40);
  await raises(tollbridge.AccessDenied, client({ key: undefined }).agentAny("worker", "hello"));
});

test("every fault is charged once", async () => {
  const all = [["lost-before"], ["lost-after"], ["lost-after", "lost-before", "409"], ["503"], ["429"], ["502"],
    ["fail-after"], Array(7).fill("409"), ["lost-after", "503", "429", "502"]];
  for (const faults of all) {
    for (const key of [KEY, undefined]) {
      const [first, ours] = [await state({ faults }), client({ key })];
      const answer = await call(ours);
      assert.deepEqual([answer.result, answer.charged], [{ points: values }, 40 * PENNY], `${faults}`);
      assert.equal(answer.replayed, faults.includes("lost-after") || faults.includes("fail-after"));
      money(ours, 40);
      const last = await state();
      assert.equal(last.charges - first.charges, 1);
      assert.equal(last.paid - first.paid, key ? 0 : 40 * PENNY);
    }
  }
});

test("what is unsettled is held and resumed", async () => {
  const ours = client();
  const first = await state({ faults: ["lost-after", ...Array(4).fill("lost-before")] });
  let error = await raises(tollbridge.Unsettled, call(ours));
  money(ours, 0, 40);
  await state({ faults: ["unauthorized"] });
  error = await raises(tollbridge.Unsettled, ours.resume(error));
  money(ours, 0, 40);
  assert.ok((await ours.resume(error)).replayed);
  money(ours, 40);
  assert.equal((await state()).charges - first.charges, 1);
});

test("refusals cost nothing", async () => {
  const ours = client();
  await call(ours);
  const refusals = [[Array(5).fill("503"), tollbridge.Unavailable, "E024"], [Array(5).fill("429"), tollbridge.RateLimited, "E002"],
    [["unauthorized"], tollbridge.AccessDenied, "E001"], [["E017 0"], tollbridge.CallFailed, "E017"]];
  for (const [faults, kind, code] of refusals) {
    await state({ faults });
    const error = await raises(kind, call(ours));
    assert.deepEqual([error.code, error.requestId], [code, "req_1"]);
    money(ours, 40);
  }
  const error = await raises(tollbridge.InvalidRequest, ours.call("forecast", { values: [] }));
  assert.deepEqual([error.field, error.status], ["/values", 400]);
  await state({ faults: ["429 500"] });
  assert.equal((await raises(tollbridge.RateLimited, call(ours))).retryAfter, 500);
  assert.equal((await raises(tollbridge.InvalidRequest, client().callAny("forecast", {}))).field, "/values");
  await state({ faults: ["E017 7"] });
  assert.equal((await raises(tollbridge.CallFailed, call(ours))).charged, 7 * PENNY);
  money(ours, 47);
});

test("prices that change", async () => {
  const ours = client();
  for (const [price, spent] of [[45, 45], [30, 75]]) {
    await state({ faults: [`price ${price}`] });
    assert.equal((await call(ours)).charged, price * PENNY);
    money(ours, spent);
  }
  await state({ price: 26 * PENNY });
  await raises(tollbridge.BudgetExceeded, call(ours));
  await state({ price: 25 * PENNY });
  assert.equal((await call(ours)).charged, 25 * PENNY);
  money(ours, 100);
});

test("too dear is never sent paid", async () => {
  for (const key of [KEY, undefined]) {
    const error = await raises(tollbridge.BudgetExceeded, call(client({ key, budget: "0.39999" })));
    assert.equal(error.overBy, 1);
  }
  assert.deepEqual((await state()).requests, Array(2).fill("POST /v1/oracle/forecast"));
});

test("intents serve until they are used up", async () => {
  const ours = client({ key: undefined });
  for (let time = 0; time < 2; time += 1) {
    assert.equal((await ours.callAny("pack", { values })).charged, 40 * PENNY);
    money(ours, 100);
  }
  await raises(tollbridge.BudgetExceeded, ours.callAny("pack", { values }));
});

test("credit that is used up", async () => {
  const first = await state({ credit: 39 * PENNY });
  const ours = client();
  assert.equal((await call(ours)).charged, 40 * PENNY);
  money(ours, 40);
  const last = await state();
  assert.deepEqual([last.credit, last.paid - first.paid], [39 * PENNY, 40 * PENNY]);
});

test("wallets, and calls that must be paid first", async () => {
  await state({ sandbox: false });
  const pay = async ({ id }) => {
    await state({ sandbox: true });
    await fetch(`${url}/pay/${id}`, { method: "POST", body: "{}" });
    await state({ sandbox: false });
  };
  const ours = client({ key: undefined, wallet: pay });
  assert.equal((await call(ours)).charged, 40 * PENNY);
  money(ours, 40);
  const broken = client({ key: undefined, wallet: () => Promise.reject(new Error("no")) });
  assert.equal((await raises(tollbridge.PaymentRequired, call(broken))).cause.message, "no");
  money(broken, 0);
  const bare = client({ key: undefined });
  let error = await raises(tollbridge.PaymentRequired, call(bare));
  assert.ok(error.payment.link.startsWith(`${url}/pay/`) && error.payment.amount === 40 * PENNY);
  error = await raises(tollbridge.PaymentRequired, bare.resume(error));
  money(bare, 0);
  await pay(error.payment);
  assert.equal((await bare.resume(error)).charged, 40 * PENNY);
  money(bare, 40);
});

test("calls at once stay within the budget", async () => {
  const ours = client();
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => call(ours)));
  const refused = outcomes.filter(({ reason }) => reason instanceof tollbridge.BudgetExceeded);
  assert.equal(refused.length, 4);
  money(ours, 80);
});

test("quotes pay nothing, and nobody may be there", async () => {
  const first = await state();
  assert.equal((await client().quote("forecast", { values })).amount, 40 * PENNY);
  assert.equal((await client().quoteAgent("general", "hello")).amount, 40 * PENNY);
  assert.equal((await state()).charges, first.charges);
  const nobody = new Client("http://127.0.0.1:9", { key: KEY, sleep: async () => {} });
  await raises(tollbridge.Unreachable, call(nobody));
  money(nobody, 0);
});

test("amounts are exact", () => {
  for (const [text, amount] of [["1", 100_000], ["0.40", 40_000], ["£12.34", 1_234_000], ["0.00001", 1], ["0.100000", 10_000]]) {
    assert.equal(millipence(text), amount);
  }
  for (const [amount, text] of [[40_000, "0.40"], [1, "0.00001"], [100_010, "1.0001"], [-5_000, "-0.05"]]) {
    assert.equal(pounds(amount), text);
  }
  for (const wrong of ["", "1.", ".5", "0.000001", "-1", "1e3", "1,0", "٣"]) assert.throws(() => millipence(wrong), RangeError);
  assert.throws(() => millipence(0.1), TypeError);
});
