// Checks, without the server, that an answer is the one that was sealed: a reading of the
// server's docs/ledger-format.md (sections 4 to 6) and docs/proofs.md. Uses Web Crypto.

import type { Answer, Bytes } from "./call.js";
import { VerificationFailed } from "./errors.js";

const TASK_DOMAIN = "tollbridge task proof v1";

/** Public keys of a server that are trusted. */
export interface Keys {
  /** Those that sign the ledger's checkpoints, like `host/worm+1a2b3c4d+AQ…`. */
  readonly checkpoints: readonly string[];
  /** Those that sign proofs of tasks: 32 bytes, hex. */
  readonly proofs: readonly string[];
}

/** What an answer is checked with. */
export interface Evidence {
  /** The document of `/v1/ledger/proof/{seal}`. */
  readonly proof: any;
  /** The sealed record, exactly; only the account that paid can read it. */
  readonly record: string | undefined;
}

/** What was found to hold. */
export interface Verified {
  readonly seal: string;
  /** Place of the record in the ledger. */
  readonly seq: number;
  /** Records that the signed checkpoint covers. */
  readonly treeSize: number;
  readonly origin: string;
  /** The signed note: kept, it shows later that the ledger was not rewritten. */
  readonly checkpoint: string;
  readonly record: any;
}

/** Those of `/.well-known/jwks.json`. */
export function keysOf(jwks: any): Keys {
  const by = (purpose: string): any[] => jwks.keys.filter((key: any) => key.purpose === purpose);
  const bytes = (text: string): Bytes => decode(text.replaceAll("-", "+").replaceAll("_", "/"));
  return {
    checkpoints: by("checkpoints").map((key) => key.verifier_key),
    proofs: by("proofs").map((key) => hex(bytes(key.x))),
  };
}

/** Checks an answer, or throws `VerificationFailed` with the first thing that is wrong. */
export async function check(answer: Answer<any>, evidence: Evidence, keys: Keys, sealOnly = false): Promise<Verified> {
  try {
    return await checkAll(answer, evidence, keys, sealOnly);
  } catch (cause) {
    if (cause instanceof VerificationFailed) throw cause;
    throw new VerificationFailed(`the evidence is not well formed: ${cause}`, { cause });
  }
}

/** A JSON value in the canonical form of RFC 8785. */
export function canonical(value: any): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  // The order of UTF-16 code units is that of RFC 8785.
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

async function checkAll(answer: Answer<any>, evidence: Evidence, keys: Keys, sealOnly: boolean): Promise<Verified> {
  const { proof } = evidence;
  const { seal } = answer;
  if (seal === undefined) throw new VerificationFailed("the answer has no seal: it cost nothing");
  need(proof.seal === seal, "the proof is of another seal");
  const { seq, tree_size: size, root } = proof;
  need(Number.isSafeInteger(seq) && Number.isSafeInteger(size) && seq >= 0 && seq < size, "the record is not in the tree");
  const origin = await checkCheckpoint(proof.checkpoint, size, root, keys);
  const leaf = unhex(proof.leaf_hash);
  const path: Bytes[] = proof.inclusion.map(unhex);
  need([leaf, ...path].every((step) => step.length === 32) && path.length <= 64, "a hash is not well formed");
  need(hex(await rootOf(leaf, seq, size, path)) === root, "the path does not lead to the root");
  let record: any;
  if (evidence.record !== undefined) {
    const raw = utf8(evidence.record);
    need(hex(await sha(raw)) === seal, "the record is not the one with this seal");
    need(hex(await sha(Uint8Array.of(0), raw)) === proof.leaf_hash, "the record is not the one of the proof");
    record = JSON.parse(evidence.record);
    need(record.seq === seq, "the record is in another place");
    await checkRecord(answer, record);
  } else {
    need(sealOnly, "without its record only the seal can be checked: use a key, or sealOnly");
  }
  if (answer.isAgent) await checkTask(answer, record, keys);
  return { seal, seq, treeSize: size, origin, checkpoint: proof.checkpoint, record };
}

/** Its origin; a known key must verify, and unknown ones are passed over. */
async function checkCheckpoint(note: string, size: number, root: string, keys: Keys): Promise<string> {
  const gap = note.lastIndexOf("\n\n");
  const text = note.slice(0, gap);
  const [origin, signedSize, signedRoot, ...more] = text.split("\n");
  need(gap > 0 && note.endsWith("\n") && more.length === 0, "not a checkpoint");
  need(signedSize === String(size) && hex(decode(signedRoot ?? "")) === root, "the checkpoint is of another tree");
  let signed = false;
  for (const line of note.slice(gap + 2, -1).split("\n")) {
    const found = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/=]+)$/.exec(line);
    if (!found) throw new VerificationFailed("a signature line is not well formed");
    const signature = decode(found[2] ?? "");
    for (const key of keys.checkpoints) {
      const [name = "", , ...data] = key.split("+");
      const publicKey = decode(data.join("+"));
      const id = (await sha(utf8(`${name}\n`), publicKey)).slice(0, 4);
      if (name !== found[1] || hex(id) !== hex(signature.slice(0, 4))) continue;
      need(publicKey[0] === 1, "the key is of another kind");
      await verify(publicKey.slice(1), signature.slice(4), utf8(`${text}\n`), "the signature of the checkpoint");
      signed ||= name === origin;
    }
  }
  need(signed, "no trusted key has signed the checkpoint");
  return origin ?? "";
}

