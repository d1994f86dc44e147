"""The price list of the pinned LiteLLM wheel, for those who make tables out of it.

It is MIT and dated; nothing in it was tried live from here. Needs pip, and downloads to a temporary folder.
"""
import hashlib
import json
import pathlib
import subprocess
import tempfile
import zipfile

VERSION = "1.109.1"
PRICES = "litellm/model_prices_and_context_window_backup.json"
# One letter for each ability that decides who may answer.
FLAGS = {"t": "supports_function_calling", "v": "supports_vision", "j": "supports_response_schema"}


def read():
    """The entries, the day of the list, and the notice that belongs beside what is made of it."""
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
        # The wheel dates its files 1980; the day it was built stands in its bill of materials.
        bill = json.loads(wheel.read(next(n for n in names if n.endswith(".cyclonedx.json"))))
        as_of = bill["metadata"]["timestamp"][:10]
        entries = json.loads(wheel.read(PRICES))
    notice = f"from {PRICES} of litellm {VERSION} (PyPI, sha256 {digest}):\n\n{licence.strip()}\n"
    return entries, as_of, notice


def flags(entry, known):
    """One letter for each ability that an entry states."""
    return "".join(letter for letter, key in known.items() if entry.get(key) is True)


def whole(value):
    """A count as text, empty where there is none."""
    return str(int(value)) if isinstance(value, (int, float)) and value > 0 else ""
