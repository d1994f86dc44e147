#!/bin/sh
# Tests with unmodified Rust clients of x402 (`x402-reqwest`) and MPP (`mpp`), which
# pay a Tollbridge server in its sandbox. Needs Python 3 for a model provider that
# answers from a script. No real payment is made, and apart from the download of
# crates nothing leaves this machine.
#
# usage: test-payers-rust.sh path/to/tollbridge [REGISTRY]
set -eu
tollbridge=$(realpath "$1")
cd "$(dirname "$0")/.."
registry=$(realpath "${2:-plugin-registry}")
# Uses a separate target folder, because these crates share no dependencies with the
# host's.
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$(pwd)/target}/rust-payers
export CARGO_TARGET_DIR
${CARGO:-cargo} build --locked --manifest-path tests/clients/rust-payers/Cargo.toml

served=$(mktemp -d)
provider=
server=
trap 'kill $provider $server 2>/dev/null || true; wait; rm -rf "$served"' EXIT

. scripts/serving.sh
echo '{"agent": "none", "task": "greet", "says": {"hello": "there"}}' > "$served/script.jsonl"
: > "$served/provider"
python3 scripts/scripted_provider.py "$served/script.jsonl" > "$served/provider" &
provider=$!
models=$(said "$served/provider" "")
# High rate limits, and a model with a price.
cat > "$served/tollbridge.toml" <<END
[tiers.free]
per_minute = 100000
per_hour = 1000000
[inference.providers.scripted]
base_url = "$models"
models = [{ id = "scripted", input_usd_per_mtok = 100.0, output_usd_per_mtok = 200.0, context = 8192 }]
END
serve "$tollbridge" "$served" --registry "$registry"
key=$(cd "$served" && "$tollbridge" --config tollbridge.toml --json key create | sed -n 's/.*"api_key": *"\([^"]*\)".*/\1/p')
"$CARGO_TARGET_DIR/debug/rust-payers" "$address" "$key"
