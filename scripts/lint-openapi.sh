#!/bin/sh
# Lints docs/openapi.json, or the documents given as arguments, with Spectral. Needs
# Node 18 or newer; the package is installed into target/spectral.
set -eu
cd "$(dirname "$0")/.."
folder=${CARGO_TARGET_DIR:-target}/spectral
mkdir -p "$folder"
[ -x "$folder/node_modules/.bin/spectral" ] || npm install --silent --no-fund --no-audit --prefix "$folder" @stoplight/spectral-cli@6
[ $# -gt 0 ] || set -- docs/openapi.json
"$folder/node_modules/.bin/spectral" lint --ruleset docs/openapi.spectral.yaml --fail-severity hint "$@"