async function checkRecord(answer: Answer<any>, record: any): Promise<void> {
  const { body } = record;
  const kind = answer.isAgent ? "agent" : "bridge";
  need(record.kind === "route" && body.plugin_kind === kind, "the record is not one of a call");
  need(body.plugin === answer.name, "the record is of another bridge or agent");
  need(`tx_${record.tx}` === answer.transaction, "the record is of another transaction");
  need(body.gross_millipence === answer.charged, "the record takes another amount");
  if (answer.isAgent) return;
  const salt = unhex(body.salt);
  need(hex(await sha(salt, answer.request)) === body.request_sha256, "the record is of another request");
  need(hex(await sha(salt, answer.raw)) === body.answer_sha256, "the answer is not the one that was sealed");
  const said = JSON.parse(new TextDecoder().decode(answer.raw));
  const result = canonical(answer.result);
  need([said, said.result ?? null].some((one) => canonical(one) === result), "the result was changed");
}

/** The signed statement in an agent's answer, against answer, request and record. */
async function checkTask(answer: Answer<any>, record: any, keys: Keys): Promise<void> {
  const body = JSON.parse(new TextDecoder().decode(answer.raw));
  const request = JSON.parse(new TextDecoder().decode(answer.request));
  const { proof } = body;
  const signed = decode(proof.signed);
  need(keys.proofs.includes(proof.public_key), "the proof is signed by a key that is not trusted");
  await verify(unhex(proof.public_key), unhex(proof.signature), signed, "the signature of the proof");
  const said = JSON.parse(new TextDecoder().decode(signed));
  const same = said.domain === TASK_DOMAIN && canonical(said) === canonical(proof.statement);
  need(same, "the statement is not the one that was signed");
  need(said.task_id === proof.task_id && said.task_id === body.task_id, "the proof is of another task");
  need(said.worm_seal === answer.seal && said.slug === answer.name, "the proof is of another call");
  const output = canonical(body.output);
  need(output === canonical(answer.result), "the result was changed");
  need(hex(await sha(utf8(output))) === said.output_sha256, "the output is not the one that was proven");
  const { task, input } = request;
  // A task that is itself the text of a JSON object counts as input too.
  const counted = input ?? object(task);
  const asked = { ...(counted === undefined ? {} : { input: counted }), ...(task ? { task } : {}) };
  need(hex(await sha(utf8(canonical(asked)))) === said.input_sha256, "the proof is of another task");
  if (record !== undefined) {
    const facts = record.body.task;
    const agrees = facts.input_sha256 === said.input_sha256 && facts.output_sha256 === said.output_sha256;
    need(agrees, "record and proof do not say the same");
  }
}

function need(condition: boolean, message: string): void {
  if (!condition) throw new VerificationFailed(message);
}

async function verify(publicKey: Bytes, signature: Bytes, signed: Bytes, what: string): Promise<void> {
  const key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  need(await crypto.subtle.verify("Ed25519", key, signature, signed), `${what} does not hold`);
}

async function sha(...parts: Bytes[]): Promise<Bytes> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", all));
}

/** The root that an audit path leads to: RFC 6962, section 2.1.1. */
async function rootOf(leaf: Bytes, index: number, size: number, path: Bytes[]): Promise<Bytes> {
  if (size === 1) {
    need(path.length === 0, "the path is too long");
    return leaf;
  }
  const last = path.at(-1);
  if (!last) throw new VerificationFailed("the path is too short");
  let left = 1;
  while (left * 2 < size) left *= 2;
  const rest = path.slice(0, -1);
  if (index < left) return sha(Uint8Array.of(1), await rootOf(leaf, index, left, rest), last);
  return sha(Uint8Array.of(1), last, await rootOf(leaf, index - left, size - left, rest));
}

const utf8 = (text: string): Bytes => new TextEncoder().encode(text);
const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const decode = (text: string): Bytes => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

function unhex(text: string): Bytes {
  need(/^([0-9a-f]{2})*$/.test(text), "not hexadecimal");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function object(text: unknown): any {
  try {
    const value = JSON.parse(text as string);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
