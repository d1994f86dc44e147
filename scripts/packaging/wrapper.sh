#!/bin/sh
# Starts Tollbridge with the plugins and the compiled code that came with it. A
# registry that the configuration, a flag, a variable or the current folder names
# goes before them.
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

# A configuration that does not load sets nothing here: the command itself says
# what is wrong with it.
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
