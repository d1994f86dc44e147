// Verifies an answer in the page: that its record is in the signed ledger
// (docs/ledger-format.md), that the proof of a task is signed (docs/proofs.md), and,
// with the record, that the answer is the sealed one. Each passed check returns a
// sentence; the first failed check throws an error.

const utf8 = new TextEncoder();

const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const unbase64 = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

async function sha256(...parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
}

function need(holds, what) {
  if (!holds) throw new Error(what);
}

async function isSigned(jwk, signature, message) {
  const { kty, crv, x } = jwk;
  const key = await crypto.subtle.importKey("jwk", { kty, crv, x }, { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "Ed25519" }, key, signature, message);
}

/** The signed head of the ledger: a C2SP signed note, by the key of the server. */
async function checkpoint(note, keys) {
  const end = note.indexOf("\n\n");
  need(end > 0, "the checkpoint is no signed note");
  const text = note.slice(0, end + 1);
  const [, size, root] = text.split("\n");
  for (const line of note.slice(end + 2).split("\n")) {
    const bytes = line.startsWith("— ") ? unbase64(line.split(" ").at(-1)) : new Uint8Array();
    const id = hex(bytes.slice(0, 4));
    const key = keys.find((one) => one.purpose === "checkpoints" && one.kid === id);
    if (key && (await isSigned(key, bytes.slice(4), utf8.encode(text)))) {
      return { size: Number(size), root: hex(unbase64(root)) };
    }
  }
  throw new Error("no published key signed the checkpoint");
}

/** The root that follows from a leaf and its path (RFC 9162, section 2.1.3.2). */
export async function rootOf(leaf, seq, size, path) {
  need(seq < size, "the record is not below the checkpoint");
  let [place, last, hash] = [seq, size - 1, leaf];
  for (const step of path.map(unhex)) {
    need(last > 0, "the path is too long");
    if (place % 2 === 1 || place === last) {
      hash = await sha256(Uint8Array.of(1), step, hash);
      while (place % 2 === 0 && place > 0) {
        place /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      hash = await sha256(Uint8Array.of(1), hash, step);
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  need(last === 0, "the path is too short");
  return hex(hash);
}

/** JSON in the form of RFC 8785. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

async function checkTask(task, seal, keys) {
  const { proof } = task;
  const signed = unbase64(proof.signed);
  const statement = JSON.parse(new TextDecoder().decode(signed));
  const key = keys.find((one) => one.purpose === "proofs" && one.kid === proof.key_id);
  need(key, "the key of the proof is not published");
  need(await isSigned(key, unhex(proof.signature), signed), "the signature of the proof does not hold");
  need(statement.domain === "tollbridge task proof v1", "what is signed is no proof of a task");
  need(statement.worm_seal === seal, "the proof is of another record");
  const output = hex(await sha256(utf8.encode(canonical(task.output))));
  need(statement.output_sha256 === output, "the proof is of another output");
  return "The agent's output is the one that the signed proof names.";
}

async function checkRecord(record, proof, answer, request, task) {
  const bytes = utf8.encode(record.canonical);
  need(hex(await sha256(bytes)) === proof.seal, "the seal is not that of the record");
  need(hex(await sha256(Uint8Array.of(0), bytes)) === proof.leaf_hash, "the record is not the leaf of the proof");
  const { body } = JSON.parse(record.canonical);
  if (task?.proof) {
    // The answer of an agent names its own record, which so cannot name the answer.
    const output = hex(await sha256(utf8.encode(canonical(task.output))));
    need(body.task.output_sha256 === output, "another output was sealed");
    return "The sealed record names this output.";
  }
  const salt = unhex(body.salt);
  need(hex(await sha256(salt, utf8.encode(request))) === body.request_sha256, "another request was sealed");
  need(hex(await sha256(salt, answer)) === body.answer_sha256, "another answer was sealed");
  return "The sealed record names this request and this answer, byte for byte.";
}

/**
 * Checks all that can be checked of an answer, and says what holds.
 * `record` is there for those who may read it, `task` for answers of agents.
 */
export async function check({ seal, proof, keys, record, task, answer, request }) {
  need(crypto.subtle, "this browser checks signatures on pages with https only");
  need(proof.seal === seal, "the proof is of another seal");
  const head = await checkpoint(proof.checkpoint, keys);
  const holds = ["The ledger's checkpoint is signed by a published key of this server."];
  const root = await rootOf(unhex(proof.leaf_hash), proof.seq, head.size, proof.inclusion);
  need(root === head.root, "the record is not in the ledger of the checkpoint");
  holds.push(`The record is number ${proof.seq + 1} of the ${head.size} in that ledger.`);
  if (record) holds.push(await checkRecord(record, proof, answer, request, task));
  if (task?.proof) holds.push(await checkTask(task, seal, keys));
  return holds;
}
