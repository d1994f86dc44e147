#!/bin/sh
# Runs the applicable scenarios of the official MCP conformance suite. The suite
# needs Node 22, which is installed from npm beside the build.
#
# usage: test-mcp.sh path/to/tollbridge path/to/venv
set -eu
tollbridge=$(realpath "$1")
venv=$(realpath "$2")
cd "$(dirname "$0")/.."
tools=$(dirname "$venv")/mcp-conformance
mkdir -p "$tools"
[ -f "$tools/package.json" ] || echo '{"private":true}' > "$tools/package.json"
npm install --prefix "$tools" --silent --no-fund --no-audit node@22 @modelcontextprotocol/conformance@0.2.0-alpha.12
modules=$tools/node_modules
"$venv/bin/python" tests/mcp/conformance.py "$tollbridge" plugin-registry \
  "$modules/.bin/node" "$modules/@modelcontextprotocol/conformance/dist/index.js"
