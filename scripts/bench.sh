#!/bin/sh
# Measures the figures of docs/performance.md. Compare figures only within one run,
# because the machine may be noisy. The client is `wrk`, which is installed if it is
# missing and the script runs as root on Debian.
set -eu
cd "$(dirname "$0")/.."
command -v wrk >/dev/null || apt-get install -y -q wrk
cargo=${CARGO:-cargo}
serve_features=run,serve,cranelift,pooling-allocator,parallel-compilation,component-model-async,gc,gc-drc,threads
echo "== a call of a plugin, without HTTP and money"
"$cargo" bench --locked --workspace --bench plugin_call
"$cargo" bench --locked --workspace --bench output_check
for bridge in anomaly_detection tax_jar_lookup; do
    component=$(pwd)/plugins/target/components/$bridge.wasm
    [ -f "$component" ] || continue
    case $bridge in
    anomaly_detection) input='{"values":[2.1,2.6,2.4,2.5,2.3,2.1,2.3,2.6,8.2,8.3]}' ;;
    *) input='{"resource_id":"GB"}' ;;
    esac
    echo "== the same, $bridge"
    "$cargo" bench --locked --workspace --bench plugin_call -- "$component" "$input"
done
echo "== over HTTP: native, free and paid; wasmtime serve"
tools=$(pwd)/target/tools
[ -x "$tools/bin/wasmtime" ] || "$cargo" install wasmtime-cli --version 48.0.8 --locked --root "$tools" \
    --no-default-features --features "$serve_features"
WASMTIME=$tools/bin/wasmtime "$cargo" bench --locked --workspace --bench http
echo "== starting with fifty bridges, and with a thousand agents"
"$cargo" bench --locked --workspace --bench start
echo "== the inference gateway: direct, pass-through, ours; TensorZero if its package can be had"
venv=$(pwd)/target/tensorzero
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
if "$venv/bin/python" -m pip install --quiet tensorzero; then
    TENSORZERO_PYTHON=$venv/bin/python
    export TENSORZERO_PYTHON
fi
nginx=$(command -v nginx) && export NGINX_BINARY="$nginx"
"$cargo" bench --locked --workspace --bench gateway
echo "== starting with the published bridges"
python3 scripts/bench-idle.py target/release/tollbridge plugin-registry
echo "== paid calls of one account while another attacks"
"$cargo" bench --locked --workspace --bench neighbour
echo "== bridges beside what a user would run instead"
python3 scripts/bench-doors.py target/release/tollbridge plugin-registry target/doors
