#!/bin/sh
# Goes from `plugin new` to components outside the repository, as an author would:
# creates a bridge, an agent and one project of each template in an empty folder,
# runs their cases with their locked versions, builds them and checks their imports.
#
# Usage: scripts/try-plugin-new.sh TOLLBRIDGE_BINARY
set -eu

tollbridge=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export CARGO_TARGET_DIR="$folder/target"

for kind in bridge agent; do
    "$tollbridge" plugin new "my_$kind" --kind "$kind"
    (cd "my_$kind" && cargo test --quiet --locked)
done

built=$("$tollbridge" plugin build my_bridge my_agent)
echo "$built"
for kind in bridge agent; do
    echo "$built" | grep -q "^$kind my_$kind " || { echo "error: my_$kind was not built as a $kind" >&2; exit 1; }
done
if echo "$built" | grep "imports" | grep -qv "tollbridge:plugin/\(panic\|types\)@"; then
    echo "error: a plugin that asks for nothing imports more than panic and types" >&2
    exit 1
fi

for template in lookup text table http agent; do
    "$tollbridge" plugin new "a_$template" --template "$template"
    (cd "a_$template" && cargo test --quiet --locked)
    "$tollbridge" plugin test --component-only "a_$template"
done
