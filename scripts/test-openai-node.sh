#!/bin/sh
# Tests the gateway with the official JavaScript clients of OpenAI and Anthropic, and
# with the AI SDK.
# Needs Node 20 or newer; the packages are installed into target/openai-node.
set -eu
cd "$(dirname "$0")/.."
folder=$(pwd)/target/openai-node
mkdir -p "$folder"
[ -d "$folder/node_modules/@anthropic-ai/sdk" ] ||
    npm install --silent --prefix "$folder" openai@7 ai@6 @ai-sdk/openai@3 zod@4 @anthropic-ai/sdk
OPENAI_NODE=$folder ${CARGO:-cargo} test --locked --workspace --test it -- javascript_client
