#!/bin/bash
# Tests with unmodified third-party registry clients, against a Tollbridge server and
# against Debian's docker-registry: wkg (cargo), skopeo (Debian) and oras (PyPI) push
# and pull a signed version, and so do `tollbridge plugin push` and `pull`. Missing
# tools are installed with apt, cargo and pip; a tool that cannot be installed is
# reported and skipped. Apart from downloads, nothing leaves this machine.
#
# usage: test-oci.sh path/to/tollbridge
set -euo pipefail
tollbridge=$(realpath "$1")
cd "$(dirname "$0")/.."
folder=${OCI_PACKAGES:-$(pwd)/target/oci}
mkdir -p "$folder"
component=$(find plugin-registry/bridges/*/ -maxdepth 2 -name plugin.wasm ! -path '*/tables/*' | sort | sed -n 1p)
[ -n "$component" ] || { echo "publish the plugins first: make plugins"; exit 1; }
source=$(dirname "$component")

skipped=()
skip() { echo "SKIPPED: $1"; skipped+=("$1"); }

# Makes a Debian package available: installed, or without root unpacked into a
# folder.
debian() {
    local package=$1 program=$2
    command -v "$program" && return
    local unpacked=$folder/debian/usr/bin/$program
    if [ ! -x "$unpacked" ]; then
        if [ "$(id -u)" = 0 ]; then
            { apt-get install -y --no-install-recommends "$package" >"$folder/apt.log" 2>&1 && command -v "$program"; } && return
        fi
        (cd "$folder" && apt-get download "$package" >apt.log 2>&1 && dpkg -x "$package"_*.deb debian) || return 1
    fi
    "$unpacked" --version >/dev/null 2>&1 && echo "$unpacked"
}

skopeo=$(debian skopeo skopeo) || { skopeo=; skip "skopeo: apt cannot install it"; }
docker_registry=$(debian docker-registry docker-registry) || { docker_registry=; skip "docker-registry: apt cannot install it"; }
wkg=$(command -v wkg || echo "$folder/cargo/bin/wkg")
[ -x "$wkg" ] || CARGO_TARGET_DIR=$folder/cargo-target ${CARGO:-cargo} install --quiet --locked --root "$folder/cargo" wkg@0.16.1 ||
    { wkg=; skip "wkg: cargo cannot install it"; }
python=$folder/venv/bin/python
{ [ -x "$python" ] || python3 -m venv "$folder/venv"; } &&
    { "$python" -c 'import oras' 2>/dev/null || "$python" -m pip install --quiet 'oras==0.2.43'; } ||
    { python=; skip "oras: pip cannot install it"; }

work=$(mktemp -d)
server= foreign=
trap 'kill $server $foreign 2>/dev/null || true; wait; rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/home DOCKER_CONFIG=$work/docker REGISTRY_AUTH_FILE=$work/docker/config.json
mkdir -p "$work/served" "$work/staging" "$work/plugin" "$DOCKER_CONFIG"
printf '[tiers.free]\nper_minute = 100000\nper_hour = 1000000\n' >"$work/served/tollbridge.toml"
ours() { (cd "$work/served" && "$tollbridge" --config tollbridge.toml "$@"); }
member() { "$tool_python" -c 'import json,sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
tool_python=${python:-python3}
ours --json key create >"$work/key.json"
key=$(member api_key <"$work/key.json")
account=$(member account_id <"$work/key.json")

ours publisher new tester --account "$account" --trust >/dev/null
. scripts/serving.sh
serve "$tollbridge" "$work/served"
host=${address#http://}

free_port() { python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])'; }
other=
if [ -n "$docker_registry" ]; then
    port=$(free_port)
    other=127.0.0.1:$port
    cat >"$work/registry.yml" <<YML
version: 0.1
storage: { filesystem: { rootdirectory: $work/foreign } }
http: { addr: "$other" }
YML
    # docker-registry reads every variable REGISTRY_… as one of its settings.
    env -u REGISTRY_AUTH_FILE "$docker_registry" serve "$work/registry.yml" >"$work/foreign.log" 2>&1 &
    foreign=$!
    for _ in $(seq 100); do
        python3 -c "import urllib.request as r; r.urlopen('http://$other/v2/')" 2>/dev/null && break
        sleep 0.1
    done
fi
"$tool_python" - "$host" "$key" >"$DOCKER_CONFIG/config.json" <<'PY'
import base64, json, sys
host, key = sys.argv[1:]
print(json.dumps({"auths": {host: {"auth": base64.b64encode(f"key:{key}".encode()).decode()}}}))
PY

# Signs one version for each way of pushing it, with the key of the test publisher.
version() {
    python3 - "$source/plugin.toml" "$work/plugin/plugin.toml" "$1" <<'PY'
import re, sys, tomllib
published, to, version = sys.argv[1:]
with open(published, "rb") as file:
    name = tomllib.load(file)["name"]
with open(published) as file:
    text = file.read()
text = re.split(r"(?m)^\[component\]|^\[tables", text)[0]
text = re.sub(r'(?m)^version = .*$', f'version = "{version}"', text)
text = re.sub(r'(?m)^publisher = .*$', 'publisher = "tester"', text)
open(to, "w").write(text)
PY
    ours plugin publish "$work/plugin" --component "$PWD/$source/plugin.wasm" --publisher tester \
        --registry "$work/staging" >/dev/null
    signed=$(echo "$work"/staging/bridges/*/"$1")
    name=$(basename "$(dirname "$signed")")
}

