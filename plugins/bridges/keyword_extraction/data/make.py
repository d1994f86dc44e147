#!/usr/bin/env python3
"""Makes stopwords.tsv and NOTICE from stopwords-iso (npm). A line is `language:word<TAB>`, sorted by bytes.

Run: python3 make.py (needs npm; downloads to a temporary folder).
"""
import hashlib
import json
import pathlib
import subprocess
import tarfile
import tempfile

HERE = pathlib.Path(__file__).parent
VERSION = "1.1.0"
# The MIT licence of the package, as its package.json names it; the package holds no text of it.
LANGUAGES = ("cs", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pl", "pt", "ro", "ru", "sv", "tr", "uk")


def main():
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        subprocess.run(["npm", "pack", f"stopwords-iso@{VERSION}"], cwd=work, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        archive = next(work.glob("*.tgz"))
        tarfile.open(archive).extractall(work, filter="data")
        if json.loads((work / "package/package.json").read_text())["license"] != "MIT":
            raise SystemExit("not the MIT licence")
        words = json.loads((work / "package/stopwords-iso.json").read_text())
        keys = {f"{language}:{word.lower()}" for language in LANGUAGES for word in words[language] if word.split() == [word]}
        lines = sorted(keys, key=str.encode)
        (HERE / "stopwords.tsv").write_text("".join(f"{key}\t\n" for key in lines))
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        (HERE / "NOTICE").write_text(
            f"stopwords.tsv is made by make.py from stopwords-iso {VERSION} (npm), MIT (named in its package.json),\n"
            f"Gene Diaz, sha256 {digest}\n")
        print(len(lines))


if __name__ == "__main__":
    main()
