#!/bin/sh
# Writes wit/rust/ anew: after a change of wit/, or of the version of wit-bindgen
# in scripts/bindings/Cargo.toml and sdk/Cargo.toml.
set -eu
cd "$(dirname "$0")/.."
cargo run --quiet --locked --manifest-path scripts/bindings/Cargo.toml -- wit wit/rust
# A test compares it with what is there.
{
    find wit -name '*.wit'
    find wit/rust -name '*.rs'
    find scripts/bindings -name '*.rs' -o -name 'Cargo.*'
} | LC_ALL=C sort | xargs sha256sum > wit/rust/made-of.txt
