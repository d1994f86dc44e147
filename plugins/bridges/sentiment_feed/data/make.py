#!/usr/bin/env python3
"""Makes the tables and NOTICE of this folder from two pinned packages. No word or value in them is typed by hand.

Run: python3 make.py (needs pip and npm; downloads to a temporary folder).

lexicon.tsv, emoji.tsv, negations.tsv, boosters.tsv, phrases.tsv: vaderSentiment (PyPI). Values in tenths.
finance.tsv: what afinn-165-financialmarketnews (npm) adds to or changes in the AFINN-165 list it started from,
without what VADER's rules already treat (negations, words of several parts). A word that it adds but that VADER rates
too keeps VADER's value; one whose value it changes has the changed one.
news.tsv: the mean of three lists: VADER counts 1, AFINN-165 (npm) a half, four times the mean polarity of a word's senses in
the lexicon of TextBlob (PyPI; by De Smedt and Daelemans, PDDL) a quarter; a word that a list does not have counts 0 there.
"""
import ast
import hashlib
import pathlib
import re
import subprocess
import tarfile
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).parent
VADER = ("vaderSentiment", "3.3.2")
FINANCE = ("afinn-165-financialmarketnews", "3.0.0")
BASE = ("afinn-165", "2.0.2")
BLOB = ("textblob", "0.20.1")


def unpack(command, folder):
    folder.mkdir()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    archive = next(p for p in folder.iterdir() if p.is_file())
    tarfile.open(archive).extractall(folder, filter="data")
    return next(p for p in folder.iterdir() if p.is_dir()), hashlib.sha256(archive.read_bytes()).hexdigest()


def constants(source):
    """The module's tables, read without running it."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and node.targets[0].id.isupper():
            name = node.targets[0].id
            if name in ("BOOSTER_DICT",):
                found[name] = {k.value: (1 if v.id == "B_INCR" else -1) for k, v in zip(node.value.keys, node.value.values)}
            elif name in ("NEGATE", "SPECIAL_CASES"):
                found[name] = ast.literal_eval(node.value)
    return found


def afinn(path):
    """The string keys and whole values of the object literal in a plain data module."""
    line = re.compile(r"""^\s*(?:'((?:[^'\\]|\\.)+)'|"([^"]+)"|(\w+)):\s*(-?\d+),?\s*$""")
    rows = (line.match(text) for text in path.read_text().splitlines())
    return {(m[1] or m[2] or m[3]).replace("\\'", "'"): int(m[4]) for m in rows if m}


def polarities(path):
    """Mean polarity of the senses of each word."""
    senses = {}
    for word in xml.etree.ElementTree.parse(path).getroot():
        senses.setdefault(word.get("form").lower(), []).append(float(word.get("polarity")))
    return {word: sum(values) / len(values) for word, values in senses.items()}


def news(vader, afinn_words, blob):
    """Tenths of the weighted mean; what rounds to 0 is left out."""
    words = {word for word in {*vader, *afinn_words, *blob} if not re.search(r"\s", word)}
    mean = {word: (vader.get(word, 0) + 0.5 * 10 * afinn_words.get(word, 0) + 0.25 * 40 * blob.get(word, 0)) / 1.75
            for word in words}
    return {word: round(value) for word, value in mean.items() if round(value)}


def tenths(value):
    return round(float(value) * 10)


def write(name, rows):
    """Sorted by the bytes of the key, for bisection."""
    lines = [f"{key}\t{value}" for key, value in sorted(rows.items(), key=lambda row: row[0].encode())]
    (HERE / name).write_text("".join(line + "\n" for line in lines))
    print(name, len(lines))


def main():
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        pip = ["pip", "download", "--no-deps", "--no-binary", ":all:", "==".join(VADER)]
        vader, vader_sum = unpack(pip, work / "v")
        fin, fin_sum = unpack(["npm", "pack", "@".join(FINANCE)], work / "f")
        base, base_sum = unpack(["npm", "pack", "@".join(BASE)], work / "b")
        blob, blob_sum = unpack([*pip[:-1], "==".join(BLOB)], work / "t")
        code = vader / "vaderSentiment"
        # Means have one decimal in the file, except a few that are given to two; tenths are what its readers print.
        rows = [line.split("\t")[:2] for line in (code / "vader_lexicon.txt").read_text().splitlines() if line]
        lexicon = {word.strip(): value for word, value in rows}
        exact = {word: tenths(value) for word, value in lexicon.items()}
        assert all(abs(float(lexicon[w]) * 10 - v) < 1e-9 for w, v in exact.items())
        tables = constants((code / "vaderSentiment.py").read_text())
        # VADER compares character by character, so only emoji of one character can match.
        emoji = [line.split("\t")[:2] for line in (code / "emoji_utf8_lexicon.txt").read_text().splitlines() if line]
        old, new = afinn(base / "index.js"), afinn(fin / "index.js")
        finance = {}
        for word, value in new.items():
            treated = word in tables["NEGATE"] or word in tables["BOOSTER_DICT"] or " " in word
            added = word not in old and word not in exact
            changed = word in old and old[word] != value
            if not treated and (added or changed):
                finance[word] = value * 10
        write("lexicon.tsv", exact)
        write("emoji.tsv", {sign: name for sign, name in emoji if len(sign) == 1})
        write("negations.tsv", {word: "" for word in tables["NEGATE"]})
        write("boosters.tsv", tables["BOOSTER_DICT"])
        write("phrases.tsv", {phrase: tenths(value) for phrase, value in tables["SPECIAL_CASES"].items()})
        write("finance.tsv", finance)
        blob_words = polarities(next(blob.rglob("textblob/en/en-sentiment.xml")))
        write("news.tsv", news(exact, {word: value for word, value in old.items()}, blob_words))
        notice([(VADER, "PyPI", vader_sum, vader / "LICENSE.txt"), (FINANCE, "npm", fin_sum, fin / "license"),
                (BASE, "npm", base_sum, base / "license"),
                (BLOB, "PyPI; its lexicon is under PDDL", blob_sum, next(blob.glob("LICENSE*")))])


def notice(packages):
    text = ["The tables are made by make.py from these packages. Their notices:"]
    for (name, version), registry, digest, licence in packages:
        words = licence.read_text().strip()
        if "Permission is hereby granted, free of charge" not in words:
            raise SystemExit(f"{name}: not the MIT licence")
        text += ["", "=" * 80, f"{name} {version} ({registry}), MIT, sha256 {digest}", "", words]
    (HERE / "NOTICE").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
