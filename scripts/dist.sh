#!/bin/sh
# Packs a release into dist/: a tar archive, a Debian package, a Python wheel, a
# container image, a bill of materials, checksums and, if a key is given, their
# signature. The same inputs give the same bytes (scripts/test-dist.sh compares).
# Needs the tools that build the host, and dpkg-dev for the Debian package.
#
# TOLLBRIDGE_BINARY=FILE    takes this binary instead of building one
# TOLLBRIDGE_PROFILE=FILE   builds by what scripts/pgo.sh counted; it is packed with the rest
# TOLLBRIDGE_REGISTRY=DIR   takes these plugins instead of publishing them
# RELEASE_KEY=FILE          signs with this Ed25519 key of OpenSSH
#
# usage: dist.sh [FOLDER]   (dist; what is in it is removed first)
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
dist=$(realpath -m "${1:-dist}")
packaging=$root/scripts/packaging
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
cargo=${CARGO:-cargo}
python=${PYTHON3:-python3}
export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C TZ=UTC
umask 022
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

binary=${TOLLBRIDGE_BINARY:-}
if [ -z "$binary" ]; then
    # Keep the paths of this machine out of the packages, so that another machine
    # builds the same bytes. Wasmtime's macros embed the path of the target folder
    # and no compiler option changes that, so the target folder has a fixed path,
    # which only one build at a time can use.
    fixed_target=/tmp/tollbridge-target
    exec 9> "$fixed_target.lock"
    flock 9
    mkdir -p "$target"
    ln -sfn "$target" "$fixed_target"
    remap="--remap-path-prefix=$root=/tollbridge --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
    profile=
    if [ -n "${TOLLBRIDGE_PROFILE:-}" ]; then
        # Symbol names depend on the path of the profile, so copy it to a path that is the same everywhere.
        profile=/tmp/tollbridge-$(sha256sum "$TOLLBRIDGE_PROFILE" | cut -d ' ' -f 1).profdata
        cmp -s "$TOLLBRIDGE_PROFILE" "$profile" || cp --remove-destination "$TOLLBRIDGE_PROFILE" "$profile"
        remap="$remap -Cprofile-use=$profile"
    fi
    CARGO_TARGET_DIR=$fixed_target RUSTFLAGS="${RUSTFLAGS:-} $remap" CFLAGS="${CFLAGS:-} -ffile-prefix-map=${CARGO_HOME:-$HOME/.cargo}=/cargo" \
        "$cargo" build --profile dist --locked -p tollbridge --bins
    binary=$target/dist/tollbridge
    rm -f "$fixed_target" "$profile"
    exec 9>&-
fi
registry=${TOLLBRIDGE_REGISTRY:-plugin-registry}
[ -n "${TOLLBRIDGE_REGISTRY:-}" ] || scripts/publish-plugins.sh "$binary"
version=$("$binary" --version | cut -d ' ' -f 2)
name=tollbridge-$version-x86_64-linux

rm -rf "$dist"
mkdir -p "$dist"
[ -z "${TOLLBRIDGE_PROFILE:-}" ] || cp "$TOLLBRIDGE_PROFILE" "$dist/$name.profdata"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The files that all packages share, in bin, lib and share.
tree=$work/tree
share=$tree/share
mkdir -p "$tree/bin" "$tree/lib/tollbridge" "$tree/lib/systemd/system" "$share/tollbridge/plugin-registry" \
    "$share/bash-completion/completions" "$share/zsh/site-functions" "$share/fish/vendor_completions.d"
program=$tree/lib/tollbridge/tollbridge
# Strip the symbols, which are two thirds of the binary; panics still report file and
# line. Also remove the build id: it is computed from the symbols, which contain the
# path of the repository (through wasmtime's macros), while code and data do not.
strip -R .note.gnu.build-id -o "$program" "$binary"
! grep -aFq -e "$root/" -e "$HOME/" "$program" || echo "note: this binary names folders of this machine"
cp "$packaging/wrapper.sh" "$tree/bin/tollbridge"
cp "$packaging/fill-registry.sh" "$tree/lib/tollbridge/fill-registry"
"$python" "$packaging/stage.py" registry "$registry" "$share/tollbridge/plugin-registry"
scripts/fetch-model.sh
mkdir -p "$share/tollbridge/models"
cp models/all-minilm-l6-v2-int8.onnx host/embeddings/NOTICE "$share/tollbridge/models/"
"$program" completions bash > "$share/bash-completion/completions/tollbridge"
"$program" completions zsh > "$share/zsh/site-functions/_tollbridge"
"$program" completions fish > "$share/fish/vendor_completions.d/tollbridge.fish"

# An older binary may not have these commands.
if "$program" man --help > /dev/null 2>&1; then
    mkdir -p "$share/man/man1"
    "$program" man "$share/man/man1" > /dev/null
else
    echo "note: this binary writes no man pages"
fi
if "$program" precompile --help > /dev/null 2>&1; then
    "$program" --quiet precompile --registry "$share/tollbridge/plugin-registry" --to "$share/tollbridge/compiled" > /dev/null
    # The server executes this code, so only its owner may write here.
    chmod -R u=rwX,go=rX "$share/tollbridge/compiled"
