#!/bin/sh
# A Debian package from the tree that all packages share.
#
# usage: deb.sh TREE VERSION CONFIG DIST
set -eu
tree=$1
version=$2
config=$3
dist=$4
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
share=$root/usr/share
mkdir -p "$root/DEBIAN" "$root/etc/tollbridge" "$root/usr/bin" "$root/usr/lib/systemd/system" "$share/doc/tollbridge" \
    "$share/zsh/vendor-completions"
cp "$tree/lib/tollbridge/tollbridge" "$root/usr/bin/"
cp -R "$tree/share/." "$share/"
rm "$share/tollbridge/tollbridge.toml"
mv "$share/zsh/site-functions/_tollbridge" "$share/zsh/vendor-completions/"
rmdir "$share/zsh/site-functions"
mkdir "$root/usr/lib/tollbridge"
cp "$tree/lib/tollbridge/fill-registry" "$root/usr/lib/tollbridge/"
sed 's|@BIN@|/usr/bin/tollbridge|; s|@LIB@|/usr/lib/tollbridge|; s|@SHARE@|/usr/share/tollbridge|' \
    "$here/tollbridge.service" > "$root/usr/lib/systemd/system/tollbridge.service"
cp "$config" "$root/etc/tollbridge/tollbridge.toml"
echo /etc/tollbridge/tollbridge.toml > "$root/DEBIAN/conffiles"
if [ -d "$share/man/man1" ]; then
    gzip -9n "$share"/man/man1/*.1
else
    # Without man pages the unit names none.
    sed -i '/^Documentation=/d' "$root/usr/lib/systemd/system/tollbridge.service"
fi

day=$(date -u -d "@$SOURCE_DATE_EPOCH" -R)
maintainer="Tollbridge maintainers <maintainers@tollbridge.invalid>"
cat > "$share/doc/tollbridge/copyright" <<EOF
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tollbridge

Files: *
Copyright: $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y) the authors of Tollbridge
License: Apache-2.0

Files: usr/share/tollbridge/models/*
Copyright: the authors of sentence-transformers
License: Apache-2.0

License: Apache-2.0
 On Debian systems the text of this license is in
 /usr/share/common-licenses/Apache-2.0.
EOF
cat > "$work/changelog" <<EOF
tollbridge ($version) stable; urgency=medium

  * Release $version.

 -- $maintainer  $day
EOF
gzip -9nc "$work/changelog" > "$share/doc/tollbridge/changelog.gz"

# dpkg-shlibdeps reads a source package's control file, of which it needs no more.
mkdir "$work/debian"
printf 'Source: tollbridge\n\nPackage: tollbridge\nArchitecture: amd64\n' > "$work/debian/control"
# As Debian counts it, which no filesystem has a say in: files in whole KiB, and
# one for each folder.
installed=$(cd "$root" && find usr etc -printf '%y %s\n' |
    awk '{ sum += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print sum }')
libraries=$(cd "$work" && dpkg-shlibdeps -O "$root/usr/bin/tollbridge" | sed 's/^shlibs:Depends=//')
cat > "$root/DEBIAN/control" <<EOF
Package: tollbridge
Version: $version
Architecture: amd64
Maintainer: $maintainer
Installed-Size: $installed
Depends: $libraries, adduser, ca-certificates
Section: net
Priority: optional
Description: WebAssembly-plugin host for paid data bridges and agents
 Tollbridge sells calls over HTTP 402. Every bridge and agent is a sandboxed
 WebAssembly component; price, payment, split, ledger and signatures are the
 host's alone.
 .
 The service serves the plugins of this package on 127.0.0.1:8402, with test
 payments, until /etc/tollbridge/tollbridge.toml says otherwise.
EOF
for script in postinst prerm postrm; do
    cp "$here/deb/$script" "$root/DEBIAN/"
done
(cd "$root" && find . -type f ! -path './DEBIAN/*' -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' md5sum) > "$root/DEBIAN/md5sums"
chmod -R u=rwX,go=rX "$root"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
# With one thread: how many there are changes the bytes. The last fifth of the size
# would take six times as long.
dpkg-deb --root-owner-group -Zxz -z 2 --threads-max=1 --build "$root" "$dist/tollbridge_${version}_amd64.deb" > /dev/null
