#!/usr/bin/env python3
"""Makes the labelled sets from the pinned source distribution of vaderSentiment (PyPI, MIT).

Run: python3 make.py FOLDER (needs pip). Writes FOLDER/{tweets,editorials,movies,products}.tsv, lines of
part, mean rating (−4 to 4, at least 20 people), text; and checks them against sums.txt.

Split, fixed before anything was tuned: by the number of the document that a text is from (its id up to "_"), odd ones
for tuning, even ones held out; so sentences of one document never stand on both sides.

tweets.tsv is kept in this folder. The other sets quote newspapers and reviewers and are made when needed.
"""
import hashlib
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).parent
NAMES = {"tweets": "tweets", "editorials": "nytEditorialSnippets", "movies": "movieReviewSnippets",
         "products": "amazonReviewSnippets"}


def rows(path):
    for line in path.read_bytes().decode("utf-8", "replace").splitlines():
        number, rating, text = line.split("\t", 2)
        part = "tune" if int(number.split("_")[0]) % 2 else "test"
        yield f"{part}\t{float(rating):.4f}\t{' '.join(text.split())}\n"


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    sums = dict(line.split()[::-1] for line in (HERE / "sums.txt").read_text().splitlines())
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        pip = ["pip", "download", "--no-deps", "--no-binary", ":all:", "vaderSentiment==3.3.2"]
        subprocess.run(pip, cwd=work, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        archive = next(work.glob("*.tar.gz"))
        assert hashlib.sha256(archive.read_bytes()).hexdigest() == sums[archive.name], "another archive than the pinned one"
        tarfile.open(archive).extractall(work, filter="data")
        inner = next(work.rglob("hutto_ICWSM_2014.tar.gz"))
        tarfile.open(inner).extractall(work, filter="data")
        for name, source in NAMES.items():
            text = "".join(rows(next(work.rglob(f"{source}_GroundTruth.txt"))))
            (out / f"{name}.tsv").write_text(text)
            digest = hashlib.sha256(text.encode()).hexdigest()
            print(digest, f"{name}.tsv", "as pinned" if sums.get(f"{name}.tsv") == digest else "NOT AS PINNED")


if __name__ == "__main__":
    main()
