#!/bin/sh
# Rules and dashboard of ops/, against a server that is called and a Prometheus
# that scrapes it. Installs Prometheus, its node exporter and Caddy when they are
# missing and this is Debian and root; their services are not needed.
#
# usage: test-ops.sh path/to/tollbridge [path/to/registry]
set -eu
tollbridge=$(realpath "$1")
registry=$(realpath "${2:-$(dirname "$0")/../plugin-registry}")
cd "$(dirname "$0")/.."
for program in prometheus prometheus-node-exporter caddy; do
    command -v "$program" >/dev/null || apt-get install -y -q --no-install-recommends "$program"
done
promtool check rules ops/prometheus/alerts.yml
promtool check config ops/prometheus/prometheus.yml
promtool test rules ops/prometheus/alerts_test.yml
"${PYTHON3:-python3}" tests/ops/monitoring.py "$tollbridge" "$registry"
