#!/bin/sh
# Tests our payment formats with the official libraries, our facilitator client
# against the official facilitator on a private chain (ganache), and official clients
# that pay a Tollbridge server in its sandbox.
# Needs Python 3.11 and Node 20 or newer; the packages are installed into
# target/x402. No real payment is made, and apart from downloads nothing leaves this
# machine.
#
# usage: test-x402.sh path/to/tollbridge [REGISTRY]
set -eu
tollbridge=$(realpath "$1")
cd "$(dirname "$0")/.."
registry=$(realpath "${2:-plugin-registry}")
folder=${X402_PACKAGES:-$(pwd)/target/x402}
mkdir -p "$folder"
python=$folder/venv/bin/python
[ -x "$python" ] || python3 -m venv "$folder/venv"
"$python" -c 'import x402, mpp, httpx, requests, fastapi, uvicorn, jsonschema, cryptography' 2>/dev/null ||
    "$folder/venv/bin/pip" install --quiet 'x402[evm,extensions,fastapi,httpx,requests]==2.25.0' cryptography uvicorn 'pympp[stripe]==0.16.0'
# The MCP client of x402 supports only version 1 of the MCP library, so it has its
# own environment.
[ -x "$folder/venv-mcp/bin/python" ] || python3 -m venv "$folder/venv-mcp"
"$folder/venv-mcp/bin/python" -c 'import x402, mcp' 2>/dev/null ||
    "$folder/venv-mcp/bin/pip" install --quiet 'x402[evm,mcp]==2.25.0' 'mcp<2'
[ -d "$folder/node_modules/mppx" ] && [ -d "$folder/node_modules/ganache" ] && [ -d "$folder/node_modules/@x402/express" ] ||
    npm install --silent --legacy-peer-deps --prefix "$folder" mppx@0.11.0 viem@2 ganache@7.9.2 solc@0.8.37 \
        @x402/fetch@2 @x402/axios@2 @x402/evm@2 @x402/express@2 express@4 axios@1
"$python" tests/clients/payment_formats.py
node tests/clients/payment_formats.mjs "$folder/node_modules"
"$python" tests/clients/x402_facilitator.py "$folder/node_modules" \
    ${CARGO:-cargo} test --release --locked -p tollbridge-x402 --test official
"$python" tests/clients/x402_facilitator.py "$folder/node_modules" \
    "$python" tests/clients/pay_on_chain.py "$tollbridge" "$registry"
"$python" tests/clients/x402_facilitator.py "$folder/node_modules" "$python" tests/clients/pay_upto.py "$tollbridge"

# Starts a server in a separate folder, with rate limits that the tests do not reach.
served=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; wait; rm -rf "$served"' EXIT
printf '[tiers.free]\nper_minute = 100000\nper_hour = 1000000\n' > "$served/tollbridge.toml"
. scripts/serving.sh
serve "$tollbridge" "$served" --registry "$registry"
"$python" tests/clients/pay_x402.py "$address"
"$python" tests/clients/pay_models.py "$tollbridge"
"$python" tests/clients/pay_upto.py "$tollbridge"
key=$(cd "$served" && "$tollbridge" --config tollbridge.toml --json key create | sed -n 's/.*"api_key": *"\([^"]*\)".*/\1/p')
"$python" tests/clients/sell_x402.py "$address" "$key"
node tests/clients/sell_x402.mjs "$folder/node_modules" "$address" "$key"
node tests/clients/pay_x402.mjs "$folder/node_modules" "$address"
"$folder/venv-mcp/bin/python" tests/clients/pay_x402_mcp.py "$address"
# Validates the discovery documents with MPP's validator, which exits with an error
# if a check fails.
node "$folder/node_modules/mppx/dist/bin.js" validate "$address" --output-json > "$served/validated" ||
    { cat "$served/validated"; exit 1; }
echo "mppx validate: no failures"