else
    echo "note: this binary compiles nothing in advance, so that a first start takes longer"
fi

# Prints the configuration of a service whose files are below a prefix, followed by
# further keys.
config() {
    to=$1
    prefix=$2
    shift 2
    "$program" config show --default > "$work/defaults.toml"
    [ ! -d "$share/tollbridge/compiled" ] || set -- "plugins.precompiled=$prefix/share/tollbridge/compiled" "$@"
    "$python" "$packaging/stage.py" config "$work/defaults.toml" "$to" \
        data.dir=/var/lib/tollbridge registry.dir=/var/lib/tollbridge-registry \
        "inference.builtin.path=$prefix/share/tollbridge/models/all-minilm-l6-v2-int8.onnx" "$@"
    "$program" --quiet --config "$to" config check --strict > /dev/null
}
config "$share/tollbridge/tollbridge.toml" /opt/tollbridge
config "$work/tollbridge.toml" /usr
config "$dist/container.toml" /usr server.listen=0.0.0.0:8402 server.base_url=http://127.0.0.1:8402

echo "tar archive"
cp -R "$tree" "$work/archive"
cp -R README.md LICENSE docs "$work/archive/"
sed 's|@BIN@|/opt/tollbridge/bin/tollbridge|; s|@LIB@|/opt/tollbridge/lib/tollbridge|; s|@SHARE@|/opt/tollbridge/share/tollbridge|' \
    "$packaging/tollbridge.service" > "$work/archive/lib/systemd/system/tollbridge.service"
"$python" "$packaging/archives.py" "$work/archive" "$name" "$dist/$name.tar.gz"

echo "Python wheel"
# The newest glibc symbol version determines the systems on which the binary starts.
glibc=$(objdump -T "$program" | sed -n 's/.*GLIBC_\(2\.[0-9]*\).*/\1/p' | sort -t . -k 2 -n | tail -n 1)
cp -R "$tree" "$work/wheel"
rm -r "$work/wheel/lib/systemd" "$work/wheel/lib/tollbridge/fill-registry"
"$python" "$packaging/wheel.py" "$work/wheel" "$version" "manylinux_$(echo "$glibc" | tr . _)_x86_64" README.md "$dist"

if command -v dpkg-shlibdeps > /dev/null; then
    echo "Debian package"
    "$packaging/deb.sh" "$tree" "$version" "$work/tollbridge.toml" "$dist"
else
    echo "note: no Debian package without dpkg-dev"
fi

echo "image for containers"
image=$work/image
mkdir -p "$image/usr/bin" "$image/usr/lib/tollbridge" "$image/usr/share" "$image/etc/tollbridge"
cp "$program" "$image/usr/bin/tollbridge"
cp "$tree/lib/tollbridge/fill-registry" "$image/usr/lib/tollbridge/"
cp "$packaging/container-start.sh" "$image/usr/lib/tollbridge/container-start"
cp -R "$share/tollbridge" "$image/usr/share/"
rm "$image/usr/share/tollbridge/tollbridge.toml"
cp "$dist/container.toml" "$image/etc/tollbridge/tollbridge.toml"
cp LICENSE "$image/usr/share/tollbridge/"
"$packaging/rootfs.sh" "$image"
"$python" "$packaging/oci.py" "$image" "$version" "$dist/oci"
cp "$packaging/Containerfile" "$packaging/container-start.sh" "$dist/"

echo "bill of materials"
cyclonedx=$target/tools/bin/cargo-cyclonedx
[ -x "$cyclonedx" ] || "$cargo" install --quiet --locked --root "$target/tools" --target-dir "$target/tools/build" cargo-cyclonedx@0.5.9
describe() { "$cyclonedx" cyclonedx --quiet --format json --spec-version 1.5 "$@"; }
# The tool writes its output beside each manifest.
forget() { find host plugins sdk -name '*.cdx.json' -delete; }
forget
describe --manifest-path host/server/Cargo.toml --describe binaries --target x86_64-unknown-linux-gnu
describe --manifest-path plugins/Cargo.toml --target wasm32-wasip2
"$python" "$packaging/sbom.py" "$root" host/server/tollbridge_bin.cdx.json "$share/tollbridge/plugin-registry" \
    "$program" "$dist/$name.cdx.json"
forget

(cd "$dist" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | sort | xargs -d '\n' sha256sum) > "$work/SHA256SUMS"
mv "$work/SHA256SUMS" "$dist/SHA256SUMS"
if [ -n "${RELEASE_KEY:-}" ]; then
    ssh-keygen -q -Y sign -f "$RELEASE_KEY" -n tollbridge-release "$dist/SHA256SUMS"
    echo "SHA256SUMS is signed by $(ssh-keygen -l -f "$RELEASE_KEY" | cut -d ' ' -f 2)"
else
    echo "note: SHA256SUMS is NOT signed; RELEASE_KEY=FILE names the key of a release"
fi
du -sh "$dist"/*
