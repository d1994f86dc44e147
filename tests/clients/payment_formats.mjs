// The official library of MPP for JavaScript reads what this host makes:
// host/mpp/vectors/ours.json.
//
//     node payment_formats.mjs NODE_MODULES
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const modules = path.resolve(process.argv[2]);
const { BodyDigest, Challenge, Credential, Receipt } = await import(pathToFileURL(path.join(modules, "mppx/dist/index.js")));
const here = path.dirname(new URL(import.meta.url).pathname);
const ours = JSON.parse(readFileSync(path.join(here, "../../host/mpp/vectors/ours.json")));
for (const vector of ours.vectors) {
  const challenge = Challenge.deserialize(vector.challenge);
  assert.ok(Challenge.verify(challenge, { secretKey: ours.secret }), vector.id);
  assert.deepEqual(challenge.request, vector.request);
  assert.equal(challenge.description ?? null, vector.description);
  const credential = Credential.deserialize(vector.credential);
  assert.equal(credential.challenge.id, vector.id);
  assert.deepEqual(credential.payload, vector.payload);
  assert.ok(Challenge.verify(credential.challenge, { secretKey: ours.secret }), vector.id);
  // Theirs leaves out the colons of RFC 9530.
  if (vector.body) assert.equal(challenge.digest.replaceAll(":", ""), BodyDigest.compute(vector.body));
}
const list = Challenge.deserializeList(ours.vectors.map((vector) => vector.challenge).join(", "));
assert.equal(list.length, ours.vectors.length);
assert.equal(Receipt.deserialize(ours.receipt).reference, "pi_1");
console.log(`mppx reads ${list.length} challenges`);
