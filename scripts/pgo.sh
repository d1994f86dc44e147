#!/bin/sh
# Creates a profile for profile-guided optimisation: builds an instrumented server,
# sends it calls, and writes the profile. `TOLLBRIDGE_PROFILE=FILE scripts/dist.sh`
# builds with it. Takes as long as one more release build; docs/performance.md has
# the gain. Needs wrk and rustup's component llvm-tools.
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

# `--target` keeps build scripts and proc macros from being instrumented.
RUSTFLAGS="${RUSTFLAGS:-} -Cprofile-generate=$counts" CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$target \
    "$cargo" build --release --locked -p tollbridge --bins --target "$host"
"$python" scripts/pgo_train.py "$target/$host/release/tollbridge" "$registry"
"$tools/llvm-profdata" merge -o "$profile" "$counts"
rm -rf "$target"
