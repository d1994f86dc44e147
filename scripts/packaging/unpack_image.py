"""Unpacks an image's layers, with their owners, as a container's root.

usage: unpack_image.py LAYOUT ROOT
"""

import json
import sys
import tarfile
from pathlib import Path


def main() -> None:
    layout, root = map(Path, sys.argv[1:])

    def blob(descriptor: dict) -> Path:
        return layout / "blobs" / descriptor["digest"].replace(":", "/")

    index = json.loads((layout / "index.json").read_text())
    manifest = json.loads(blob(index["manifests"][0]).read_text())
    for layer in manifest["layers"]:
        with tarfile.open(blob(layer)) as tar:
            tar.extractall(root, numeric_owner=True, filter="fully_trusted")


if __name__ == "__main__":
    main()
