// Calls bridges and agents of a Tollbridge server, pays for them, and checks the answers.

import { type Answer, type Balance, Call, type Payer, type Quote, type Wallet } from "./call.js";
import { Engine } from "./engine.js";
import { type PaymentRequired, type Unsettled } from "./errors.js";
import type { Agents, Bridges } from "./generated.js";
import { Budget, millipence } from "./money.js";
import { check, type Evidence, type Keys, keysOf, type Verified } from "./proof.js";

export type { Answer, Balance, Payer, Payment, Quote, Wallet } from "./call.js";
export * from "./errors.js";
export type * from "./generated.js";
export { Budget, millipence, pounds } from "./money.js";
export { check, type Evidence, type Keys, keysOf, type Verified } from "./proof.js";

/** How a client calls and pays. */
export interface Options {
  /** An API key; its account's credit pays. */
  key?: string | undefined;
  /** Pounds for all of the client's life; `"1.00"` unless given. */
  budget?: string;
  /** Pays intents: opens `payment.link` and returns when it is paid. */
  wallet?: Wallet;
  /** Another way to pay. */
  payer?: Payer;
  /** Public keys of the server that you trust; without them those that it shows first are kept. */
  keys?: Keys;
  /** Seconds for one request. */
  timeout?: number;
  /** Seconds of waiting between attempts. */
  patience?: number;
  fetch?: typeof fetch;
  sleep?: (seconds: number) => Promise<void>;
}

/** The arguments after the name: an input that needs nothing may be left out. */
type Input<T> = Record<never, never> extends T ? [input?: T] : [input: T];

/**
 * Calls a Tollbridge server and pays for it.
 *
 * Calls are paid from the credit of `key`'s account. Without a key, or when the credit is used
 * up, an intent is paid: by `payer`, by `wallet`, or, in the sandbox, at its pay page.
 */
export class Client {
  readonly budget: Budget;
  readonly #engine: Engine;
  #keys: Keys | undefined;

  constructor(baseUrl: string, options: Options = {}) {
    const { key, budget = "1.00", wallet, keys, timeout = 70, patience = 120 } = options;
    // Browsers' own is no method of any other object.
    const send = options.fetch ?? fetch;
    this.budget = new Budget(budget);
    this.#keys = keys;
    this.#engine = new Engine({
      baseUrl: baseUrl.replace(/\/+$/, ""),
      key,
      budget: this.budget,
      payer: options.payer ?? (wallet && walletPayer(wallet)),
      timeout,
      patience,
      fetch: (input, init) => send(input, init),
      sleep: options.sleep ?? ((seconds) => new Promise((done) => setTimeout(done, seconds * 1000))),
    });
  }

  /** Calls a bridge and pays for it. */
  call<N extends keyof Bridges>(bridge: N, ...input: Input<Bridges[N]["input"]>): Promise<Answer<Bridges[N]["result"]>> {
    return this.callAny(bridge, input[0] ?? {});
  }

  /** Calls a bridge that has no types here. */
  callAny(bridge: string, input: unknown): Promise<Answer<any>> {
    return this.#engine.perform(Call.ofBridge(bridge, input));
  }

  /** Gives an agent a task in words, an input, or both, and pays for it. */
  agent<N extends keyof Agents>(agent: N, task?: string, input?: Agents[N]["input"]): Promise<Answer<Agents[N]["result"]>> {
    return this.agentAny(agent, task, input);
  }

  /** Gives a task to an agent that has no types here. */
  agentAny(agent: string, task?: string, input?: unknown): Promise<Answer<any>> {
    return this.#engine.perform(Call.ofAgent(agent, task, input));
  }

  /** Goes on with a call whose outcome was not known, or that had to be paid first. */
  resume(error: Unsettled | PaymentRequired): Promise<Answer<any>> {
    if (!error.call) throw new TypeError("this error is of no call that can be resumed");
    return this.#engine.perform(error.call);
  }

  /** What a call would cost; nothing is paid. */
  quote<N extends keyof Bridges>(bridge: N, ...input: Input<Bridges[N]["input"]>): Promise<Quote> {
    return this.#engine.quote(Call.ofBridge(bridge, input[0] ?? {}));
  }

  /** What a task would cost; nothing is paid. */
  quoteAgent<N extends keyof Agents>(agent: N, task?: string, input?: Agents[N]["input"]): Promise<Quote> {
    return this.#engine.quote(Call.ofAgent(agent, task, input));
  }

  /** Credit and earnings of the account. */
  async balance(): Promise<Balance> {
    const raw = await this.#engine.get("/v1/balance");
    const [credit = 0, earned = 0, pending = 0] = [raw.credit_gbp, raw.balance_gbp, raw.pending_gbp].map(millipence);
    return { credit, earned, pending, raw };
  }

  /** Every bridge with price, schemas and examples. */
  async bridges(): Promise<any[]> {
    return (await this.#engine.get("/api/v1/bridges")).bridges;
  }

  /** The server's public keys that this client trusts; keep them for the next one. */
  async keys(): Promise<Keys> {
    this.#keys ??= keysOf(await this.#engine.get("/.well-known/jwks.json"));
    return this.#keys;
  }

  /** What an answer can be checked with, for keeping. */
  async evidence(answer: Answer<any>): Promise<Evidence> {
    const proof = await this.#engine.get(`/v1/ledger/proof/${answer.seal}`);
    if (this.#engine.terms.key === undefined) return { proof, record: undefined };
    return { proof, record: (await this.#engine.get(`/v1/ledger/record/${answer.seal}`)).canonical };
  }

  /**
   * Checks that the answer is the one that was sealed; throws `VerificationFailed`.
   *
   * Proof and record are fetched, the check itself needs no network (`check`). Only the account
   * that paid may read a record: without a key, `sealOnly` checks that the seal is in the signed
   * ledger, and says nothing about the answer's bytes.
   */
  async verify(answer: Answer<any>, options: { sealOnly?: boolean } = {}): Promise<Verified> {
    return check(answer, await this.evidence(answer), await this.keys(), options.sealOnly ?? false);
  }
}

function walletPayer(wallet: Wallet): Payer {
  return {
    async pay(payment) {
      await wallet(payment);
      return { "X-Payment-Intent-Id": payment.id };
    },
  };
}
