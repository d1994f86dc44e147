#!/bin/sh
# Copies the plugins of a release into the registry of a server, to which its
# developers also deploy. Existing versions are not changed, so this can run before
# every start, and an upgrade adds the new versions.
#
# usage: fill-registry FROM TO
set -eu
from=$1
to=$2
mkdir -p "$to"
if [ ! -e "$to/publishers.toml" ]; then
    cp "$from/publishers.toml" "$to/.publishers.toml"
    mv "$to/.publishers.toml" "$to/publishers.toml"
fi
cd "$from"
for version in */*/*/; do
    version=${version%/}
    if [ ! -e "$to/$version" ]; then
        # Copy under a name that no server reads first, so that an interrupted copy
        # never counts as a version.
        draft=$to/${version%/*}/.draft
        mkdir -p "$to/${version%/*}"
        rm -rf "$draft"
        cp -R "$version" "$draft"
        mv "$draft" "$to/$version"
    fi
done
