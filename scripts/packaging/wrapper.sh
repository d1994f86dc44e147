#!/bin/sh
# Starts Tollbridge with the bundled plugins, compiled code and embedding model. A
# registry that is named by the configuration, a flag or a variable, or that is in the
# current folder, has precedence over the bundled one, and so has another model file.
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
    model=models/all-minilm-l6-v2-int8.onnx
    if [ ! -e "$model" ] && says "path = \"$model\"  # from registry.dir"; then
        export TOLLBRIDGE__INFERENCE__BUILTIN__PATH="$share/$model"
    fi
fi
exec "$program" "$@"
