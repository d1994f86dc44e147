#!/bin/sh
# Checks every operation and alias of a running server against its OpenAPI document
# with schemathesis, with and without a key. Takes minutes.
#
# usage: test-openapi.sh path/to/tollbridge path/to/venv
set -eu
tollbridge=$(realpath "$1")
venv=$(realpath "$2")
cd "$(dirname "$0")/.."
"$venv/bin/python" tests/openapi/truth.py "$tollbridge" plugin-registry
