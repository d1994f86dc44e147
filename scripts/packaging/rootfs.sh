#!/bin/sh
# Adds everything to a tree that a container needs besides Tollbridge: shared
# libraries and a shell of this machine, certificates, users. Each Debian package
# that contributes a file is listed in var/lib/dpkg/status.d, where image scanners
# look.
#
# usage: rootfs.sh TREE
set -eu
tree=$1
mkdir -p "$tree/usr/bin" "$tree/usr/lib64" "$tree/etc/ssl/certs" "$tree/tmp" "$tree/proc" "$tree/dev" "$tree/sys" \
    "$tree/var/lib/dpkg/status.d" "$tree/var/lib/tollbridge" "$tree/var/lib/tollbridge-registry"
for folder in bin lib lib64; do
    ln -s "usr/$folder" "$tree/$folder"
done

# Copies a file of this machine to the path at which programs expect it.
take() {
    cp -L "$1" "$tree/$1"
    command -v dpkg-query > /dev/null || return 0
    # dpkg may list a file in /usr/lib under /lib, or the other way round.
    package=$(dpkg-query --search "$1" "$(realpath "$1")" "/usr$1" "${1#/usr}" 2> /dev/null |
        sed -n "/^diversion/d; s/:.*//p" | head -n 1) || true
    [ -z "$package" ] || dpkg-query --status "$package" > "$tree/var/lib/dpkg/status.d/$package"
}
libraries() { ldd "$@" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^\t\(\/[^ ]*\).*/\1/p' | sort -u; }

programs=
for program in sh cat cp ls mkdir mv rm; do
    take "/bin/$program"
    programs="$programs /bin/$program"
done
# shellcheck disable=SC2086
for library in $(libraries "$tree/usr/bin/tollbridge" $programs); do
    mkdir -p "$tree/$(dirname "$library")"
    take "$library"
done
take /etc/ssl/certs/ca-certificates.crt
printf 'root:x:0:0:root:/:/bin/sh\ntollbridge:x:8402:8402:Tollbridge:/var/lib/tollbridge:/bin/sh\n' > "$tree/etc/passwd"
printf 'root:x:0:\ntollbridge:x:8402:\n' > "$tree/etc/group"
