#!/usr/bin/env python3
"""Makes abbreviations.tsv and NOTICE: abbreviations after which a sentence goes on, by language.

Run: python3 make.py (needs npm; downloads to a temporary folder). From cldr-segments-full (npm), the sentence break
suppressions of the Unicode CLDR. A line is `language:abbreviation<TAB>`, sorted by bytes for bisection.
"""
import hashlib
import json
import pathlib
import subprocess
import tarfile
import tempfile

HERE = pathlib.Path(__file__).parent
VERSION = "46.1.0"
LANGUAGES = ("de", "en", "es", "fr", "it", "pt", "ru")


def main():
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        command = ["npm", "pack", f"cldr-segments-full@{VERSION}"]
        subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        archive = next(work.glob("*.tgz"))
        tarfile.open(archive).extractall(work, filter="data")
        licence = (work / "package/LICENSE").read_text().strip()
        if not licence.startswith("UNICODE LICENSE V3"):
            raise SystemExit("not the Unicode licence")
        keys = set()
        for language in LANGUAGES:
            data = json.loads((work / f"package/segments/{language}/suppressions.json").read_text())
            for entry in data["segments"]["segmentations"]["SentenceBreak"]["standard"]:
                # Those of several words end in one that is looked up alone.
                word = entry["suppression"].split()[-1]
                if word.endswith("."):
                    keys.add(f"{language}:{word}")
        lines = sorted(keys, key=str.encode)
        (HERE / "abbreviations.tsv").write_text("".join(f"{key}\t\n" for key in lines))
        head = f"abbreviations.tsv is made by make.py from cldr-segments-full {VERSION} (npm), Unicode-3.0, sha256 "
        (HERE / "NOTICE").write_text(head + hashlib.sha256(archive.read_bytes()).hexdigest() + "\n\n" + licence + "\n")
        print(len(lines))


if __name__ == "__main__":
    main()
