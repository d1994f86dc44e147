#!/bin/sh
# What the compiler should optimise for: builds a server that counts what it does, has
# it answer calls, and writes the profile. `TOLLBRIDGE_PROFILE=FILE scripts/dist.sh`
# builds by it. It takes one more build of the length of a release (docs/performance.md
# has what it brings). Needs wrk and rustup's component llvm-tools.
#
# usage: pgo.sh REGISTRY PROFILE
set -eu
registry=$(realpath "$1")
profile=$(realpath -m "$2")
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
python=${PYTHON3:-python3}
rustc=${RUSTC:-rustc}
host=$("$rustc" -vV | sed -n 's/^host: //p')
tools=$("$rustc" --print sysroot)/lib/rustlib/$host/bin
[ -x "$tools/llvm-profdata" ] || rustup component add llvm-tools
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")/pgo
counts=$(mktemp -d)
trap 'rm -rf "$counts"' EXIT

# With a target of its own, so that programs of the build count nothing.
RUSTFLAGS="${RUSTFLAGS:-} -Cprofile-generate=$counts" CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$target \
    "$cargo" build --release --locked -p tollbridge --bins --target "$host"
"$python" scripts/pgo_train.py "$target/$host/release/tollbridge" "$registry"
"$tools/llvm-profdata" merge -o "$profile" "$counts"
rm -rf "$target"
