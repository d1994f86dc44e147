// Tries a call in the page: gets the price, pays in the sandbox or from credit, shows the
// answer and verifies its seal. Requests go only to this server; nothing is stored.

import { check } from "./seal.js";

const form = document.getElementById("trial");
const outcome = document.getElementById("outcome");

function add(tag, text, kind) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) element.className = kind;
  outcome.append(element);
  return element;
}

function shown(text) {
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.append(Object.assign(document.createElement("code"), { textContent: text }));
  outcome.append(pre);
}

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

function send(path, body, headers) {
  return fetch(path, { method: "POST", body, headers: { "Content-Type": "application/json", ...headers } });
}

async function refused(reply) {
  const error = await reply.json().catch(() => ({}));
  const hint = error.hint ? ` ${error.hint}` : "";
  return new Error(`${error.code ?? reply.status}: ${error.error ?? reply.statusText}.${hint}`);
}

/** Pays a quote where one click can; elsewhere shows where it is paid. */
async function pay(payment) {
  if (form.dataset.sandbox === "true") {
    const paid = await send(`/pay/${payment.payment_intent_id}`, "{}", { Accept: "application/json" });
    if (!paid.ok) throw await refused(paid);
    add("p", `Paid £${payment.charge_gbp ?? payment.amount_gbp} of test money.`);
    return;
  }
  const line = add("p", "The call costs ");
  const link = Object.assign(document.createElement("a"), {
    href: payment.payment_link,
    target: "_blank",
    rel: "noopener",
    textContent: `£${payment.amount_gbp}: pay`,
  });
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "I have paid: call" });
  line.append(link, ". Then come back.");
  outcome.append(button);
  await new Promise((resolve) => button.addEventListener("click", resolve, { once: true }));
  button.remove();
}

/** Calls, and pays once if payment is required. */
async function call(request, key) {
  if (key) {
    const headers = { Authorization: `Bearer ${key}`, "X-Payment-Source": "credit" };
    return send(form.dataset.accountRoute, request, headers);
  }
  const asked = await send(form.dataset.route, request);
  if (asked.status !== 402) return asked;
  const { payment, input } = await asked.json();
  // Do not pay for a call that could not be answered.
  if (input) throw new Error(`The body is incomplete: ${input.message}`);
  await pay(payment);
  return send(form.dataset.route, request, { "X-Payment-Intent-Id": payment.payment_intent_id });
}

async function json(path, headers) {
  const reply = await fetch(path, { headers });
  if (!reply.ok) throw await refused(reply);
  return reply.json();
}

async function verify(seal, request, answer, key) {
  const [proof, { keys }] = await Promise.all([json(`/v1/ledger/proof/${seal}`), json("/.well-known/jwks.json")]);
  const bearer = { Authorization: `Bearer ${key}` };
  const record = key ? await json(`/v1/ledger/record/${seal}`, bearer) : undefined;
  const isAgent = form.dataset.accountRoute.startsWith("/v1/agents/");
  const task = isAgent ? JSON.parse(new TextDecoder().decode(answer)) : undefined;
  return check({ seal, proof, keys, record, task, answer, request });
}

async function attempt() {
  const { body, key } = Object.fromEntries(new FormData(form));
  try {
    JSON.parse(body);
  } catch (error) {
    throw new Error(`The body is not JSON: ${error.message}.`);
  }
  const began = performance.now();
  const reply = await call(body, key.trim());
  if (!reply.ok) throw await refused(reply);
  const answer = new Uint8Array(await reply.arrayBuffer());
  add("h3", `Answer, ${Math.round(performance.now() - began)} ms with payment`);
  shown(pretty(new TextDecoder().decode(answer)));
  const seal = reply.headers.get("X-Worm-Seal");
  if (!seal) {
    add("p", "A free call is not sealed.");
    return;
  }
  add("h3", "Seal");
  shown(seal);
  try {
    const holds = await verify(seal, body, answer, key.trim());
    add("p", "Verified in this page", "done").id = "verified";
    const list = add("ul", "");
    holds.forEach((text) => list.append(Object.assign(document.createElement("li"), { textContent: text })));
  } catch (error) {
    add("p", `Not verified: ${error.message}`, "wrong");
  }
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button[type=submit]");
  button.disabled = true;
  outcome.replaceChildren();
  try {
    await attempt();
  } catch (error) {
    add("p", error.message, "wrong");
  }
  button.disabled = false;
});

form?.querySelector("button[type=submit]").removeAttribute("disabled");
