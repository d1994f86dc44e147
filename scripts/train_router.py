"""Trains the table by which the agent `general` chooses a skill: logistic regression on tokens and their vectors.

Data: the development tasks of all agents (`tests/quality/agents/*/work.jsonl`), the examples of their published commands
(`plugins/agents/*/commands.md`) and `plugins/agents/general/training/commands.tsv`; the latter two count three times.
Run it again when commands change:

    pip install numpy scipy scikit-learn tokenizers
    python scripts/train_router.py tokenizer.json

The tokenizer is that of `make_token_vectors.py`. Writes `routes.bin` and `routes.ids` to `plugins/agents/general/src`:
rows of little-endian float32, one number for each skill in the order of `route.rs`: the bias, the 128 dimensions of the
vector, and each token of `routes.ids` (little-endian uint16, sorted). Prints how often the choice is right in
cross-validation, and on the development tasks of `general`, which are not trained on.
"""

import json
import pathlib
import re
import sys

import numpy
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from tokenizers import Tokenizer

ROOT = pathlib.Path(__file__).parent.parent
TASKS, AGENTS = ROOT / "tests/quality/agents", ROOT / "plugins/agents"
TOKENS_MAX, UNKNOWN, TOKENS, DIMENSIONS = 256, 100, 30_522, 128
SKILLS = ["analytics:anomaly-detection", "analytics:forecast", "classification", "code:review", "coding", "compliance:audit",
          "data:aggregation", "data:extraction", "data:validation", "pricing:optimization", "research:citation",
          "sales:lead-scoring", "sentiment", "summarization", "translation", "video:evaluation"]
OPEN = "open"  # Questions for no skill.
CLASSES = sorted([*SKILLS, OPEN])
TIMES, OCCURRENCES = 3, 3


def training():
    """Returns texts and skills."""
    found = []
    for skill in SKILLS:
        name = skill.replace(":", "-")
        found += [(json.loads(line)["say"], skill) for line in (TASKS / name / "work.jsonl").read_text().splitlines()]
        commands = AGENTS / name / "commands.md"
        if commands.exists():
            examples = re.findall(r"^```\n(.*?)\n```$", commands.read_text(), re.M | re.S)
            found += [(text, skill) for text in examples] * TIMES
    lines = (AGENTS / "general/training/commands.tsv").read_text().splitlines()
    return found + [(text, skill) for skill, text in (line.split("\t") for line in lines)] * TIMES


def features(tokenizer, texts):
    """Returns the tokens of each text, of unit length, and its vector."""
    vectors = numpy.frombuffer((ROOT / "plugins/vectors/data/vectors.bin").read_bytes(), numpy.int8)
    vectors = vectors.reshape(TOKENS, DIMENSIONS).astype(numpy.float32)
    rank = numpy.maximum(numpy.arange(TOKENS) - 1996, 0) + 1.0
    weights = rank / (rank + 900)
    bag, dense = csr_matrix((0, TOKENS)), []
    rows = []
    for text in texts:
        ids = [id for id in tokenizer.encode(text, add_special_tokens=False).ids if id != UNKNOWN][:TOKENS_MAX]
        own = sorted(set(ids))
        rows.append(csr_matrix((numpy.full(len(own), len(own) ** -0.5 if own else 0), ([0] * len(own), own)), (1, TOKENS)))
        total = (vectors[ids] * weights[ids, None]).sum(axis=0) if ids else numpy.zeros(DIMENSIONS)
        length = numpy.linalg.norm(total)
        dense.append(total / length if length else total)
    bag = csr_matrix(numpy.vstack([row.toarray()[0] for row in rows])) if rows else bag
    return bag, numpy.array(dense)


def report(name, probability, expect):
    best = numpy.sort(probability, axis=1)
    margin = best[:, -1] - best[:, -2]
    right = numpy.array(CLASSES)[probability.argmax(axis=1)] == numpy.array(expect)
    for limit in (0, 0.1, 0.2, 0.3, 0.4, 0.6):
        chosen = margin >= limit
        print(f"{name}: margin {limit}: {chosen.mean():.0%} of tasks, {right[chosen].mean():.0%} right")


def main(path):
    tokenizer = Tokenizer.from_file(path)
    tokenizer.no_truncation()
    texts, expect = zip(*training())
    bag, dense = features(tokenizer, texts)
    known = numpy.flatnonzero(numpy.asarray((bag > 0).sum(axis=0)).ravel() >= OCCURRENCES)
    matrix = hstack([csr_matrix(dense), bag[:, known]]).tocsr()
    model = LogisticRegression(C=20, max_iter=500)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    report("cross-validation", cross_val_predict(model, matrix, expect, cv=folds, method="predict_proba"), expect)
    model.fit(matrix, expect)
    assert list(model.classes_) == CLASSES
    own = [json.loads(line) for line in (TASKS / "general/work.jsonl").read_text().splitlines()]
    own = [(task["say"], task["expect"]["skill"]) for task in own if "skill" in task["expect"]]
    bag, dense = features(tokenizer, [say for say, _ in own])
    report("tasks of general", model.predict_proba(hstack([csr_matrix(dense), bag[:, known]])), [skill for _, skill in own])
    table = numpy.vstack([model.intercept_, model.coef_.T]).astype("<f4")
    (AGENTS / "general/src/routes.bin").write_bytes(table.tobytes())
    (AGENTS / "general/src/routes.ids").write_bytes(known.astype("<u2").tobytes())
    print(f"{len(known)} tokens, {table.nbytes} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
