// The official JavaScript client of MPP pays a call: by a Shared Payment Token, or
// by a wallet's signature for a challenge of method `evm`.
//
//     node pay_mpp.mjs NODE_MODULES stripe SERVER STRIPE SECRET_KEY
//     node pay_mpp.mjs NODE_MODULES evm SERVER
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, method, server, stripeUrl, secretKey] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(path.join(path.resolve(modules), file)));
const { Mppx, evm, stripe } = await load("mppx/dist/client/index.js");
const { Receipt } = await load("mppx/dist/index.js");
const { privateKeyToAccount } = await load("viem/_esm/accounts/index.js");

async function grant({ amount, currency, expiresAt, networkId, paymentMethod }) {
  const body = new URLSearchParams({
    payment_method: paymentMethod,
    "usage_limits[currency]": currency,
    "usage_limits[max_amount]": amount,
    "usage_limits[expires_at]": String(expiresAt),
    "seller_details[network_id]": networkId,
  });
  const answer = await fetch(`${stripeUrl}/v1/test_helpers/shared_payment/granted_tokens`, {
    method: "POST",
    headers: { authorization: `Bearer ${secretKey}`, "idempotency-key": randomUUID(), "stripe-version": "2024-06-20" },
    body,
  });
  assert.ok(answer.ok, await answer.clone().text());
  return (await answer.json()).id;
}

const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const { assets } = await load("mppx/dist/evm/index.js");
const methods = {
  stripe: (card) => stripe.charge({ createToken: grant, paymentMethod: card }),
  evm: () => evm.charge({ account, currencies: [assets.baseSepolia.USDC], maxAmount: "1", networks: [84532] }),
};

// x402's offer is in the same answer; here the `Payment` challenge is to be taken.
const withoutX402 = async (input, init) => {
  const answer = await fetch(input, init);
  const headers = new Headers(answer.headers);
  headers.delete("payment-required");
  return new Response(answer.body, { status: answer.status, headers });
};

async function call(card, text) {
  const client = Mppx.create({ fetch: withoutX402, methods: [methods[method](card)], polyfill: false, maxPaymentRetries: 1 });
  const body = JSON.stringify({ text });
  return client.fetch(`${server}/v1/oracle/echo`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
}

const answer = await call("pm_card_visa", "x");
assert.equal(answer.status, 200, await answer.clone().text());
assert.deepEqual((await answer.json()).input, { text: "x" });
const receipt = Receipt.deserialize(answer.headers.get("payment-receipt"));
assert.equal(receipt.method, method);
if (method === "stripe") {
  assert.equal(answer.headers.get("x-payment-remaining"), "4.90");
  const declined = await call("pm_card_chargeDeclined", "x");
  const problem = await declined.json();
  assert.equal(declined.status, 402);
  assert.ok(problem.type.endsWith("/verification-failed"), JSON.stringify(problem));
}
console.log(`mppx pays by ${method}: ${receipt.reference}`);
