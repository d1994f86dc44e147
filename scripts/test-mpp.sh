#!/bin/sh
# Tests with the official MPP clients, which pay for calls of a real server: by
# tokens, charged by a fake Stripe, and by signatures in the sandbox. Needs Python
# 3.11 and Node 20 or newer; the packages are installed into target/x402. Apart from
# downloads, nothing leaves this machine.
set -eu
cd "$(dirname "$0")/.."
folder=${X402_PACKAGES:-$(pwd)/target/x402}
mkdir -p "$folder"
[ -x "$folder/venv/bin/python" ] || python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -c 'import mpp, stripe' 2>/dev/null ||
    "$folder/venv/bin/pip" install --quiet 'pympp[stripe]==0.16.0'
[ -d "$folder/node_modules/mppx" ] ||
    npm install --silent --legacy-peer-deps --prefix "$folder" mppx@0.11.0 viem@2
cargo=${CARGO:-cargo}
$cargo build --release --locked --workspace --bins
$cargo build --release --locked -p tollbridge-tests --example mpp_server
server=${CARGO_TARGET_DIR:-target}/release/examples/mpp_server
"$folder/venv/bin/python" tests/clients/mpp_clients.py "$server" "$folder/node_modules"
