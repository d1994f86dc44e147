#!/usr/bin/env python3
"""Makes languages.tsv, scripts.tsv and NOTICE: codes of languages and scripts.

Run: python3 make.py (needs npm; downloads to a temporary folder). languages.tsv: ISO 639-3 to ISO 639-1, from iso-639-3
(npm). scripts.tsv: names of scripts to ISO 15924, from iso-15924 (npm). Sorted by the bytes of the key, for bisection.
"""
import hashlib
import pathlib
import re
import subprocess
import tarfile
import tempfile

HERE = pathlib.Path(__file__).parent
PACKAGES = {"iso-639-3": "3.0.1", "iso-15924": "3.2.0"}


def main():
    notice = ["The tables are made by make.py from these packages. Their notices:"]
    sources = {}
    with tempfile.TemporaryDirectory() as work:
        for name, version in PACKAGES.items():
            folder = pathlib.Path(work) / name
            folder.mkdir()
            subprocess.run(["npm", "pack", f"{name}@{version}"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            archive = next(folder.glob("*.tgz"))
            tarfile.open(archive).extractall(folder, filter="data")
            licence = (folder / "package/license").read_text().strip()
            if "Permission is hereby granted, free of charge" not in licence:
                raise SystemExit(f"{name}: not the MIT licence")
            digest = hashlib.sha256(archive.read_bytes()).hexdigest()
            notice += ["", "=" * 80, f"{name} {version} (npm), MIT, sha256 {digest}", "", licence]
            path = "package/iso6393-to-1.js" if name == "iso-639-3" else "package/index.js"
            sources[name] = (folder / path).read_text()
    languages = dict(re.findall(r"^  (\w{3}): '(\w\w)'", sources["iso-639-3"], re.M))
    scripts = {}
    for block in re.findall(r"\{[^{}]*\}", sources["iso-15924"].split("export const", 1)[1]):
        members = dict(re.findall(r"(\w+): '([^']*)'", block))
        if "pva" in members:
            scripts[members["pva"]] = members["code"]
    for name, rows in (("languages.tsv", languages), ("scripts.tsv", scripts)):
        lines = [f"{key}\t{value}\n" for key, value in sorted(rows.items(), key=lambda row: row[0].encode())]
        (HERE / name).write_text("".join(lines))
        print(name, len(lines))
    (HERE / "NOTICE").write_text("\n".join(notice) + "\n")


if __name__ == "__main__":
    main()
