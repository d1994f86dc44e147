#!/bin/sh
# Packs a release twice and compares the bytes, checks signature, bill of materials
# and unit, then installs every package in a clean place, starts it there and
# requests a quote. Checks that this machine cannot run are reported and skipped
# (those in another root need root, mmdebstrap and a package registry).
#
# usage: test-dist.sh path/to/tollbridge [REGISTRY]
set -eu
TOLLBRIDGE_BINARY=$(realpath "$1")
cd "$(dirname "$0")/.."
TOLLBRIDGE_REGISTRY=$(realpath "${2:-plugin-registry}")
python=${PYTHON3:-python3}
packaging=$(pwd)/scripts/packaging
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export PYTHONDONTWRITEBYTECODE=1
# Both runs use the same date, even if something is committed meanwhile.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
# Containers and other users must be able to enter this folder.
chmod 0755 "$work"
trap 'rm -rf "$work"' EXIT

ssh-keygen -q -t ed25519 -N '' -C release -f "$work/key"
pack() {
    TOLLBRIDGE_BINARY=$TOLLBRIDGE_BINARY TOLLBRIDGE_REGISTRY=$TOLLBRIDGE_REGISTRY RELEASE_KEY=$work/key \
        scripts/dist.sh "$1" > "$work/packed" || { cat "$work/packed"; exit 1; }
}
pack "$work/dist"
grep '^note' "$work/packed" || true
cp -R "$TOLLBRIDGE_REGISTRY" "$work/registry"
# The second run has files with other timestamps and another umask; the packages must
# still be the same.
(TOLLBRIDGE_REGISTRY=$work/registry; umask 077; pack "$work/again")
diff -r "$work/dist" "$work/again"
rm -rf "$work/again" "$work/registry"
echo "packed twice: the same bytes"

dist=$work/dist
echo "release $(cat "$work/key.pub")" > "$work/signers"
verified() { (cd "$dist" && ssh-keygen -q -Y verify -f "$work/signers" -I release -n tollbridge-release -s SHA256SUMS.sig < "$1"); }
verified "$dist/SHA256SUMS" > /dev/null
(cd "$dist" && sha256sum --quiet --check SHA256SUMS)
sed 's/^0/1/; t; s/^./0/' "$dist/SHA256SUMS" > "$work/forged"
! verified "$work/forged" > /dev/null 2>&1 || { echo "a forged list passes"; exit 1; }
echo "signature and checksums hold"

venv=$target/venv-dist
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/python" -c 'import cyclonedx, jsonschema' 2> /dev/null ||
    "$venv/bin/pip" install --quiet 'cyclonedx-python-lib[json-validation]==11.*'
