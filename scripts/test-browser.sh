#!/bin/sh
# Tests in a real browser: finding a bridge and trying it, paying for a call on the
# page of its quote, and managing an account; also runs the browser client of
# clients/. Installs Chromium if it is missing and the script runs as root on Debian.
#
# usage: test-browser.sh path/to/tollbridge path/to/venv
set -eu
tollbridge=$(realpath "$1")
venv=$2
cd "$(dirname "$0")/.."
command -v chromium >/dev/null || apt-get install -y -q chromium
"$venv/bin/python" -m pip install --quiet -r tests/browser/requirements.txt
"$venv/bin/python" tests/browser/pay.py "$tollbridge" plugin-registry "$(command -v chromium)"
"$venv/bin/python" tests/browser/account.py "$tollbridge" plugin-registry "$(command -v chromium)"
# axe-core checks accessibility.
axe=${AXE:-$(pwd)/target/axe}
[ -f "$axe/node_modules/axe-core/axe.min.js" ] ||
    npm install --silent --no-fund --no-audit --prefix "$axe" axe-core@4
"$venv/bin/python" tests/browser/console.py "$tollbridge" plugin-registry "$(command -v chromium)" "${PICTURES:-}" \
    "$axe/node_modules/axe-core/axe.min.js"
"$venv/bin/python" tests/browser/site.py "$tollbridge" plugin-registry "$(command -v chromium)" "${PICTURES:-}" \
    "$axe/node_modules/axe-core/axe.min.js"
(cd clients/typescript && { [ -x node_modules/.bin/tsc ] || npm install --silent --no-fund --no-audit --no-package-lock; } &&
    npm run --silent build)
"$venv/bin/python" clients/serving.py "$tollbridge" plugin-registry "$venv/bin/python" \
    clients/typescript/tests/browser.py "$(command -v chromium)"
