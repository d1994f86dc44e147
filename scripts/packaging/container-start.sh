#!/bin/sh
# What a container runs: a command of tollbridge, before `serve` with the registry
# filled.
set -eu
case " $* " in
    *" serve "*) /usr/lib/tollbridge/fill-registry /usr/share/tollbridge/plugin-registry /var/lib/tollbridge-registry ;;
esac
exec /usr/bin/tollbridge "$@"
