#!/bin/sh
# Runs a command in another root folder as one of its users, with the file systems
# that every system and container has (/proc, /dev, …). Needs root.
#
# usage: in-root.sh ROOT USER:GROUP COMMAND …
set -eu
# shellcheck disable=SC2016
exec unshare --mount sh -c '
    root=$1
    user=$2
    shift 2
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    exec chroot --userspec="$user" "$root" "$@"' in-root "$@"
