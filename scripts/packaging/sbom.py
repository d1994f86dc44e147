"""One bill of materials of a release: what the binary is compiled from, the plugins
with their digests, and what each of them is compiled from.

Joins what cargo-cyclonedx writes for each crate, and takes the folder of the build
out of it.

usage: sbom.py ROOT HOST.cdx.json REGISTRY BINARY TO
"""

import hashlib
import json
import sys
import tomllib
from pathlib import Path


def sha256(path: Path) -> list[dict[str, str]]:
    return [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]


def document(path: Path, root: Path) -> dict:
    return json.loads(path.read_text().replace(f"path+file://{root}/", "path:").replace(f"file://{root}/", "file://"))


def main() -> None:
    root, host, registry, binary, target = map(Path, sys.argv[1:])
    bom = document(host, root)
    main_component = bom["metadata"]["component"]
    main_component["hashes"] = sha256(binary)
    # A crate's targets only repeat the crate.
    main_component.pop("components", None)
    components = {one["bom-ref"]: one for one in bom["components"]}
    dependencies = {one["ref"]: one for one in bom["dependencies"]}
    for file in sorted(registry.glob("*/*/*/plugin.toml")):
        manifest = tomllib.loads(file.read_text())
        ref = f"plugin:{manifest['kind']}/{manifest['name']}@{manifest['version']}"
        described = list((root / "plugins" / file.parts[-4] / manifest["name"]).glob("*.cdx.json"))
        needs: list[str] = []
        if described:
            own = document(described[0], root)
            components |= {one["bom-ref"]: one for one in own["components"]}
            dependencies |= {one["ref"]: one for one in own["dependencies"]}
            needs = dependencies.pop(own["metadata"]["component"]["bom-ref"], {}).get("dependsOn", [])
        components[ref] = {
            "type": "application",
            "bom-ref": ref,
            "group": manifest["kind"],
            "name": manifest["name"],
            "version": manifest["version"],
            "publisher": manifest["publisher"],
            "description": manifest["purpose"],
            "hashes": sha256(file.parent / "plugin.wasm"),
        }
        dependencies[ref] = {"ref": ref, "dependsOn": needs}
        dependencies[main_component["bom-ref"]].setdefault("dependsOn", []).append(ref)
    bom["components"] = [components[ref] for ref in sorted(components)]
    bom["dependencies"] = [dependencies[ref] for ref in sorted(dependencies)]
    target.write_text(json.dumps(bom, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
