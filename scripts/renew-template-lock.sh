#!/bin/sh
# Regenerates host/tools/templates/Cargo.lock with the newest versions with which a
# new project builds. Afterwards test them with scripts/try-plugin-new.sh.
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
# All packages except the project itself; `plugin new` inserts the SDK's version.
awk 'BEGIN { RS = ""; ORS = "\n\n" }
    /name = "the_project"/ { next }
    /name = "tollbridge-sdk"/ { sub(/version = "[^"]*"/, "version = \"{{sdk_version}}\"") }
    { print }' Cargo.lock > "$lock"
