#!/bin/sh
# Entry point of the container: runs a command of tollbridge, and fills the registry
# before `serve`.
set -eu
case " $* " in
    *" serve "*) /usr/lib/tollbridge/fill-registry /usr/share/tollbridge/plugin-registry /var/lib/tollbridge-registry ;;
esac
exec /usr/bin/tollbridge "$@"
