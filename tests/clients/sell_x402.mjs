// An official x402 seller (@x402/express) that names a server of ours as its
// facilitator, and an official buyer (@x402/fetch):
//
//     node sell_x402.mjs NODE_MODULES SERVER KEY
//
// The seller's payment is sealed in the server's ledger; one signature pays once.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, base, key] = [path.resolve(process.argv[2]), process.argv[3].replace(/\/$/, ""), process.argv[4]];
const { resolve } = createRequire(path.join(modules, "x.js"));
const load = (name) => import(pathToFileURL(resolve(name)));
const { default: express } = await load("express");
const { paymentMiddleware, x402ResourceServer } = await load("@x402/express");
const { HTTPFacilitatorClient } = await load("@x402/core/server");
const { ExactEvmScheme: Selling } = await load("@x402/evm/exact/server");
const { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } = await load("@x402/fetch");
const { ExactEvmScheme: Paying } = await load("@x402/evm");
const { generatePrivateKey, privateKeyToAccount } = await load("viem/accounts");

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const network = "eip155:84532";
const headers = { Authorization: `Bearer ${key}` };
const facilitator = new HTTPFacilitatorClient({
  url: `${base}/x402`,
  createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }),
});
const seller = new x402ResourceServer(facilitator).register(network, new Selling());
let served = 0;
const app = express();
app.use(paymentMiddleware({ "GET /weather": { accepts: { scheme: "exact", price: "$0.01", network, payTo } } }, seller));
app.get("/weather", (_, answer) => {
  served += 1;
  answer.json({ weather: "sunny" });
});
const listening = await new Promise((ready) => {
  const server = app.listen(0, "127.0.0.1", () => ready(server));
});
const weather = `http://127.0.0.1:${listening.address().port}/weather`;

// What was signed, to send it once more.
let signature;
const noting = async (input, options) => {
  const request = new Request(input, options);
  signature = request.headers.get("payment-signature") ?? signature;
  return fetch(request);
};
const wallet = privateKeyToAccount(generatePrivateKey());
const buyer = wrapFetchWithPaymentFromConfig(noting, { schemes: [{ network, client: new Paying(wallet) }] });
const bought = await buyer(weather);
assert.equal(bought.status, 200, await bought.clone().text());
assert.deepEqual(await bought.json(), { weather: "sunny" });
const receipt = decodePaymentResponseHeader(bought.headers.get("payment-response"));
assert.equal(receipt.success, true);
assert.equal(receipt.payer.toLowerCase(), wallet.address.toLowerCase());
assert.match(receipt.extensions.tollbridge.info.worm_seal, /^[0-9a-f]{64}$/);

// A seller that keeps no list of what was paid relies on the facilitator for it.
const again = await fetch(weather, { headers: { "payment-signature": signature } });
assert.equal(again.status, 402, await again.text());
const wrong = await new HTTPFacilitatorClient({
  url: `${base}/x402`,
  createAuthHeaders: async () => ({ verify: {}, settle: {}, supported: {} }),
}).verify({ x402Version: 2 }, {}).then(() => "verified", (error) => String(error));
assert.match(wrong, /401/);
listening.close();
console.log(`@x402/express was paid through this server: ${receipt.transaction}; once, after ${served} answers`);
