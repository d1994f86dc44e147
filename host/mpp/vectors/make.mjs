// Makes node.json:
//
//     node make.mjs NODE_MODULES
//
// with mppx 0.11.0 in NODE_MODULES. The cases are those of python.json.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const mppx = await import(pathToFileURL(path.resolve(process.argv[2], "mppx/dist/index.js")));
const { BodyDigest, Challenge, Credential, Receipt } = mppx;
const here = path.dirname(new URL(import.meta.url).pathname);
const { secret, realm, vectors: cases } = JSON.parse(readFileSync(path.join(here, "python.json")));

const vectors = cases.map(({ challenge: header, request, opaque, description, payload, body }) => {
  const { method, header: credentialHeader } = Challenge.deserialize(header);
  const challenge = Challenge.from({
    secretKey: secret, realm, method, intent: "charge", request, expires: "2027-01-15T08:00:00Z",
    ...(opaque && { meta: opaque }), ...(description && { description }),
    ...(body && { digest: BodyDigest.compute(body) }), ...(credentialHeader && { header: credentialHeader }),
  });
  const credential = Credential.serialize({ challenge, payload, source: "did:key:z6Mk" });
  return { challenge: Challenge.serialize(challenge), id: challenge.id, request, opaque, description, credential, payload, body };
});
const receipt = Receipt.serialize({ status: "success", timestamp: "2027-01-15T08:00:00Z", reference: "pi_1", method: "stripe" });
const result = { source: "mppx 0.11.0 (npm)", secret, realm, vectors, receipt };
writeFileSync(path.join(here, "node.json"), JSON.stringify(result, null, 2) + "\n");
