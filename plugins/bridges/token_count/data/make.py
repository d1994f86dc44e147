#!/usr/bin/env python3
"""Makes *.tiktoken, sources.json, models.tsv, ../tables/prices.tsv and NOTICE from pinned PyPI wheels. Nothing in
them is typed by hand.

Run: python3 make.py (needs pip; downloads to a temporary folder).
The merge ranks are the files that OpenAI publishes for tiktoken, byte for byte; the LiteLLM wheel carries them, and the
tiktoken wheel says what their SHA-256 must be.
"""
import ast
import hashlib
import json
import pathlib
import re
import subprocess
import tempfile
import zipfile
from decimal import Decimal

HERE = pathlib.Path(__file__).parent
TIKTOKEN, LITELLM = "0.14.0", "1.109.1"
ENCODINGS = ("o200k_base", "cl100k_base")
PROVIDERS = ("openai", "anthropic", "gemini", "mistral", "deepseek", "xai", "groq", "cohere", "moonshot")
PRICES = "litellm/model_prices_and_context_window_backup.json"


def wheel(work, name, version):
    subprocess.run(["pip", "download", "--no-deps", "--only-binary", ":all:", "--python-version", "3.11", "--dest", work,
                    f"{name}=={version}"], check=True, stdout=subprocess.DEVNULL)
    return zipfile.ZipFile(next(pathlib.Path(work).glob(f"{name}-*.whl")))


def text_of(archive, end):
    return archive.read(next(n for n in archive.namelist() if n.endswith(end))).decode()


def day_of(archive):
    """The day of the newest file in a wheel, or that of its bill of materials when the files are not dated."""
    day = "{:04}-{:02}-{:02}".format(*max(info.date_time for info in archive.infolist())[:3])
    if day < "2000":
        day = json.loads(text_of(archive, ".cyclonedx.json"))["metadata"]["timestamp"][:10]
    return day


def write(name, head, rows):
    lines = "".join(f"{key}\t{value}\n" for key, value in sorted(rows.items(), key=lambda pair: pair[0].encode()))
    (HERE.parent / f"tables/{name}.tsv").write_text("#" + json.dumps(head) + "\n" + lines, encoding="utf-8")
    print(name, len(rows), "rows", len(lines), "bytes")


def ranks(archive, digest):
    for name in archive.namelist():
        if "/tokenizers/" in name and hashlib.sha256(data := archive.read(name)).hexdigest() == digest:
            return data
    raise SystemExit(f"the LiteLLM wheel has no file with SHA-256 {digest}")


def models(source):
    """`exact or prefix<TAB>encoding` of models whose encoding is one of those here; a prefix ends with *."""
    names = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.AnnAssign) and node.target.id in ("MODEL_PREFIX_TO_ENCODING", "MODEL_TO_ENCODING"):
            star = "*" if "PREFIX" in node.target.id else ""
            names.update({key + star: value for key, value in ast.literal_eval(node.value).items()})
    # The harmony encoding differs from o200k_base by special tokens only, which ordinary text never has.
    names = {key: value.replace("o200k_harmony", "o200k_base") for key, value in names.items()}
    return {key: value for key, value in sorted(names.items()) if value in ENCODINGS}


def prices(entries):
    """Provider, US dollars for a million tokens of input and of output, of models sold by those who made them."""
    def million(value):
        text = format((Decimal(repr(value)) * 1_000_000).quantize(Decimal("0.000001")).normalize(), "f")
        return text
    rows = {}
    for name, entry in entries.items():
        if entry.get("litellm_provider") not in PROVIDERS or entry.get("mode") not in ("chat", "responses", "embedding"):
            continue
        cost, out = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
        if entry["mode"] == "embedding":
            out = out or 0
        if name.startswith("ft:") or not cost or out is None:
            continue
        rows[name] = "\t".join([entry["litellm_provider"], million(cost), million(out)])
    return rows


def main():
    with tempfile.TemporaryDirectory() as work:
        tiktoken, litellm = wheel(work, "tiktoken", TIKTOKEN), wheel(work, "litellm", LITELLM)
        public, licence = text_of(tiktoken, "openai_public.py"), text_of(tiktoken, "licenses/LICENSE")
        other = text_of(litellm, "licenses/LICENSE")
        if "MIT License" not in licence or "available under the MIT license" not in other:
            raise SystemExit("a licence does not allow redistribution here")
        sources = []
        for name in ENCODINGS:
            digest = re.search(rf'{name}\.tiktoken",\s+expected_hash="(\w+)"', public)[1]
            (HERE / f"{name}.tiktoken").write_bytes(ranks(litellm, digest))
            sources.append({
                "name": name, "version": digest[:12], "as_of": day_of(tiktoken), "licence": "MIT (tiktoken, litellm)",
                "source": f"{name}.tiktoken by OpenAI, SHA-256 as in tiktoken {TIKTOKEN}; from litellm {LITELLM} on PyPI"})
        (HERE / "sources.json").write_text(json.dumps(sources, indent=2) + "\n")
        names = models(text_of(tiktoken, "tiktoken/model.py"))
        lines = "".join(f"{key}\t{value}\n" for key, value in names.items())
        (HERE / "models.tsv").write_text(f"#{TIKTOKEN}\t{day_of(tiktoken)}\n" + lines)
        write("prices", {"version": LITELLM, "as_of": day_of(litellm), "licence": "MIT",
                         "source": f"litellm on PyPI, {PRICES}; models sold by those who made them"},
              prices(json.loads(litellm.read(PRICES))))
        (HERE / "NOTICE").write_text(
            f"models.tsv and *.tiktoken: tiktoken {TIKTOKEN} (PyPI):\n\n{licence.strip()}\n\n"
            f"tables/prices.tsv, and the files of merge ranks: litellm {LITELLM} (PyPI):\n\n{other.strip()}\n")


if __name__ == "__main__":
    main()
