#!/usr/bin/env python3
"""Makes formats.txt, sources.json and NOTICE from a pinned package. Nothing in them is typed by hand.

Run: python3 make.py (needs pip; downloads to a temporary folder).
A line of formats.txt: code of the country, name, `eu` or `-`, format in words, pattern.
known_good.txt is not made here: see its first line.
"""
import json
import pathlib
import subprocess
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent
NAME, VERSION = "eu-vat-rates-data", "2026.9.29"


def main():
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        subprocess.run(["pip", "download", "--no-deps", f"{NAME}=={VERSION}"], cwd=work, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        zipfile.ZipFile(next(work.glob("*.whl"))).extractall(work)
        if "OSI Approved :: MIT" not in next(work.glob("*.dist-info/METADATA")).read_text():
            raise SystemExit(f"{NAME}: not under MIT any more")
        table = json.loads((work / "eu_vat_rates_data/eu_vat_rates_data.json").read_text())
        lines = []
        for code, row in sorted(table["rates"].items()):
            cells = [code, row["country"], "eu" if row["eu_member"] else "-", row["format"], row["pattern"]]
            if any("\t" in cell or "\n" in cell for cell in cells):
                raise SystemExit(f"{code}: a tab or line break in {cells}")
            lines.append("\t".join(cells))
        (HERE / "formats.txt").write_text("\n".join(lines) + "\n")
        source = {"name": NAME, "version": VERSION, "as_of": table["version"], "licence": "MIT",
                  "source": "formats of VAT numbers by country, kept by vatnode.dev (EU from the European Commission)"}
        (HERE / "sources.json").write_text(json.dumps([source], indent=1) + "\n")
        licence = next(path for path in work.rglob("*") if path.is_file() and path.name.upper().startswith("LICENSE"))
        (HERE / "NOTICE").write_text(f"formats.txt is made by make.py from {NAME} {VERSION} (PyPI). Its notice:\n\n"
                                     + licence.read_text().strip() + "\n")
        print(len(lines), "countries")


if __name__ == "__main__":
    main()
