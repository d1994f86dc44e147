#!/bin/sh
# Tests the clients of this repository as users get them: types checked, packed,
# installed into empty folders, and the Node client against a real server. Needs Node
# 20 or newer; other requirements are installed below target/clients.
#
# usage: test-clients.sh path/to/python
set -eu
python=$(realpath -s "$1")
cd "$(dirname "$0")/.."
folder=$(pwd)/target/clients
mkdir -p "$folder"

rm -rf "$folder/venv"
"$python" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet './clients/python[verify]' mypy typing_extensions
(cd "$folder" && venv/bin/python -c 'import tollbridge; tollbridge.Client("http://127.0.0.1:9", budget="0.40")')
(cd clients/python && "$folder/venv/bin/mypy" --cache-dir "$folder/mypy")
"$folder/venv/bin/python" clients/python/tests/check_types.py

cd clients/typescript
[ -x node_modules/.bin/tsc ] || npm install --silent --no-fund --no-audit --no-package-lock
npm test
npm pack --silent --pack-destination "$folder" >/dev/null
rm -rf "$folder/node" && mkdir "$folder/node" && cd "$folder/node"
echo '{"private":true,"type":"module"}' > package.json
npm install --silent --no-fund --no-audit ../tollbridge-*.tgz
node -e 'import("tollbridge").then(({ Client }) => new Client("http://127.0.0.1:9"))'
cd ../../..
CLIENTS_NODE=1 ${CARGO:-cargo} test --locked --workspace --test it -- node_library
