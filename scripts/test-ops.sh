#!/bin/sh
# Tests the rules and the dashboard of ops/ against a server that gets calls and a
# Prometheus that scrapes it. Installs Prometheus, its node exporter and Caddy if
# they are missing and the script runs as root on Debian; their system services need
# not run.
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
