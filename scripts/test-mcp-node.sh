#!/bin/sh
# Tests with the official MCP clients for TypeScript, of both major versions, and the
# inspector. Needs Node 20 or newer; the packages, and the newer Node that the
# inspector needs, are installed into target/mcp-node.
set -eu
cd "$(dirname "$0")/.."
folder=$(pwd)/target/mcp-node
mkdir -p "$folder"
[ -f "$folder/package.json" ] || echo '{"private":true}' > "$folder/package.json"
[ -d "$folder/node_modules/@modelcontextprotocol/inspector" ] ||
    npm install --silent --no-fund --no-audit --prefix "$folder" node@22 \
        @modelcontextprotocol/sdk@1 @modelcontextprotocol/client@2 @modelcontextprotocol/inspector@2
MCP_NODE=$folder ${CARGO:-cargo} test --locked --workspace --test it -- typescript_client
