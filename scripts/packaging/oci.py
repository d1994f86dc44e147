"""An image in the layout of the Open Container Initiative: one layer from a tree.

usage: oci.py TREE VERSION OUT
"""

import hashlib
import json
import sys
import time
from pathlib import Path

from archives import EPOCH, compressed, tar_bytes

# A user id that no distribution assigns. Volumes that are created by hand must be owned by it.
USER = 8402
STATE = ("var/lib/tollbridge", "var/lib/tollbridge-registry")
VENDOR = "application/vnd.oci.image"


def main() -> None:
    tree, version, out = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    blobs = out / "blobs" / "sha256"
    blobs.mkdir(parents=True)

    def blob(content: bytes, kind: str) -> dict:
        digest = hashlib.sha256(content).hexdigest()
        (blobs / digest).write_bytes(content)
        return {"mediaType": f"{VENDOR}.{kind}", "digest": f"sha256:{digest}", "size": len(content)}

    def document(value: dict) -> bytes:
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
    labels = {
        "org.opencontainers.image.title": "Tollbridge",
        "org.opencontainers.image.description": "A WebAssembly-plugin host for paid data bridges and agents",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.created": created,
    }
    folders = dict.fromkeys(STATE, (USER, 0o700)) | {"tmp": (0, 0o1777)}
    layer = tar_bytes(tree, special=folders)
    config = {
        "created": created,
        "architecture": "amd64",
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "ExposedPorts": {"8402/tcp": {}},
            "Env": ["PATH=/usr/bin", "TOLLBRIDGE_CONFIG=/etc/tollbridge/tollbridge.toml"],
            "Entrypoint": ["/usr/lib/tollbridge/container-start"],
            "Cmd": ["serve"],
            "Volumes": {f"/{folder}": {} for folder in STATE},
            "WorkingDir": f"/{STATE[0]}",
            "StopSignal": "SIGTERM",
            "Labels": labels,
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        "history": [{"created": created, "created_by": "scripts/dist.sh"}],
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{VENDOR}.manifest.v1+json",
        "config": blob(document(config), "config.v1+json"),
        "layers": [blob(compressed(layer), "layer.v1.tar+gzip")],
        "annotations": labels,
    }
    listed = blob(document(manifest), "manifest.v1+json")
    listed["annotations"] = {"org.opencontainers.image.ref.name": version}
    listed["platform"] = {"architecture": "amd64", "os": "linux"}
    (out / "oci-layout").write_bytes(document({"imageLayoutVersion": "1.0.0"}))
    index = {"schemaVersion": 2, "mediaType": f"{VENDOR}.index.v1+json", "manifests": [listed]}
    (out / "index.json").write_bytes(document(index))


if __name__ == "__main__":
    main()
