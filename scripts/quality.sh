#!/bin/sh
# The quality figures of docs/bridges.md: each bridge that has a `quality/`
# folder is measured on the held-out part of its set. Sets that are not kept in
# the repository are fetched from the package registry by their `make.py`.
set -eu
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
CARGO_TARGET_DIR=$(pwd)/target/plugins
export CARGO_TARGET_DIR
sets=target/quality
mkdir -p "$sets"
sets=$(cd "$sets" && pwd)
measure() { (cd plugins && "$cargo" run --quiet --release --locked --example "$@"); }
echo "== sentiment_feed (tweets)" && measure measure_sentiment -- test
echo "== forecast" && measure measure_forecast -- test
echo "== pii_redaction" && measure measure_pii -- test
[ -d "$sets/febrl" ] || python3 plugins/bridges/entity_match/quality/make.py "$sets/febrl"
[ -f "$sets/security/node.json" ] || python3 plugins/bridges/security_scan/quality/make.py "$sets/security"
[ -f "$sets/security/secrets.json" ] || python3 plugins/bridges/security_scan/quality/make_secrets.py "$sets/security"
echo "== security_scan" && measure measure_security -- "$sets/security" test
echo "== entity_match" && measure measure_entity_match -- "$sets/febrl" test