"$venv/bin/python" "$packaging/check_sbom.py" "$dist"/*.cdx.json "$TOLLBRIDGE_REGISTRY"

# Without compiled code the first start compiles every plugin, so it gets more time.
most=300
mkdir "$work/tar"
tar -xzf "$dist"/tollbridge-*.tar.gz -C "$work/tar" --strip-components 1
[ ! -d "$work/tar/share/tollbridge/compiled" ] || most=20

# Starts a server by a command line, in an empty folder with an empty HOME.
settings=
try() {
    name=$1
    shift
    mkdir -p "$work/empty"
    # shellcheck disable=SC2086
    (cd "$work/empty" && env -i PATH=/usr/bin:/bin $settings "$(command -v "$python")" "$packaging/try_server.py" "$name" "$most" "$@")
    rm -rf "$work/empty"
}
seconds() { date +%s.%N; }
since() { "$python" -c "print(f'{$(seconds) - $1:.1f} s')"; }

try "tar archive" "$work/tar/bin/tollbridge"
printf '[server]\ndisplay_name = "Mine"\n' > "$work/mine.toml"
try "tar archive, own configuration" "$work/tar/bin/tollbridge" --config "$work/mine.toml"

# A registry that the user names has precedence over the one in the package.
mkdir -p "$work/beside/plugin-registry"
serves() { "$work/tar/bin/tollbridge" "$@" config show | sed -n '/^\[registry]/,/^\[/{/^dir = /p}'; }
[ "$(cd "$work" && serves)" = "dir = \"$work/tar/share/tollbridge/plugin-registry\"  # TOLLBRIDGE__REGISTRY__DIR" ]
[ "$(cd "$work/beside" && serves)" = 'dir = "plugin-registry"  # default' ]
printf '[registry]\ndir = "/srv/plugins"\n' > "$work/other.toml"
[ "$(cd "$work" && serves --config other.toml)" = 'dir = "/srv/plugins"  # other.toml:2' ]

# Filling a registry adds missing versions and changes nothing else.
fill="$work/tar/lib/tollbridge/fill-registry $work/tar/share/tollbridge/plugin-registry $work/filled"
$fill
diff -r "$work/tar/share/tollbridge/plugin-registry" "$work/filled"
some=$(cd "$work/filled" && echo bridges/forecast/*)
mkdir -p "$work/filled/bridges/deployed/1.0.0"
echo "# mine" >> "$work/filled/publishers.toml"
mv "$work/filled/$some" "$work/filled/bridges/forecast/.draft"
rm "$work/filled/bridges/forecast/.draft/plugin.wasm"
$fill
[ -f "$work/filled/$some/plugin.wasm" ]
[ -d "$work/filled/bridges/deployed/1.0.0" ]
grep -q '^# mine' "$work/filled/publishers.toml"
echo "registries: named ones go first, and filling keeps what is there"

before=$(seconds)
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-index "$dist"/*.whl
echo "wheel: installed in $(since "$before")"
try "wheel" "$work/venv/bin/tollbridge"
"$work/venv/bin/pip" uninstall --quiet --yes tollbridge-server
[ ! -e "$work/venv/share/tollbridge" ] || { echo "the wheel leaves files behind"; exit 1; }

if command -v skopeo > /dev/null; then
    skopeo inspect "oci:$dist/oci" > /dev/null
    skopeo copy --quiet "oci:$dist/oci" "oci-archive:$work/image.tar"
    rm "$work/image.tar"
    echo "image: skopeo reads and copies it"
fi
unit=usr/lib/systemd/system/tollbridge.service
mkdir "$work/root"
if command -v dpkg-deb > /dev/null; then
    dpkg-deb -x "$dist"/*.deb "$work/root"
    if command -v systemd-analyze > /dev/null; then
        # A higher exposure means fewer restrictions of the service; 100 is none.
        systemd-analyze security --offline=true --no-pager --threshold=25 "$work/root/$unit" > "$work/exposure" ||
            { cat "$work/exposure"; exit 1; }
        tail -n 1 "$work/exposure"
    fi
    if command -v lintian > /dev/null; then
        lintian --fail-on error "$dist"/*.deb 2> /dev/null
    fi
    rm -rf "$work/root"
fi

if [ "$(id -u)" != 0 ] || ! unshare --mount true 2> /dev/null; then
    echo "note: image and Debian package are not started: only root can enter another root"
    exit 0
fi
in_root=$packaging/in-root.sh

mkdir "$work/image"
"$python" "$packaging/unpack_image.py" "$dist/oci" "$work/image"
settings=TOLLBRIDGE_CONFIG=/etc/tollbridge/tollbridge.toml
try "image" "$in_root" "$work/image" 8402:8402 /usr/lib/tollbridge/container-start
settings=
rm -rf "$work/image"

codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
if ! command -v mmdebstrap > /dev/null ||
    ! mmdebstrap --quiet --variant=minbase \
        --include=adduser,ca-certificates,systemd-sysv,dbus "$codename" "$work/root" 2> "$work/log"; then
    echo "note: the Debian package is not installed: mmdebstrap makes no root here"
    exit 0
fi
before=$(seconds)
cp "$dist"/*.deb "$work/root/tmp/"
"$in_root" "$work/root" root:root sh -c 'dpkg --install /tmp/*.deb' > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
echo "Debian package: installed in $(since "$before")"
# Do what the unit does: create the folders of its user, fill the registry, start the
# server.
"$in_root" "$work/root" root:root install -d -o tollbridge -g tollbridge -m 0700 \
    /var/lib/tollbridge /var/lib/tollbridge-registry
before=$(seconds)
"$in_root" "$work/root" tollbridge:tollbridge \
    /usr/lib/tollbridge/fill-registry /usr/share/tollbridge/plugin-registry /var/lib/tollbridge-registry
echo "Debian package: registry filled in $(since "$before")"
try "Debian package" "$in_root" "$work/root" tollbridge:tollbridge \
    /usr/bin/tollbridge --config /etc/tollbridge/tollbridge.toml
"$in_root" "$work/root" root:root dpkg --purge tollbridge > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[ ! -e "$work/root/usr/share/tollbridge" ] || { echo "the package leaves files behind"; exit 1; }
[ -e "$work/root/var/lib/tollbridge/tollbridge.redb" ] || { echo "purging took the ledger away"; exit 1; }
if command -v systemd-nspawn > /dev/null; then
    rm -rf "$work/root/var/lib/tollbridge" "$work/root/var/lib/tollbridge-registry"
    mv "$work/root/tmp/"*.deb "$work/root/root/"
    port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    "$packaging/try-unit.sh" "$work/root" "$port"
else
    echo "note: the service is not started by systemd: systemd-nspawn (systemd-container) is not there"
fi
