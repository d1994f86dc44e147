#!/bin/sh
# Measures the quality figures of docs/bridges.md: each bridge with a `quality/`
# folder, on the held-out part of its data set. If a set is not in the repository,
# its `make.py` downloads it from the package registry. The series of
# anomaly_detection are in no package: set NAB to a clone of github.com/numenta/NAB.
set -eu
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
CARGO_TARGET_DIR=$(pwd)/target/plugins
export CARGO_TARGET_DIR
sets=target/quality
mkdir -p "$sets"
sets=$(cd "$sets" && pwd)
measure() { (cd plugins && "$cargo" run --quiet --release --locked --example "$@"); }
[ -f "$sets/sentiment/products.tsv" ] || python3 plugins/bridges/sentiment_feed/quality/make.py "$sets/sentiment"
echo "== sentiment_feed" && measure measure_sentiment -- test "$sets/sentiment"
echo "== forecast" && measure measure_forecast -- test
echo "== pii_redaction" && measure measure_pii -- test
[ -f "$sets/language/test.tsv" ] || python3 plugins/bridges/language_detection/quality/make.py "$sets/language"
echo "== language_detection" && measure measure_language -- "$sets/language" test
[ -d "$sets/febrl" ] || python3 plugins/bridges/entity_match/quality/make.py "$sets/febrl"
[ -f "$sets/security/node.json" ] || python3 plugins/bridges/security_scan/quality/make.py "$sets/security"
[ -f "$sets/security/secrets.json" ] || python3 plugins/bridges/security_scan/quality/make_secrets.py "$sets/security"
echo "== security_scan" && measure measure_security -- "$sets/security" test
(cd plugins/bridges/language_detection/quality && sha256sum --quiet -c sums.txt)
echo "== language_detection (short formal texts)" && measure measure_short -- frozen
(cd plugins/bridges/sanctions_screen/quality && sha256sum --quiet -c sums.txt)
echo "== sanctions_screen" && measure measure_names -- frozen
echo "== entity_match" && measure measure_entity_match -- "$sets/febrl" test
if [ -n "${NAB:-}" ]; then
  NAB=$(cd "$NAB" && pwd)
  for task in nab injected; do
    echo "== anomaly_detection ($task)" && measure measure_anomaly -- "$NAB" test "$task"
  done
else
  echo "== anomaly_detection: not measured; NAB=FOLDER names a clone of github.com/numenta/NAB"
fi
