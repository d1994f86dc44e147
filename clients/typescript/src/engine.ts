// What happens in a call. Invariants: a call has one idempotency key for ever; nothing is sent
// paid that may cost more than the budget has; a hold on the budget ends only when it is known
// what was charged.

import { type Answer, type Bytes, type Call, type Payment, paymentOf, type Quote, type Reply } from "./call.js";
import {
  errorOf, InvalidRequest, PaymentRequired, retryAfter, ServerFault, type TollbridgeError, Unreachable, Unsettled,
} from "./errors.js";
import { millipence, pounds } from "./money.js";
import { REFUSED, send, type Terms, TRIES } from "./sending.js";

const POLLS = 10;
const INTENT = "X-Payment-Intent-Id";
const SOURCE = "X-Payment-Source";
const ENVELOPE = ["result", "method", "data", "limitations"];

export class Engine {
  /** Of bridges and agents, as last seen. */
  readonly #prices = new Map<string, number>();
  /** What is left on intents that were paid, by what they pay for. */
  readonly #purse = new Map<string, { paidBy: Record<string, string>; left: number }>();

  constructor(readonly terms: Terms) {}

  #send(method: string, path: string, body?: Bytes, more: Record<string, string> = {}, call?: Call): Promise<Reply> {
    return send(this.terms, method, path, body, more, call);
  }

  /** Makes a call, or goes on with one whose outcome was not known. */
  async perform(call: Call): Promise<Answer<any>> {
    let hasCredit = this.terms.key !== undefined;
    for (let round = 1; ; round += 1) {
      if (!call.paidBy) {
        const answered = await this.#arrange(call, hasCredit);
        if (answered) return this.#answer(call, answered);
      }
      let reply = await this.#sendPaid(call);
      if (reply.status === 202) reply = await this.#waitForTask(call, reply);
      if (reply.status === 200) return this.#answer(call, reply);
      const error = errorOf(reply.status, reply.headers, reply.body);
      if (!(error instanceof PaymentRequired)) {
        this.#refused(call, error);
        throw error;
      }
      const payment = paymentOf(reply.body);
      // Nothing more can be had for that intent.
      if (!["above_max_cost", "remaining_too_small"].includes(payment.reason ?? "")) call.left = undefined;
      this.#refused(call, error);
      this.#prices.set(call.name, payment.amount);
      const byCredit = call.paidBy?.[SOURCE] !== undefined;
      call.paidBy = undefined;
      if (byCredit && payment.reason === "insufficient_credit") {
        hasCredit = false;
        call.offered = payment;
      } else if (!["above_max_cost", "remaining_too_small"].includes(payment.reason ?? "") || round >= TRIES) {
        throw unpaid(call, payment, error);
      }
    }
  }

  /** What a call would cost; nothing is paid. */
  async quote(call: Call): Promise<Quote> {
    const found = await this.#ask(call);
    const payment = "status" in found ? undefined : found;
    return { name: call.name, amount: payment?.amount ?? 0, payment };
  }

  /** Reads something, with the usual patience. */
  async get(path: string): Promise<any> {
    const reply = await this.#send("GET", path);
    if (reply.status !== 200 || reply.body === undefined) throw errorOf(reply.status, reply.headers, reply.body);
    return reply.body;
  }

  /** The price of a call, or its answer if it is free. */
  async #ask(call: Call): Promise<Payment | Reply> {
    // Agents are paid from credit unless the request forbids it.
    const reply = await this.#send("POST", call.path, call.body, call.isAgent ? { "X-Max-Cost-GBP": "0" } : {});
    if (reply.status === 200) return reply;
    const error = errorOf(reply.status, reply.headers, reply.body);
    if (!(error instanceof PaymentRequired)) throw error;
    const payment = paymentOf(reply.body);
    this.#prices.set(call.name, payment.amount);
    const lacks = reply.body.input;
    if (lacks) {
      const { field } = lacks;
      throw new InvalidRequest(lacks.message, { code: "E011", status: 402, field, requestId: error.requestId });
    }
    return payment;
  }

  /** Sees to it that the call is paid for; returns the answer if it is free. */
  async #arrange(call: Call, hasCredit: boolean): Promise<Reply | undefined> {
    const { budget } = this.terms;
    let price = this.#prices.get(call.name);
    let offered = call.offered;
    // It may have fallen.
    if (price !== undefined && price > budget.remaining) price = undefined;
    if (!offered && (!hasCredit || price === undefined)) {
      const kept = this.#purse.get(call.name);
      if (kept && kept.left >= (this.#prices.get(call.name) ?? kept.left)) {
        this.#purse.delete(call.name);
        call.paidBy = kept.paidBy;
        call.left = kept.left;
        return undefined;
      }
      const found = await this.#ask(call);
      if ("status" in found) return found;
      price = found.amount;
      if (!hasCredit) offered = found;
    }
    if (offered) {
      await this.#pay(call, offered);
    } else if (price !== undefined) {
      budget.hold(price);
      call.held = price;
      call.paidBy = { [SOURCE]: "credit" };
    }
    return undefined;
  }

  /** Pays a quote, or finds that it was paid. */
  async #pay(call: Call, payment: Payment): Promise<void> {
    const { budget, payer } = this.terms;
    if (!call.held) {
      budget.hold(payment.charge);
      call.held = payment.charge;
    }
    const wasOffered = call.offered !== undefined;
    call.offered = payment;
    let state = wasOffered ? await this.#state(call, payment, 1) : "unpaid";
    let headers: Record<string, string> = { [INTENT]: payment.id };
    let cause: unknown;
    if (state === "unpaid" && !payer) {
      // In the sandbox this pays; elsewhere it moves no money.
      try {
        await this.#send("POST", `/pay/${payment.id}`, new TextEncoder().encode("{}"), {}, call);
      } catch (error) {
        // Pay pages of other origins are closed to browsers.
        cause = error;
      }
      state = await this.#state(call, payment, 1);
    } else if (state === "unpaid" && payer) {
      try {
        headers = await payer.pay(payment);
      } catch (error) {
        cause = error ?? "the payer failed";
      }
      // What a wallet says counts less than what the server knows.
      if (cause !== undefined || headers[INTENT]) state = await this.#state(call, payment, cause === undefined ? POLLS : 1);
    }
    call.paidBy = headers;
    if (headers[INTENT]) {
      budget.settle(call.held, state === "paid" ? payment.charge : 0);
      call.held = 0;
      if (state !== "paid") {
        call.paidBy = undefined;
        call.offered = state === "unpaid" ? payment : undefined;
        const message = `pay £${pounds(payment.charge)} at ${payment.link}`;
        throw unpaid(call, payment, new PaymentRequired(message, { code: "E003", status: 402, cause }));
      }
      call.left = payment.charge;
    }
    call.offered = undefined;
  }

  /** What became of an intent; looks a few times, because processors are slow to tell. */
  async #state(call: Call, payment: Payment, polls: number): Promise<string> {
    for (let poll = 1; ; poll += 1) {
      const reply = await this.#send("GET", `/v1/payments/${payment.id}`, undefined, {}, call);
      const state = reply.status === 200 ? reply.body?.state : undefined;
      if (!["unpaid", "expired", "paid", "used_up", "refunded"].includes(state)) {
        throw new Unsettled("it is not known whether the quote was paid", call);
      }
      if (state !== "unpaid" || poll >= polls) return state;
      await this.terms.sleep(Math.min(1, 0.1 * 2 ** poll));
    }
  }

  async #sendPaid(call: Call): Promise<Reply> {
    const limit = call.left ?? call.held;
    // Prices are whole pence, and so are limits.
    const headers = { "X-Max-Cost-GBP": pounds(limit - (limit % 1_000)), ...call.paidBy, "Idempotency-Key": call.key };
    try {
      return await this.#send("POST", call.path, call.body, headers, call);
    } catch (error) {
      if (error instanceof Unreachable) this.#refused(call, error);
      throw error;
    }
  }

  /** Follows a task that takes longer, and fetches its answer. */
  async #waitForTask(call: Call, accepted: Reply): Promise<Reply> {
    call.isUnclear = true;
    let reply = accepted;
    for (let waited = 0; reply.status === 202; ) {
      const pause = retryAfter(reply.headers) || 1;
      waited += pause;
      const path = `/v1/tasks/${reply.body?.task_id}`;
      const shown = await this.#send("GET", path, undefined, {}, call);
      const task = shown.status === 200 ? shown.body : {};
      if (task.status === "failed" || task.status === "canceled") {
        const error = errorOf(502, shown.headers, task.error ?? { error: `the task is ${task.status}`, code: "E017" });
        this.#settle(call, error.charged);
        throw error;
      }
      if (task.status === "completed") {
        reply = await this.#sendPaid(call);
      } else if (!["queued", "working"].includes(task.status) || waited > this.terms.patience) {
        throw new Unsettled(`the task goes on at ${path}`, call);
      } else {
        await this.terms.sleep(pause);
      }
    }
    return reply;
  }

  /** Ends the hold of a call that was refused, or throws `Unsettled`. */
  #refused(call: Call, error: TollbridgeError): void {
    if (error.code === "E010") {
      // Sealed by an earlier attempt whose answer is no longer kept, or the intent is spent.
      [error.charged, call.left] = [call.held, undefined];
    } else if (call.isUnclear && !error.charged && !REFUSED.has(error.code ?? "")) {
      throw new Unsettled(`the repeat was refused: ${error.message}`, call, error);
    }
    this.#settle(call, error.charged);
  }

  #settle(call: Call, charged: number): void {
    this.terms.budget.settle(call.held, call.held ? charged : 0);
    [call.held, call.isUnclear] = [0, false];
    if (call.left !== undefined && call.left > charged && call.paidBy) {
      this.#purse.set(call.name, { paidBy: call.paidBy, left: call.left - charged });
    }
    call.left = undefined;
  }

  /** Settles an answered call. */
  async #answer(call: Call, reply: Reply): Promise<Answer<any>> {
    const { headers, body, raw } = reply;
    const seal = headers.get("x-worm-seal") ?? undefined;
    const charged = seal === undefined ? 0 : await this.#charge(call, seal, headers);
    if (seal !== undefined) this.#prices.set(call.name, charged);
    this.#settle(call, charged);
    const readable = call.isAgent ? body?.output !== undefined : body !== undefined;
    if (!readable) throw new ServerFault("the answer cannot be read", { status: reply.status, charged });
    const isEnveloped = ENVELOPE.every((member) => body?.[member] !== undefined);
    return {
      result: call.isAgent ? body.output : isEnveloped ? body.result : body,
      seal,
      transaction: headers.get("x-transaction-id") ?? undefined,
      charged,
      body,
      raw,
      request: call.body,
      name: call.name.replace(/^agents\//, ""),
      isAgent: call.isAgent,
      requestId: headers.get("x-request-id") ?? undefined,
      replayed: headers.get("idempotent-replayed") === "true",
    };
  }

  /** What the sealed record takes for the call: the price may have fallen meanwhile. */
  async #charge(call: Call, seal: string, headers: Headers): Promise<number> {
    const stated = headers.get("x-charged-gbp");
    if (stated !== null) return millipence(stated);
    try {
      if (call.left !== undefined) {
        const intent = `/v1/payments/${call.paidBy?.[INTENT]}`;
        return call.left - millipence(headers.get("x-payment-remaining") ?? (await this.get(intent)).remaining_gbp);
      }
      const gross = (await this.get(`/v1/ledger/record/${seal}`)).record.body.gross_millipence;
      if (Number.isSafeInteger(gross)) return gross;
    } catch {
      // It is not told: then never less than the truth.
    }
    return call.left === undefined ? call.held : Math.min(call.left, this.#prices.get(call.name) ?? call.left);
  }
}

function unpaid(call: Call, payment: Payment, error: PaymentRequired): PaymentRequired {
  [error.payment, error.call] = [payment, call];
  return error;
}
