#!/bin/sh
# Starts Tollbridge with the bundled plugins and compiled code. A registry that is
# named by the configuration, a flag or a variable, or that is in the current folder,
# has precedence over the bundled one.
set -eu
here=$(dirname "$(readlink -f "$0")")
program=${here%/bin}/lib/tollbridge/tollbridge
share=${here%/bin}/share/tollbridge

config=
before=
for word in "$@"; do
    case $word in
        --config=*) config=${word#--config=} ;;
        *) [ "$before" != --config ] || config=$word ;;
    esac
    before=$word
done

# If the configuration does not load, set nothing here: the command itself reports
# the error.
if shown=$("$program" ${config:+--config "$config"} config show 2>/dev/null); then
    says() { printf '%s\n' "$shown" | grep -Fqx "$1"; }
    if [ ! -e plugin-registry ] && says 'dir = "plugin-registry"  # default'; then
        export TOLLBRIDGE__REGISTRY__DIR="$share/plugin-registry"
    fi
    if [ -d "$share/compiled" ] && says '# precompiled is not set'; then
        export TOLLBRIDGE__PLUGINS__PRECOMPILED="$share/compiled"
    fi
fi
exec "$program" "$@"
