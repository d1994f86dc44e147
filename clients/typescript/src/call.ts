// The values that a call is made of: what is asked, paid and answered.

import { ServerFault } from "./errors.js";
import { millipence } from "./money.js";

export type Bytes = Uint8Array<ArrayBuffer>;

/** What a quote asks for. Amounts are thousandths of a penny. */
export interface Payment {
  /** Id of the payment intent: a secret, whoever has it can use the payment. */
  readonly id: string;
  /** Where a person pays; missing where no payment helps. */
  readonly link: string | undefined;
  /** What it pays for: a bridge, or `agents/` and an agent. */
  readonly name: string;
  /** Price of one call. */
  readonly amount: number;
  /** What the link takes: at least the price, it may cover many calls. */
  readonly charge: number;
  readonly expiresAt: string | undefined;
  /** Why what was sent does not count, for a program. */
  readonly reason: string | undefined;
  /** The whole body of the 402 answer, for payers that need more of it. */
  readonly raw: any;
}

/** A way to pay. */
export interface Payer {
  /** Pays, and returns the headers that show it; throws what went wrong. */
  pay(payment: Payment): Promise<Record<string, string>> | Record<string, string>;
}

/** Opens `payment.link` and returns when it is paid. */
export type Wallet = (payment: Payment) => Promise<void> | void;

/** The answer to a call. */
export interface Answer<T> {
  /** What was asked for: `result` of a bridge's answer, `output` of an agent's. */
  readonly result: T;
  /** SHA-256 of the sealed record, hex; missing if the call cost nothing. */
  readonly seal: string | undefined;
  readonly transaction: string | undefined;
  /** What the call cost, in thousandths of a penny. */
  readonly charged: number;
  /** All of the answer: beside the result, how it was reached and what it rests on. */
  readonly body: any;
  /** The body as it came. */
  readonly raw: Bytes;
  /** The body as it was sent. */
  readonly request: Bytes;
  readonly name: string;
  readonly isAgent: boolean;
  readonly requestId: string | undefined;
  /** Whether it is the stored answer of an earlier attempt. */
  readonly replayed: boolean;
}

/** What a call would cost. */
export interface Quote {
  readonly name: string;
  /** Thousandths of a penny. */
  readonly amount: number;
  /** Missing where the call costs nothing. */
  readonly payment: Payment | undefined;
}

/** Money of the account, in thousandths of a penny (whole pence are exact). */
export interface Balance {
  readonly credit: number;
  readonly earned: number;
  readonly pending: number;
  readonly raw: any;
}

/** One call, with all that a repeat of it needs: its key never changes. */
export class Call {
  readonly key = `tb-${random()}`;
  /** Headers that pay for it, once that is settled. */
  paidBy: Record<string, string> | undefined;
  /** Of the budget. */
  held = 0;
  /** On the intent that pays for it. */
  left: number | undefined;
  /** A quote that somebody was asked to pay. */
  offered: Payment | undefined;
  /** Whether it was sent paid and the outcome is not known. */
  isUnclear = false;

  private constructor(
    readonly path: string,
    readonly name: string,
    readonly body: Bytes,
    readonly isAgent: boolean,
  ) {}

  /** A call of a bridge. */
  static ofBridge(bridge: string, input: unknown): Call {
    return new Call(`/v1/oracle/${segment(bridge)}`, bridge, json(input), false);
  }

  /** A task for an agent; a skill such as `data:aggregation` names the agent of that skill. */
  static ofAgent(agent: string, task: string | undefined, input: unknown): Call {
    const slug = agent.replaceAll(":", "-");
    return new Call(`/v1/agents/${segment(slug)}/invoke`, `agents/${slug}`, json({ task, input }), true);
  }
}

/** An answer of the server. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly raw: Bytes;
  /** The body, if it is JSON. */
  readonly body: any;
}

/** The quote in the body of a 402 answer. */
export function paymentOf(body: any): Payment {
  try {
    const said = body.payment;
    const amount = millipence(said.amount_gbp);
    return {
      id: said.payment_intent_id,
      link: said.payment_link,
      name: said.bridge,
      amount,
      charge: Math.max(amount, millipence(said.charge_gbp ?? said.amount_gbp)),
      expiresAt: said.expires_at,
      reason: said.reason,
      raw: body,
    };
  } catch (cause) {
    throw new ServerFault(`the quote cannot be read: ${cause}`, { status: 402, cause });
  }
}

/** 128 bits, hex; unlike `randomUUID` also on pages without TLS. */
function random(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function json(value: unknown): Bytes {
  return new TextEncoder().encode(JSON.stringify(value));
}

function segment(name: string): string {
  if (!/^[A-Za-z0-9_.-]+$/.test(name)) throw new RangeError(`${JSON.stringify(name)} is not the name of a bridge or agent`);
  return name;
}
