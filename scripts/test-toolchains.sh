#!/bin/sh
# Builds a plugin with each toolchain that `plugin build` supports (rustup's and
# Debian's) and runs its cases inside the component. Debian's toolchain needs root on
# Debian.
#
# usage: test-toolchains.sh path/to/tollbridge
set -eu
tollbridge=$(realpath "$1")
cd "$(dirname "$0")/../tests/guests"
for toolchain in rustup distro; do
    target=$(mktemp -d)
    echo "== $toolchain"
    TOLLBRIDGE_TOOLCHAIN=$toolchain CARGO_TARGET_DIR=$target "$tollbridge" plugin test echo --component-only
    rm -rf "$target"
done
