#!/bin/sh
# What official libraries make of our payments' formats, and the client of x402's
# facilitators against the official one, on a chain of its own (ganache).
# Needs Python 3.11 and Node 20 or newer; the packages are installed into
# target/x402. Nothing is paid, and nothing leaves this machine but the download.
set -eu
cd "$(dirname "$0")/.."
folder=${X402_PACKAGES:-$(pwd)/target/x402}
mkdir -p "$folder"
[ -x "$folder/venv/bin/python" ] || python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -c 'import x402, mpp' 2>/dev/null ||
    "$folder/venv/bin/pip" install --quiet 'x402[evm]==2.25.0' 'pympp[stripe]==0.16.0'
[ -d "$folder/node_modules/mppx" ] && [ -d "$folder/node_modules/ganache" ] ||
    npm install --silent --legacy-peer-deps --prefix "$folder" mppx@0.11.0 viem@2 ganache@7.9.2 solc@0.8.37
"$folder/venv/bin/python" tests/clients/payment_formats.py
node tests/clients/payment_formats.mjs "$folder/node_modules"
"$folder/venv/bin/python" tests/clients/x402_facilitator.py "$folder/node_modules" \
    ${CARGO:-cargo} test --release --locked -p tollbridge-x402 --test official
"$folder/venv/bin/python" tests/clients/x402_facilitator.py "$folder/node_modules" \
    "$folder/venv/bin/python" tests/clients/pay_on_chain.py "${TOLLBRIDGE:-target/release/tollbridge}" plugin-registry
