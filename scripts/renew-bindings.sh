#!/bin/sh
# Regenerates wit/rust/. Run it after a change of wit/, or of the version of
# wit-bindgen in scripts/bindings/Cargo.toml and sdk/Cargo.toml.
set -eu
cd "$(dirname "$0")/.."
cargo run --quiet --locked --manifest-path scripts/bindings/Cargo.toml -- wit wit/rust
# tests/it/bindings.rs compares this note with the current sources.
{
    find wit -name '*.wit'
    find wit/rust -name '*.rs'
    find scripts/bindings -name '*.rs' -o -name 'Cargo.*'
} | LC_ALL=C sort | xargs sha256sum > wit/rust/made-of.txt
