#!/bin/sh
# Holds every operation and alias of a running server against its OpenAPI
# document, with schemathesis, with a key and without one. It takes minutes.
#
# usage: test-openapi.sh path/to/tollbridge path/to/venv
set -eu
tollbridge=$(realpath "$1")
venv=$(realpath "$2")
cd "$(dirname "$0")/.."
"$venv/bin/python" tests/openapi/truth.py "$tollbridge" plugin-registry
