#!/usr/bin/env python3
"""Makes cards.tsv, iban.tsv and NOTICE from credit-card-type and iban (npm).

Run: python3 make.py (needs npm; downloads to a temporary folder).
cards.tsv: brand, first and last prefix of a range, lengths. iban.tsv: country, length, an example.
"""
import hashlib
import pathlib
import re
import subprocess
import tarfile
import tempfile

HERE = pathlib.Path(__file__).parent
PACKAGES = {"credit-card-type": "10.3.0", "iban": "0.0.14"}


def main():
    notice, folders = ["The tables are made by make.py from these packages. Their notices:"], {}
    with tempfile.TemporaryDirectory() as work:
        for name, version in PACKAGES.items():
            folder = folders[name] = pathlib.Path(work) / name
            folder.mkdir()
            subprocess.run(["npm", "pack", f"{name}@{version}"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            archive = next(folder.glob("*.tgz"))
            tarfile.open(archive).extractall(folder, filter="data")
            licence = (folder / "package/LICENSE").read_text().strip()
            if "Permission is hereby granted, free of charge" not in licence:
                raise SystemExit(f"{name}: not the MIT licence")
            digest = hashlib.sha256(archive.read_bytes()).hexdigest()
            notice += ["", "=" * 80, f"{name} {version} (npm), MIT, sha256 {digest}", "", licence]
        text = re.sub(r"\s", "", (folders["credit-card-type"] / "package/dist/lib/card-types.js").read_text())
        cards = []
        for brand, patterns, lengths in re.findall(r'type:"([a-z-]+)",patterns:\[(.*?)\],gaps:\[[\d,]*\],lengths:\[([\d,]+)\]', text):
            for low, high, one in re.findall(r"\[(\d+),(\d+)\]|(\d+)", patterns):
                cards.append(f"{brand}\t{low or one}\t{high or one}\t{lengths.strip(',')}\n")
        ibans = re.findall(r'new Specification\("([A-Z]{2})",\s*(\d+),\s*"\w+",\s*"(\w+)"\)',
                           (folders["iban"] / "package/iban.js").read_text())
    (HERE / "cards.tsv").write_text("".join(cards))
    (HERE / "iban.tsv").write_text("".join("\t".join(row) + "\n" for row in sorted(ibans)))
    (HERE / "NOTICE").write_text("\n".join(notice) + "\n")
    print(len(cards), len(ibans))


if __name__ == "__main__":
    main()
