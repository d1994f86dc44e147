// One request, sent until there is an answer that stands.

import type { Bytes, Call, Payer, Reply } from "./call.js";
import { errorOf, type TollbridgeError, Unreachable, Unsettled } from "./errors.js";
import type { Budget } from "./money.js";

export const TRIES = 5;
// Said only by what comes after the look for an earlier answer: nothing was charged.
export const REFUSED = new Set(["E003", "E005", "E007", "E008", "E011", "E012", "E016", "E017", "E018", "E027"]);
const NOT_DONE = new Set([...REFUSED, "E002", "E024", "E026", "E028"]);
const TRY_AGAIN = new Set(["E002", "E016", "E024", "E025", "E026", "E028"]);
// Errors of Node's `fetch` before a byte of the request is sent; browsers do not tell.
const UNSENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

/** What an engine needs to know. */
export interface Terms {
  baseUrl: string;
  key: string | undefined;
  budget: Budget;
  payer: Payer | undefined;
  /** Seconds for one request, and for waiting between attempts. */
  timeout: number;
  patience: number;
  fetch: typeof fetch;
  /** Waits so many seconds. */
  sleep: (seconds: number) => Promise<void>;
}

/**
 * Sends the same until there is an answer that stands. `call` is the call that it is about:
 * what remains unknown at the end is then `Unsettled`.
 */
export async function send(terms: Terms, method: string, path: string, body: Bytes | undefined,
  more: Record<string, string>, call: Call | undefined): Promise<Reply> {
  const headers: Record<string, string> = { Accept: "application/json", ...more };
  if (body) headers["Content-Type"] = "application/json";
  if (terms.key !== undefined) headers["Authorization"] = `Bearer ${terms.key}`;
  const isPaid = "Idempotency-Key" in headers;
  for (let tries = 0, waited = 0; ; ) {
    const reply = await once(terms, method, path, headers, body);
    tries += 1;
    let last: TollbridgeError;
    let unclear: boolean;
    let wait: number | undefined;
    if ("lost" in reply) {
      [last, unclear] = [new Unreachable(`${path}: ${reply.lost}`, { cause: reply.lost }), reply.sent];
    } else if (reply.status < 400) {
      return reply;
    } else {
      last = errorOf(reply.status, reply.headers, reply.body);
      const code = last.code ?? "";
      const isBusy = code === "E003" && ["in_progress", "unavailable"].includes(reply.body.payment?.reason);
      const again = isBusy || TRY_AGAIN.has(code) || (!code && [429, 500, 502, 503, 504].includes(reply.status));
      if (!again || reply.headers.get("x-should-retry") === "false" || last.charged) return reply;
      unclear = !NOT_DONE.has(code);
      wait = last.retryAfter;
      // Somebody is at work on it: that ends by itself.
      if (code === "E028") [tries, wait] = [tries - 1, Math.max(wait ?? 0, 0.05)];
    }
    if (call && isPaid) call.isUnclear ||= unclear;
    wait ??= Math.min(8, 0.25 * 2 ** tries) * (0.5 + Math.random() / 2);
    waited += wait;
    if (tries >= TRIES || waited > terms.patience) {
      if (call && (call.isUnclear || !isPaid)) {
        throw new Unsettled(`no answer that stands after ${tries} tries: ${last.message}`, call, last);
      }
      if (!("lost" in reply)) return reply;
      throw last;
    }
    await terms.sleep(wait);
  }
}

async function once(terms: Terms, method: string, path: string, headers: Record<string, string>,
  body: Bytes | undefined): Promise<Reply | { lost: unknown; sent: boolean }> {
  const { baseUrl, timeout } = terms;
  const signal = AbortSignal.timeout(timeout * 1000);
  try {
    const answer = await terms.fetch(baseUrl + path, { method, headers, body: body ?? null, redirect: "error", signal });
    const raw = new Uint8Array(await answer.arrayBuffer());
    return { status: answer.status, headers: answer.headers, raw, body: parse(raw) };
  } catch (error: any) {
    return { lost: error, sent: !UNSENT.has(error?.cause?.code) };
  }
}

function parse(raw: Uint8Array): any {
  try {
    return JSON.parse(new TextDecoder().decode(raw));
  } catch {
    return undefined;
  }
}
