// What can go wrong, one class for each family of codes; see the server's docs/errors.md.

import type { Call, Payment } from "./call.js";
import { millipence, pounds } from "./money.js";

/** What the server said of an error. */
export interface Details {
  code?: string | undefined;
  status?: number | undefined;
  field?: string | undefined;
  hint?: string | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  charged?: number | undefined;
  cause?: unknown;
}

/** Whatever goes wrong with the server or a call. */
export class TollbridgeError extends Error {
  /** The server's code, like `E011`. */
  readonly code: string | undefined;
  readonly status: number | undefined;
  /** JSON pointer to the member at fault. */
  readonly field: string | undefined;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** What was charged all the same, in thousandths of a penny. */
  charged: number;

  constructor(message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = details.code;
    this.status = details.status;
    this.field = details.field;
    this.hint = details.hint;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.charged = details.charged ?? 0;
  }
}

/** The key is missing, invalid, blocked or lacks a scope: E001, E021, E022. */
export class AccessDenied extends TollbridgeError {}

/** Too many requests, also after waiting: E002. */
export class RateLimited extends TollbridgeError {}

/**
 * Nothing paid for the call, so it was not made: E003.
 * Pay `payment.link`, then `client.resume(error)` makes this very call.
 */
export class PaymentRequired extends TollbridgeError {
  payment: Payment | undefined;
  call: Call | undefined;
}

/** The call may cost `overBy` more than the budget has left; it was not sent paid. */
export class BudgetExceeded extends TollbridgeError {
  constructor(
    readonly needed: number,
    readonly overBy: number,
  ) {
    super(`the call may cost £${pounds(needed)}, £${pounds(overBy)} more than the budget has left`);
  }
}

/** No such bridge, agent, model or resource: E004, E007, E012. */
export class NotFound extends TollbridgeError {}

/** The input is wrong; `field` names the member: E006, E008, E011, E013 to E015. */
export class InvalidRequest extends TollbridgeError {}

/** The request does not fit the state of things: E010, E019, E020, E023, E028. */
export class Conflict extends TollbridgeError {}

/** The server cannot answer this now: E005, E009, E016, E024, E026, E027. */
export class Unavailable extends TollbridgeError {}

/** The bridge or agent failed or ran out of time: E017, E018. */
export class CallFailed extends TollbridgeError {}

/** The server failed, or what it said is not understood: E025. */
export class ServerFault extends TollbridgeError {}

/** The server could not be reached; nothing was paid. */
export class Unreachable extends TollbridgeError {}

/**
 * It is not known whether the call was charged; the budget keeps its price on hold.
 * `client.resume(error)` asks again with the same idempotency key, so the call is charged
 * once at most, and settles the budget.
 */
export class Unsettled extends TollbridgeError {
  constructor(
    message: string,
    readonly call: Call,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** A seal, a proof or a signature does not hold, or cannot be checked. */
export class VerificationFailed extends TollbridgeError {}

const FAMILIES: [new (message: string, details?: Details) => TollbridgeError, string][] = [
  [AccessDenied, "E001 E021 E022"],
  [RateLimited, "E002"],
  [PaymentRequired, "E003"],
  [NotFound, "E004 E007 E012"],
  [InvalidRequest, "E006 E008 E011 E013 E014 E015"],
  [Conflict, "E010 E019 E020 E023 E028"],
  [Unavailable, "E005 E009 E016 E024 E026 E027"],
  [CallFailed, "E017 E018"],
];
const CLASSES = new Map(FAMILIES.flatMap(([kind, codes]) => codes.split(" ").map((code) => [code, kind] as const)));

/** The error that an answer of the server is; `body` is its JSON, if it has any. */
export function errorOf(status: number, headers: Headers, body: any): TollbridgeError {
  const said = body !== null && typeof body === "object" ? body : {};
  const kind = CLASSES.get(said.code) ?? ServerFault;
  return new kind(String(said.error ?? `the server answered ${status} without a reason`), {
    code: said.code,
    status,
    field: (said.details ?? said.input)?.field,
    hint: said.hint,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfter: retryAfter(headers),
    charged: millipence(String(said.charged_gbp ?? headers.get("x-charged-gbp") ?? "0")),
  });
}

/** Seconds of `Retry-After`, where it is a number. */
export function retryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after") ?? "";
  return /^[0-9]+$/.test(text) ? Number(text) : undefined;
}
