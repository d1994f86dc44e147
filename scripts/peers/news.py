"""sentiment_feed (domain news) against vaderSentiment on the held-out sentences of newspaper editorials and tweets."""

import subprocess
import sys

from peers.stored import FOLDER

PACKAGES = ["vaderSentiment==3.3.2", "textblob==0.20.1", "afinn==0.1"]
SOURCES = []
PROBE = {"items": ["good news"]}
LABELS = ("positive", "neutral", "negative")


def held_out(name):
    folder = FOLDER / "sentiment"
    if not (folder / f"{name}.tsv").exists():
        make = FOLDER.parent.parent / "plugins/bridges/sentiment_feed/quality/make.py"
        subprocess.run([sys.executable, make, folder], check=True, stdout=subprocess.DEVNULL)
    rows = [line.split("\t", 2) for line in (folder / f"{name}.tsv").read_text().splitlines()]
    return [(label(float(rating), 0.5, 0.5), text) for part, rating, text in rows if part == "test"]


def label(score, above, below):
    return "positive" if score > above else "negative" if score < -below else "neutral"


def macro(gold, found):
    total = 0.0
    for name in LABELS:
        right = sum(a == b == name for a, b in zip(gold, found))
        total += 2 * right / max(1, gold.count(name) + found.count(name))
    return total / len(LABELS)


def compare(ask, _show):
    from afinn import Afinn
    from textblob import TextBlob
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer
    vader, afinn = SentimentIntensityAnalyzer(), Afinn()
    for name in ("editorials", "tweets"):
        rows = held_out(name)
        gold, texts = [row[0] for row in rows], [row[1] for row in rows]
        found = {"vaderSentiment": [label(vader.polarity_scores(text)["compound"], 0.0499, 0.0499) for text in texts],
                 "TextBlob": [label(TextBlob(text).sentiment.polarity, 0, 0) for text in texts],
                 "afinn": [label(afinn.score(text), 0, 0) for text in texts]}
        for domain in ("news", "general"):
            found[f"bridge, {domain}"] = [
                item["label"] for start in range(0, len(texts), 500)
                for item in ask("sentiment_feed", {"items": texts[start:start + 500], "domain": domain})["items"]]
        for who, labels in found.items():
            exact = sum(a == b for a, b in zip(gold, labels)) / len(gold)
            print(f"sentiment_feed, {name} ({len(gold)}): {who}: macro F1 {macro(gold, labels):.4f}, right {exact:.4f}")
