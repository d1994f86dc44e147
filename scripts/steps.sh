#!/bin/sh
# Runs make targets one after the other and prints the duration of each. Stops at the
# first failure, and prints the command that resumes there.
#
# usage: steps.sh GOAL FROM STEP...   (FROM: the first step to run, or "")
set -eu
goal=$1 from=$2
shift 2
case " $* " in
    *" ${from:-$1} "*) ;;
    *) echo "$goal has no step $from; the steps are: $*" >&2; exit 2 ;;
esac
table= begun=$(date +%s)
finish() {
    printf '\n%-22s %8s\n%b%-22s %8d\n' "$goal" seconds "$table" total $(($(date +%s) - begun))
}
for step in "$@"; do
    [ -z "$from" ] || [ "$from" = "$step" ] || continue
    from=
    printf '\n== %s ==\n' "$step"
    start=$(date +%s)
    if ! "${MAKE:-make}" --no-print-directory "$step"; then
        finish
        echo "$step failed; resume with: make $goal FROM=$step" >&2
        exit 1
    fi
    table="$table$(printf '%-22s %8d' "$step" $(($(date +%s) - start)))\\n"
done
finish