# Checks that a version is in the server's registry folder exactly as it was signed.
arrived() {
    local there=$work/served/plugin-registry/bridges/$name/$1
    for file in plugin.toml plugin.sig plugin.wasm; do
        cmp "$signed/$file" "$there/$file" || { echo "$2: $file did not arrive"; exit 1; }
    done
    echo "$2: $name $1 is in the registry as it was signed"
}

try_wkg() { # REGISTRY VERSION
    wkg_access=(--insecure "$1")
    "$wkg" oci push "${wkg_access[@]}" --annotation "tollbridge.plugin.toml.base64=$(base64 -w0 "$signed/plugin.toml")" \
        --annotation "tollbridge.plugin.sig.base64=$(base64 -w0 "$signed/plugin.sig")" \
        "$1/bridges/$name:$2" "$signed/plugin.wasm"
    "$wkg" oci pull "${wkg_access[@]}" -o "$work/wkg.wasm" "$1/bridges/$name:$2"
    cmp "$work/wkg.wasm" "$signed/plugin.wasm"
}

try_oras() {
    "$python" - "$1" "$1/bridges/$name:$2" "$signed" "$key" "$work" <<'PY'
import os, pathlib, sys
import oras.client
registry, target, signed, key, work = sys.argv[1:]
os.chdir(signed)
client = oras.client.OrasClient(hostname=registry, insecure=True, auth_backend="basic")
client.auth.set_basic_auth("key", key)
config = pathlib.Path(work, "config.json")
config.write_text("{}")
text = lambda name: pathlib.Path(name).read_bytes().decode()
client.push(
    target=target,
    files=["plugin.wasm:application/wasm"],
    manifest_config=f"{config}:application/vnd.wasm.config.v0+json",
    manifest_annotations={"tollbridge.plugin.toml": text("plugin.toml"), "tollbridge.plugin.sig": text("plugin.sig")},
    disable_path_validation=True,
)
pulled = client.pull(target=target, outdir=f"{work}/oras")
assert pathlib.Path(pulled[0]).read_bytes() == pathlib.Path("plugin.wasm").read_bytes(), pulled
PY
}

try_skopeo() { # from the folder of an image layout, and back into one
    "$skopeo" --insecure-policy copy --preserve-digests --dest-tls-verify=false "oci:$work/layout:$2" "docker://$1/bridges/$name:$2"
    "$skopeo" --insecure-policy copy --preserve-digests --src-tls-verify=false "docker://$1/bridges/$name:$2" "oci:$work/back:$2"
    cmp "$work/layout/blobs/sha256/$wasm" "$work/back/blobs/sha256/$wasm"
}

try_tollbridge() {
    ours plugin push "$signed" "$1/bridges/$name:$2"
    rm -rf "$work/into" && mkdir "$work/into"
    cp "$work/served/plugin-registry/publishers.toml" "$work/into/"
    ours plugin pull "$1/bridges/$name:$2" --into "$work/into"
    cmp "$signed/plugin.sig" "$work/into/bridges/$name/$2/plugin.sig"
}

# Builds the image layout that skopeo pushes, from the artifact that `tollbridge
# plugin push` stored in the other registry or in our own.
layout() {
    "$skopeo" --insecure-policy copy --preserve-digests --src-tls-verify=false "docker://$1/bridges/$name:$2" "oci:$work/layout:$2"
    wasm=$(sha256sum "$signed/plugin.wasm" | cut -d' ' -f1)
}

version 91.0.0
try_tollbridge "$host" 91.0.0
arrived 91.0.0 tollbridge
if [ -n "$wkg" ]; then version 91.0.1; try_wkg "$host" 91.0.1; arrived 91.0.1 wkg; fi
if [ -n "$python" ]; then version 91.0.2; try_oras "$host" 91.0.2; arrived 91.0.2 oras; fi
if [ -n "$other" ]; then
    version 91.0.3
    try_tollbridge "$other" 91.0.3
    if [ -n "$skopeo" ]; then
        layout "$other" 91.0.3
        try_skopeo "$host" 91.0.3
        arrived 91.0.3 skopeo
        try_skopeo "$other" 91.0.3
    fi
    if [ -n "$wkg" ]; then try_wkg "$other" 91.0.3; fi
    if [ -n "$python" ]; then try_oras "$other" 91.0.3; fi
    # An artifact pushed by another tool must be as acceptable as our own.
    ours plugin pull "$other/bridges/$name:91.0.3" --into "$work/into"
elif [ -n "$skopeo" ]; then
    layout "$host" 91.0.0
    "$skopeo" --insecure-policy copy --preserve-digests --dest-tls-verify=false "oci:$work/layout:91.0.0" "docker://$host/bridges/$name:91.0.0"
fi
[ ${#skipped[@]} = 0 ] || printf 'not tried: %s\n' "${skipped[@]}"
echo "registries: all that was tried works"
