#!/bin/sh
# Runs a command in another root, as one of its users, with the file systems that
# every system and every container has. Only root can.
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
