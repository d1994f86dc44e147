// Makes signed_node.json:
//
//     node make.mjs NODE_MODULES
//
// with @x402/core and @x402/evm 2.27.0 and viem in NODE_MODULES.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(path.join(path.resolve(process.argv[2]), "x.js")));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { x402Client, x402HTTPClient } = (await load("@x402/core/client"));
const { registerExactEvmScheme } = await load("@x402/evm/exact/client");
const { hashTypedData } = await load("viem");
const { privateKeyToAccount } = await load("viem/accounts");

const here = path.dirname(new URL(import.meta.url).pathname);
const assets = JSON.parse(readFileSync(path.join(here, "default_assets.json"))).assets;
const uint = (name) => ({ name, type: "uint256" });
const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" }, { name: "to", type: "address" }, uint("value"),
    uint("validAfter"), uint("validBefore"), { name: "nonce", type: "bytes32" },
  ],
};

const vectors = [];
for (const [index, [network, amount, timeout]] of [
  ["eip155:84532", "10000", 60], ["eip155:8453", "250000", 120], ["eip155:42161", "77", 600],
].entries()) {
  // A key for tests, publicly known.
  const account = privateKeyToAccount(`0x${["44", "55", "66"][index].repeat(32)}`);
  const client = new x402Client();
  registerExactEvmScheme(client, { signer: account });
  const asset = assets[network][0];
  const requirement = {
    scheme: "exact", network, amount, asset: asset.asset, payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    maxTimeoutSeconds: timeout, extra: { name: asset.name, version: asset.version },
  };
  const nowS = Math.floor(Date.now() / 1000);
  const payment = await client.createPaymentPayload({
    x402Version: 2, resource: { url: "http://127.0.0.1:8499/v1/oracle/tax" }, accepts: [requirement], extensions: {},
  });
  const headers = new x402HTTPClient(client).encodePaymentSignatureHeader(payment);
  const { authorization } = payment.payload;
  const domain = {
    name: asset.name, version: asset.version, chainId: Number(network.split(":")[1]), verifyingContract: asset.asset,
  };
  const digest = hashTypedData({ domain, types, primaryType: "TransferWithAuthorization", message: authorization });
  vectors.push({
    client: "@x402/evm 2.27.0 (npm)", nowS, header: headers["PAYMENT-SIGNATURE"], requirement,
    decimals: asset.decimals, digest, payer: account.address,
  });
}
const file = { source: "@x402/core and @x402/evm 2.27.0 (npm), digests by viem", vectors };
writeFileSync(path.join(here, "signed_node.json"), JSON.stringify(file, null, 2) + "\n");
