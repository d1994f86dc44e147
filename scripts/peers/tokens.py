"""Tokens of texts of many kinds and languages.

The texts are those of packages in pinned versions: news in twelve languages and words of 79 (newspaper4k, MIT), pages of
HTML (the same), Python and its documentation (bandit, Apache-2.0; jsonschema and presidio-evaluator, MIT), JSON (the test suite of
JSON Schema, MIT), names and addresses of many countries (presidio-evaluator). To these come all assigned characters of
Unicode in rows, and pieces of all these put together at random by a fixed seed.
"""

import hashlib
import json
import os
import pathlib
import random
import shutil
import unicodedata

from .tools import ROOT
from .tools import SOURCES as FOLDER

PACKAGES = ["tiktoken==0.14.0"]
SOURCES = ["newspaper4k==0.9.6", "bandit==1.9.4", "jsonschema==4.26.0", "presidio-evaluator==0.3.2"]
RANKS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
LONGEST = 40_000
# More ids are not in an answer.
IDS = 10_000


def encodings():
    """Returns tiktoken's encoding, loaded from the rank files of the bridge; tiktoken checks by digest that they are OpenAI's."""
    cache = ROOT / "target/peers-src/ranks"
    cache.mkdir(parents=True, exist_ok=True)
    for name in ("o200k_base", "cl100k_base"):
        kept = ROOT / f"plugins/bridges/token_count/data/{name}.tiktoken"
        shutil.copy(kept, cache / hashlib.sha1(RANKS.format(name).encode()).hexdigest())
    os.environ["TIKTOKEN_CACHE_DIR"] = str(cache)
    import tiktoken
    return {name: tiktoken.get_encoding(name) for name in ("o200k_base", "cl100k_base")}


def files(package, ending, under="."):
    for path in sorted((FOLDER / package / under).rglob(f"*{ending}")):
        try:
            yield path.read_bytes().decode()[:LONGEST]
        except UnicodeDecodeError:
            continue


def rows():
    """Returns all assigned characters in texts of 256, and the same texts with a space after every third character."""
    assigned = [chr(code) for code in range(0x110000)
                if unicodedata.category(chr(code)) not in ("Cs", "Cn", "Co")]
    for at in range(0, len(assigned), 256):
        row = assigned[at:at + 256]
        yield "".join(row)
        yield "".join(sign + " " * (place % 3 == 2) for place, sign in enumerate(row))


def mixed(texts):
    chance = random.Random(11)
    between = ["", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "'s", "'LL ", "/", "...", "12345", "\u200d", "\u0301", "\U0001f468\u200d\U0001f469"]
    for _ in range(2_000):
        pieces = []
        for _ in range(chance.randrange(2, 12)):
            text = chance.choice(texts)
            at = chance.randrange(len(text))
            pieces += [text[at:at + chance.randrange(1, 60)], chance.choice(between) * chance.randrange(1, 4)]
        yield "".join(pieces)


def kinds():
    news = "newspaper4k-0.9.6"
    found = {
        "news": list(files(news, ".txt", "tests/data/txt")),
        "words of languages": list(files(news, ".txt", "newspaper/resources/text")),
        "HTML": list(files(news, ".html", "tests/data/html")),
        "Python": [*files("bandit-1.9.4", ".py"), *files("jsonschema-4.26.0", ".py", "jsonschema"),
                   *files("presidio_evaluator-0.3.2", ".py", "presidio_evaluator")],
        "documentation": [*files("bandit-1.9.4", ".rst"), *files("presidio_evaluator-0.3.2", ".md")],
        "JSON": list(files("jsonschema-4.26.0", ".json", "json/tests")),
        "names and addresses": [row["full_text"] for row in json.loads(
            (FOLDER / "presidio_evaluator-0.3.2/data/synth_dataset_v2.json").read_text())],
    }
    found["characters of Unicode"] = list(rows())
    found["mixed at random"] = list(mixed([text for texts in found.values() for text in texts if text]))
    return {kind: [text for text in dict.fromkeys(texts) if text] for kind, texts in found.items()}


def batches(texts):
    """Groups texts into calls whose input and token ids stay within the limits."""
    batch, size = [], 0
    for text in texts:
        length = len(text.encode())
        if batch and (size + length > IDS or len(batch) == 200):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    yield batch


def texts(ask, show):
    """Compares token_count with tiktoken: the counts, and the ids of all texts except the tails of the longest."""
    theirs = encodings()
    for kind, found in kinds().items():
        for name, encoding in theirs.items():
            same, tokens, wrong = 0, 0, []
            for batch in batches(found):
                result = ask("token_count", {"texts": batch, "encoding": name, "with_ids": True})
                for text, counted in zip(batch, result["texts"], strict=True):
                    ids = encoding.encode_ordinary(text)
                    tokens += len(ids)
                    if counted["tokens"] == len(ids) and (counted.get("ids") or []) == ids[:len(counted.get("ids") or [])]:
                        same += 1
                    else:
                        wrong.append(f"  {counted['tokens']} here, {len(ids)} there: {text[:100]!r}")
            print(f"token_count and tiktoken, {name}, {kind}: {same} of {len(found)} the same ({tokens} tokens)")
            print("\n".join(wrong[:show]), end="\n" if wrong else "")
