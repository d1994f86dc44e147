"""Trains the second reader of the agent `sentiment`: logistic regression on vectors of all-MiniLM-L6-v2.

Data: the human-rated sets in the source distribution of vaderSentiment 3.3.2 (PyPI, MIT; Hutto and Gilbert 2014): tweets,
movie review snippets, product review snippets and newspaper editorials, each rated from -4 to 4 by twenty people. Texts
with a mean rating of 1 or more are positive, of -1 or less negative, between -0.3 and 0.3 neutral; the others are left
out. A fifth of the texts, chosen by hash, is not trained on and measures the result.

    pip install onnxruntime numpy tokenizers scikit-learn
    python scripts/train_sentiment.py model.onnx tokenizer.json hutto_ICWSM_2014 plugins/agents/sentiment/src/weights.bin

The model and tokenizer are those of `make_token_vectors.py`. `weights.bin` has, as little-endian float32, 384 weights
and the bias of each class in the order negative, neutral, positive.
"""

import hashlib
import pathlib
import sys

import numpy
import onnxruntime
from sklearn.linear_model import LogisticRegression
from tokenizers import Tokenizer

SETS = ["tweets", "movieReviewSnippets", "amazonReviewSnippets", "nytEditorialSnippets"]
TOKENS_MAX = 256


def encode(session, tokenizer, texts):
    """Returns the vectors of texts, of unit length."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS_MAX)
    names = {one.name for one in session.get_inputs()}
    vectors = []
    for encoded in tokenizer.encode_batch(texts):
        ids = numpy.array([encoded.ids], dtype=numpy.int64)
        inputs = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
        output = session.run(None, {name: value for name, value in inputs.items() if name in names})[0]
        mean = output.mean(axis=1)[0] if output.ndim == 3 else output[0]
        vectors.append(mean / numpy.linalg.norm(mean))
    return numpy.array(vectors)


def label(rating):
    if abs(rating) >= 1:
        return 2 if rating > 0 else 0
    return 1 if abs(rating) <= 0.3 else None


def main(model, tokenizer, folder, weights):
    rated = []
    for name in SETS:
        lines = pathlib.Path(folder, f"{name}_GroundTruth.txt").read_text(encoding="utf-8", errors="replace").splitlines()
        for line in lines:
            _, rating, text = line.split("\t", 2)
            if (kind := label(float(rating))) is not None:
                rated.append((text.strip(), kind))
    texts = [text for text, _ in rated]
    kinds = numpy.array([kind for _, kind in rated])
    held = numpy.array([hashlib.sha256(text.encode()).digest()[0] < 51 for text in texts])
    vectors = encode(onnxruntime.InferenceSession(model), Tokenizer.from_file(tokenizer), texts)
    regression = LogisticRegression(C=10, max_iter=2000, class_weight="balanced").fit(vectors[~held], kinds[~held])
    probability = regression.predict_proba(vectors[held])
    best = probability.max(axis=1)
    right = probability.argmax(axis=1) == kinds[held]
    print(f"{(~held).sum()} texts trained on, {held.sum()} held back")
    for limit in (0, 0.5, 0.6, 0.7, 0.8, 0.9):
        chosen = best >= limit
        print(f"probability {limit}: {chosen.mean():.0%} of texts, {right[chosen].mean():.0%} right")
    table = numpy.hstack([regression.coef_, regression.intercept_[:, None]]).astype("<f4")
    pathlib.Path(weights).write_bytes(table.tobytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
