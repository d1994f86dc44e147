#!/usr/bin/env python3
"""Makes stopwords.tsv and NOTICE from stopwords-iso (npm) and MORE. A line is `language:word<TAB>`, sorted by bytes.

Greek words stand without accents, as src/tokens.rs looks them up: the list has the old ones, and capitals have none.

Run: python3 make.py (needs npm; downloads to a temporary folder).
"""
import hashlib
import json
import pathlib
import subprocess
import tarfile
import tempfile
import unicodedata

HERE = pathlib.Path(__file__).parent
VERSION = "1.1.0"
# The MIT licence of the package, as its package.json names it; the package holds no text of it.
LANGUAGES = ("cs", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pl", "pt", "ro", "ru", "sv", "tr", "uk")
# Words that do not carry meaning by themselves and that the lists lack; written for this bridge.
MORE = {
    "cs": "velmi docela téměř každý každá každé všechny svou svoje své např tj",
    "da": "hele hver hvert begge næsten meget mellem hvilket hvilke uden gennem siden samt bl.a f.eks dvs mens hvorfor herunder imod",
    "de": "ans beziehungsweise bzw usw z.b d.h u.a ggf etwa dabei damit dazu sowohl deswegen mittels anhand",
    "el": "είναι ήταν έχει έχουν είχε όπως αλλά ότι μεταξύ χωρίς αυτό αυτή αυτός αυτά αυτές αυτοί αυτών αυτού όταν όπου επίσης πολύ "
          "και από για στο στη στην στον στους στις στα που θα να δεν μην μας σας τους τις των τον την της του ένα μια μία ένας κατά μετά "
          "πριν προς πιο πως πώς γιατί επειδή ώστε ακόμη ακόμα μόνο κάθε όλα όλοι όλες ποιος ποια ποιο οποία οποίο οποίος οποίες οποίων "
          "καθώς ενώ μπορεί πρέπει υπό περί δηλαδή λοιπόν όμως ούτε είτε εδώ εκεί τώρα ήδη μέσα πάνω κάτω",
    "en": "e.g i.e a.m p.m",
    "fr": "l'on lorsque puisque quoique presque p.ex notamment c'est-à-dire",
    "it": "presso nonché affinché ovvero oppure ecc",
    "nl": "o.a d.w.z bijv m.b.v evenals zowel",
    "no": "hos gjennom samt bl.a f.eks dvs mens hvorfor blant ikkje korleis",
    "pl": "swój swoją swojego swoich np tzn itd itp m.in",
    "pt": "porém nem cujo cuja p.ex",
    "ro": "erau toți însă către dintr printr pentru într prin etc",
    "ru": "поэтому также однако кроме ради среди т.е т.д т.п т.к",
    "sv": "hos samt bl.a t.ex dvs medan varför bland",
    "tr": "arasında karşı içinde üzerinde tarafından hakkında boyunca beri dolayı vb vs",
    "uk": "або його яка яке які який якого якої яких якій яким при над між через після перед щоб якщо тільки вже того цього той та те ті цей "
          "ця це ці цих цим цієї дуже можна однак тому також теж коли де куди звідки чому як так ні не для від до під про без біля "
          "біля серед крім замість був була було були буде будуть бути його її їх їй їм йому нею ними ним вона вони воно він ми ви ти "
          "мене мені тебе тобі себе собі нас нам вас вам наш наша наше наші ваш ваша свій своя своє свої свого своїх своїй своїм "
          "кожен кожна кожне всі все весь вся усі усе інший інша інше інші один одна одне одного проте але зате хоча адже бо "
          "хто що чи чого чому цьому тут там тоді зараз потім ще лише навіть майже більш менш більше менше дещо щось хтось",
}


def folded(language, word):
    """Greek without accents; all else as it is."""
    if language != "el":
        return word
    bare = "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))
    return unicodedata.normalize("NFC", bare)


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
        keys = {f"{key[:3]}{folded(key[:2], key[3:])}" for key in keys}
        keys |= {f"{language}:{folded(language, word)}" for language, text in MORE.items() for word in text.split()}
        lines = sorted(keys, key=str.encode)
        (HERE / "stopwords.tsv").write_text("".join(f"{key}\t\n" for key in lines))
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        (HERE / "NOTICE").write_text(
            f"stopwords.tsv is made by make.py from stopwords-iso {VERSION} (npm), MIT (named in its package.json),\n"
            f"Gene Diaz, sha256 {digest}, and of the words under MORE in make.py, which were written for this bridge\n")
        print(len(lines))


if __name__ == "__main__":
    main()
