#!/bin/sh
# Writes host/tools/templates/Cargo.lock anew: the newest versions that a fresh
# project can be built with. Then try them: scripts/try-plugin-new.sh.
#
# usage: renew-template-lock.sh path/to/tollbridge
set -eu
tollbridge=$(realpath "$1")
lock=$(realpath "$(dirname "$0")/../host/tools/templates/Cargo.lock")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$tollbridge" plugin new the_project --path project
cd project
rm -f Cargo.lock
cargo generate-lockfile
# All packages but the project's own; the SDK's version is put in by `plugin new`.
awk 'BEGIN { RS = ""; ORS = "\n\n" }
    /name = "the_project"/ { next }
    /name = "tollbridge-sdk"/ { sub(/version = "[^"]*"/, "version = \"{{sdk_version}}\"") }
    { print }' Cargo.lock > "$lock"
