"""Reads the price list of the pinned LiteLLM wheel, for scripts that make tables from it.

The list is MIT-licensed and dated; its prices were not checked with the providers. Needs pip, and downloads to a temporary folder.
"""
import hashlib
import json
import pathlib
import subprocess
import tempfile
import zipfile

VERSION = "1.109.1"
PRICES = "litellm/model_prices_and_context_window_backup.json"
# One flag for each capability by which the router selects providers.
FLAGS = {"t": "supports_function_calling", "v": "supports_vision", "j": "supports_response_schema"}


def read():
    """Returns the entries, the date of the list, and the licence notice to ship with data made from it."""
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["pip", "download", "--no-deps", "--only-binary", ":all:", "--python-version", "3.11",
                        "--dest", work, f"litellm=={VERSION}"], check=True, stdout=subprocess.DEVNULL)
        archive = next(pathlib.Path(work).glob("litellm-*.whl"))
        wheel = zipfile.ZipFile(archive)
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        names = wheel.namelist()
        licence = wheel.read(next(n for n in names if n.endswith("licenses/LICENSE"))).decode()
        if "available under the MIT license" not in licence or PRICES.startswith("enterprise/"):
            raise SystemExit("the licence does not allow redistribution here")
        # Files in the wheel are dated 1980; the build date is in its bill of materials.
        bill = json.loads(wheel.read(next(n for n in names if n.endswith(".cyclonedx.json"))))
        as_of = bill["metadata"]["timestamp"][:10]
        entries = json.loads(wheel.read(PRICES))
    notice = f"from {PRICES} of litellm {VERSION} (PyPI, sha256 {digest}):\n\n{licence.strip()}\n"
    return entries, as_of, notice


def flags(entry, known):
    """Returns the flags of the capabilities that an entry has."""
    return "".join(letter for letter, key in known.items() if entry.get(key) is True)


def whole(value):
    """Formats a count as text; empty if it is missing."""
    return str(int(value)) if isinstance(value, (int, float)) and value > 0 else ""
