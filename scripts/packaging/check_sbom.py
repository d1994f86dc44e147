"""The bill of materials fits its schema and leaves nothing out.

usage: check_sbom.py FILE REGISTRY
"""

import json
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator


def main() -> None:
    file, registry = map(Path, sys.argv[1:])
    text = file.read_text()
    if wrong := JsonStrictValidator(SchemaVersion.V1_5).validate_str(text):
        sys.exit(f"{file}: {wrong}")
    bom = json.loads(text)
    named = {(one["name"], one["version"]) for one in bom["components"]}
    # Crates that are always part of the host: engine, ledger, encryption.
    for crate in ("wasmtime", "redb", "ring", "tollbridge-ledger", "wit-bindgen"):
        if crate not in {name for name, _ in named}:
            sys.exit(f"{file}: {crate} is missing")
    plugins = [one for one in bom["components"] if one["bom-ref"].startswith("plugin:")]
    if {one["name"] for one in plugins} != {folder.name for folder in registry.glob("*/*") if folder.is_dir()}:
        sys.exit(f"{file}: other plugins than in {registry}")
    refs = {one["bom-ref"] for one in bom["components"]} | {bom["metadata"]["component"]["bom-ref"]}
    if lost := {ref for one in bom["dependencies"] for ref in one.get("dependsOn", [])} - refs:
        sys.exit(f"{file}: depends on what is not listed: {lost}")
    if "file://" + str(Path.home()) in text or str(Path.cwd()) in text:
        sys.exit(f"{file}: names a folder of this machine")
    print(f"bill of materials: {len(bom['components'])} parts, {len(plugins)} of them plugins")


if __name__ == "__main__":
    main()
