// Makes upto_node.json, payments by `upto`:
//
//     node make_upto.mjs NODE_MODULES
//
// with @x402/core and @x402/evm 2.27.0 and viem in NODE_MODULES.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(path.join(path.resolve(process.argv[2]), "x.js")));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { x402Client, x402HTTPClient } = await load("@x402/core/client");
const { UptoEvmScheme } = await load("@x402/evm/upto/client");
const { hashTypedData } = await load("viem");
const { privateKeyToAccount } = await load("viem/accounts");

const here = path.dirname(new URL(import.meta.url).pathname);
const assets = JSON.parse(readFileSync(path.join(here, "default_assets.json"))).assets;
const uint = (name) => ({ name, type: "uint256" });
const address = (name) => ({ name, type: "address" });
const types = {
  PermitWitnessTransferFrom: [
    { name: "permitted", type: "TokenPermissions" }, address("spender"), uint("nonce"), uint("deadline"),
    { name: "witness", type: "Witness" },
  ],
  TokenPermissions: [address("token"), uint("amount")],
  Witness: [address("to"), address("facilitator"), uint("validAfter")],
};

const vectors = [];
for (const [index, [network, amount, timeout]] of [["eip155:84532", "10000", 60], ["eip155:42161", "77", 600]].entries()) {
  // A key for tests, publicly known.
  const account = privateKeyToAccount(`0x${["44", "55"][index].repeat(32)}`);
  const client = new x402Client().register(network, new UptoEvmScheme(account));
  const asset = assets[network][0];
  const requirement = {
    scheme: "upto", network, amount, asset: asset.asset, payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    maxTimeoutSeconds: timeout,
    extra: {
      name: asset.name, version: asset.version, assetTransferMethod: "permit2",
      facilitatorAddress: "0x857b06519E91e3A54538791bDbb0E22373e36b66",
    },
  };
  const nowS = Math.floor(Date.now() / 1000);
  const payment = await client.createPaymentPayload({
    x402Version: 2, resource: { url: "http://127.0.0.1:8499/v1/paid/x" }, accepts: [requirement], extensions: {},
  });
  const headers = new x402HTTPClient(client).encodePaymentSignatureHeader(payment);
  const domain = {
    name: "Permit2", chainId: Number(network.split(":")[1]),
    verifyingContract: "0x000000000022D473030F116dDEE9F6B43aC78BA3",
  };
  const message = payment.payload.permit2Authorization;
  const digest = hashTypedData({ domain, types, primaryType: "PermitWitnessTransferFrom", message });
  vectors.push({
    client: "@x402/evm 2.27.0 (npm)", nowS, header: headers["PAYMENT-SIGNATURE"], requirement,
    decimals: asset.decimals, digest, payer: account.address,
  });
}
const file = { source: "@x402/core and @x402/evm 2.27.0 (npm), digests by viem", vectors };
writeFileSync(path.join(here, "upto_node.json"), JSON.stringify(file, null, 2) + "\n");
