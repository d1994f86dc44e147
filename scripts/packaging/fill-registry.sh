#!/bin/sh
# Copies the plugins of a release into the registry that a server works on, where
# its developers deploy theirs. What is there stays as it is, so that this runs
# before every start and an upgrade brings the new versions.
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
        # Under a name that no server reads: a copy that is cut off is no version.
        draft=$to/${version%/*}/.draft
        mkdir -p "$to/${version%/*}"
        rm -rf "$draft"
        cp -R "$version" "$draft"
        mv "$draft" "$to/$version"
    fi
done
