"""Calibrates the probability that the agent `classification` states: isotonic regression on the margin.

For each text of `plugins/agents/classification/calibration/tasks.jsonl` (the development tasks of
`tests/quality/agents/classification`, as texts and labels) the model all-MiniLM-L6-v2 chooses the label whose sentence
`This text is about LABEL.` is nearest; the margin is its cosine less that of the second. Pool adjacent violators joins
margins until the share of right choices only rises; each pool counts one right and one wrong text more than it has.

    pip install onnxruntime numpy tokenizers scikit-learn
    python scripts/calibrate_classification.py model.onnx tokenizer.json

The model and tokenizer are those of `make_token_vectors.py`. Prints accuracy by margin, and the table for
`plugins/agents/classification/src/meaning.rs`.
"""

import json
import pathlib
import sys

import onnxruntime
from tokenizers import Tokenizer

from train_sentiment import encode

TASKS = pathlib.Path(__file__).parent.parent / "plugins/agents/classification/calibration/tasks.jsonl"


def choices(model, tokenizer):
    """Returns margin and correctness of each text."""
    session, tokenizer = onnxruntime.InferenceSession(model), Tokenizer.from_file(tokenizer)
    for task in map(json.loads, TASKS.read_text().splitlines()):
        sentences = [f"This text is about {label.replace('_', ' ').lower()}." for label in task["labels"]]
        scores = encode(session, tokenizer, task["texts"]) @ encode(session, tokenizer, sentences).T
        for row, expect in zip(scores, task["expect"]):
            order = (-row).argsort()
            yield float(row[order[0]] - row[order[1]]), task["labels"][order[0]] == expect


def pools(found):
    """Pools adjacent violators: returns the least margin of each pool, its count and its right choices."""
    done = []
    for margin, right in sorted(found):
        done.append([margin, 1, int(right)])
        while len(done) > 1 and done[-2][2] * done[-1][1] >= done[-1][2] * done[-2][1]:
            _, count, more = done.pop()
            done[-1] = [done[-1][0], done[-1][1] + count, done[-1][2] + more]
    return done


def main(model, tokenizer):
    found = list(choices(model, tokenizer))
    for limit in (0, 0.05, 0.08, 0.12, 0.15, 0.2):
        right = [one for margin, one in found if margin >= limit]
        print(f"margin {limit}: {len(right)} of {len(found)} texts, {sum(right) / len(right):.0%} right")
    for margin, count, right in pools(found):
        print(f"    ({max(margin, 0):.3f}, {(right + 1) / (count + 2):.2f}), // {right} of {count}")


if __name__ == "__main__":
    main(*sys.argv[1:])
