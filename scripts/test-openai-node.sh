#!/bin/sh
# The official `openai` client for JavaScript against the gateway. Needs Node 20
# or newer; the package is installed into target/openai-node.
set -eu
cd "$(dirname "$0")/.."
folder=$(pwd)/target/openai-node
mkdir -p "$folder"
[ -d "$folder/node_modules/openai" ] || npm install --silent --prefix "$folder" openai@7
OPENAI_NODE=$folder ${CARGO:-cargo} test --release --locked --workspace --test it -- javascript_client
