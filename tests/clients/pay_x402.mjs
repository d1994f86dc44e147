// Buys bridges and an agent from a server of ours with official clients for
// JavaScript: @x402/fetch, @x402/axios, and mppx, which takes offers of x402 too:
//
//     node pay_x402.mjs NODE_MODULES SERVER
//
// The server must not settle on a chain (its sandbox): the wallets are made up.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, server] = [path.resolve(process.argv[2]), process.argv[3].replace(/\/$/, "")];
const { resolve } = createRequire(path.join(modules, "x.js"));
const load = (name) => import(pathToFileURL(resolve(name)));
const { default: axios } = await load("axios");
const { wrapAxiosWithPaymentFromConfig } = await load("@x402/axios");
const { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } = await load("@x402/fetch");
const { ExactEvmScheme } = await load("@x402/evm");
const { generatePrivateKey, privateKeyToAccount } = await load("viem/accounts");
const mppx = await import(pathToFileURL(path.join(modules, "mppx/dist/client/index.js")));

const orders = [
  ["/v1/oracle/iban_validation", { iban: "GB29 NWBK 6016 1331 9268 19" }, "data"],
  ["/v1/oracle/token_count", { text: "hello world", encoding: "o200k_base" }, "data"],
  ["/v1/oracle/vat_number_check", { vat_number: "IT 00743110158" }, "data"],
  ["/v1/paid/agents/sentiment", { input: { text: "The food was wonderful, the room was dirty." } }, "output"],
];
const init = (body, headers = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

// What was signed last, to send it once more.
let signature;
const noting = async (input, options) => {
  const request = new Request(input, options);
  signature = request.headers.get("payment-signature") ?? signature;
  return fetch(request);
};

async function check(route, body, member, { status, data, header }, payer) {
  assert.equal(status, 200, `${route}: ${JSON.stringify(data)}`);
  assert.ok(member in data, route);
  const receipt = decodePaymentResponseHeader(header("payment-response"));
  assert.equal(receipt.success, true);
  assert.equal(receipt.payer.toLowerCase(), payer.address.toLowerCase());
  assert.match(receipt.transaction, /^0x[0-9a-f]{64}$/);
  assert.match(header("x-worm-seal"), /^[0-9a-f]{64}$/);
  const again = await fetch(server + route, init(body, { "payment-signature": signature }));
  assert.equal(again.status, 200);
  assert.deepEqual(await again.json(), data);
  for (const name of ["x-worm-seal", "x-transaction-id", "payment-response"])
    assert.equal(again.headers.get(name), header(name), `${route}: ${name}`);
}

const answered = async (response) => ({
  status: response.status,
  data: await response.json(),
  header: (name) => response.headers.get(name),
});
const wallet = () => privateKeyToAccount(generatePrivateKey());
const schemes = (account) => ({ schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }] });

{
  const account = wallet();
  const pay = wrapFetchWithPaymentFromConfig(noting, schemes(account));
  for (const [route, body, member] of orders)
    await check(route, body, member, await answered(await pay(server + route, init(body))), account);
  console.log("@x402/fetch: 4 calls paid, 4 repeats free");
}
{
  const account = wallet();
  const client = wrapAxiosWithPaymentFromConfig(axios.create({ baseURL: server }), schemes(account));
  for (const [route, body, member] of orders) {
    const response = await client.post(route, body);
    signature = response.config.headers.get("payment-signature");
    const header = (name) => response.headers[name];
    await check(route, body, member, { status: response.status, data: response.data, header }, account);
  }
  console.log("@x402/axios: 4 calls paid, 4 repeats free");
}
{
  const account = wallet();
  const { evm, Mppx } = mppx;
  const client = Mppx.create({
    fetch: noting,
    methods: [evm({ account, networks: [84532], maxAtomicAmount: "1000000" })],
    polyfill: false,
  });
  for (const [route, body, member] of orders)
    await check(route, body, member, await answered(await client.fetch(server + route, init(body))), account);
  console.log("mppx: 4 calls paid, 4 repeats free");
}
