"""A wheel that carries the binary, the plugins and the compiled code.

pip lays `scripts` into the environment's bin and `data` into its root, so the
wrapper finds both beside itself, as in the tar archive. No Python code is in it:
a command starts without an interpreter.

usage: wheel.py TREE VERSION PLATFORM README DIST
"""

import base64
import hashlib
import sys
import time
import zipfile
from pathlib import Path

from archives import EPOCH, files_below, mode_of

METADATA = """\
Metadata-Version: 2.4
Name: tollbridge-server
Version: {version}
Summary: A WebAssembly-plugin host for paid data bridges and agents
License-Expression: Apache-2.0
Keywords: 402,payments,agents,webassembly
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Rust
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{readme}"""
WHEEL = """\
Wheel-Version: 1.0
Generator: tollbridge
Root-Is-Purelib: false
Tag: py3-none-{platform}
"""


def place(name: str, data: str) -> str:
    """Where a file of the tree goes in the wheel."""
    return f"{data}/scripts/tollbridge" if name == "bin/tollbridge" else f"{data}/data/{name}"


def main() -> None:
    tree, version, platform, readme, dist = sys.argv[1:]
    stem = f"tollbridge_server-{version}"
    info = f"{stem}.dist-info"
    written = time.gmtime(EPOCH)[:6]
    record = []
    with zipfile.ZipFile(Path(dist) / f"{stem}-py3-none-{platform}.whl", "w") as wheel:

        def add(name: str, content: bytes, mode: int = 0o644) -> None:
            entry = zipfile.ZipInfo(name, written)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content, compresslevel=6)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}")

        for path in files_below(Path(tree)):
            if path.is_file():
                name = path.relative_to(tree).as_posix()
                add(place(name, f"{stem}.data"), path.read_bytes(), mode_of(path))
        # The metadata comes last: installers read it from the end of the file.
        add(f"{info}/METADATA", METADATA.format(version=version, readme=Path(readme).read_text()).encode())
        add(f"{info}/WHEEL", WHEEL.format(platform=platform).encode())
        add(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]).encode())


if __name__ == "__main__":
    main()
