#!/usr/bin/env python3
"""Makes models.tsv and NOTICE from the pinned LiteLLM wheel. Nothing in them is typed by hand.

Run: python3 make.py (needs pip; downloads to a temporary folder). Taken are models of the fifteen built-in
providers that answer in text or make vectors of it, have prices per token, and are not withdrawn on the day of the
table. A model without a price is left out, never counted as free.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import tempfile
import zipfile
from decimal import ROUND_CEILING, Decimal

HERE = pathlib.Path(__file__).parent
VERSION = "1.109.1"
PRICES = "litellm/model_prices_and_context_window_backup.json"
# LiteLLM's name of a provider -> ours, and what stands before the provider's own name of a model.
PROVIDERS = {
    "openai": ("openai", ""), "anthropic": ("anthropic", ""), "gemini": ("gemini", "gemini/"),
    "groq": ("groq", "groq/"), "together_ai": ("together", "together_ai/"),
    "fireworks_ai": ("fireworks", "fireworks_ai/"), "deepinfra": ("deepinfra", "deepinfra/"),
    "mistral": ("mistral", "mistral/"), "deepseek": ("deepseek", "deepseek/"), "cerebras": ("cerebras", "cerebras/"),
    "xai": ("xai", "xai/"), "sambanova": ("sambanova", "sambanova/"), "nebius": ("nebius", "nebius/"),
    "novita": ("novita", "novita/"), "hyperbolic": ("hyperbolic", "hyperbolic/"),
}
# One letter for each ability that decides who may answer.
FLAGS = {"t": "supports_function_calling", "v": "supports_vision", "j": "supports_response_schema"}
# Fine-tuned, spoken and searching models have other prices than those of tokens; sizes are not models.
NOT_PLAIN = re.compile(r"(^|/)(ft:|.*(audio|realtime|search|transcribe|tts|-up-to-|-moe-\d|container))")
ID = re.compile(r"[A-Za-z0-9_.:/-]{1,128}")


def pico(value):
    """USD per token as a whole number of 1e-12 USD, rounded up."""
    if value is None:
        return ""
    exact = (Decimal(repr(value)) * 10**12).quantize(Decimal("0.001"))
    return str(int(exact.to_integral_value(ROUND_CEILING)))


def above(entry):
    """The first bound of input tokens above which a call costs more, and the prices there."""
    found = []
    for name in entry:
        match = re.fullmatch(r"input_cost_per_token_above_(\d+)k_tokens", name)
        if match:
            output = entry.get(f"output_cost_per_token_above_{match[1]}k_tokens", entry["output_cost_per_token"])
            found.append((int(match[1]) * 1000, pico(entry[name]), pico(output)))
    return [str(part) for part in min(found)] if found else ["", "", ""]


def name_of(model):
    """The name under which the same weights are found at several providers: the last part, in lower case."""
    name = model.rsplit("/", 1)[-1].lower()
    name = re.sub(r"^meta-(llama-)", r"\1", name)
    # Fireworks writes llama-v3p1-8b-instruct.
    return re.sub(r"\bv?(\d)p(\d)", r"\1.\2", name)


def whole(value):
    return str(int(value)) if isinstance(value, (int, float)) and value > 0 else ""


def row(name, entry, today):
    if entry.get("litellm_provider") not in PROVIDERS or entry.get("mode") not in ("chat", "embedding"):
        return None
    provider, prefix = PROVIDERS[entry["litellm_provider"]]
    upstream = name.removeprefix(prefix)
    if NOT_PLAIN.search(upstream) or not ID.fullmatch(upstream):
        return None
    embeds = entry["mode"] == "embedding"
    output = entry.get("output_cost_per_token") or (0 if embeds else None)
    ends = entry.get("deprecation_date", "")
    known = entry.get("max_input_tokens") or entry.get("max_tokens")
    if not entry.get("input_cost_per_token") or output is None or not known or (ends and ends <= today):
        return None
    flags = "e" if embeds else "".join(letter for letter, key in FLAGS.items() if entry.get(key) is True)
    return [provider, upstream, name_of(upstream), pico(entry["input_cost_per_token"]), pico(output),
            pico(entry.get("cache_read_input_token_cost")), pico(entry.get("cache_creation_input_token_cost")),
            *above({**entry, "output_cost_per_token": output}), whole(known),
            whole(entry.get("max_output_tokens")), flags]


def main():
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["pip", "download", "--no-deps", "--only-binary", ":all:", "--python-version", "3.11",
                        "--dest", work, f"litellm=={VERSION}"], check=True, stdout=subprocess.DEVNULL)
        archive = next(pathlib.Path(work).glob("litellm-*.whl"))
        wheel = zipfile.ZipFile(archive)
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        names = wheel.namelist()
        licence = wheel.read(next(n for n in names if n.endswith("licenses/LICENSE"))).decode()
        if "available under the MIT license" not in licence or PRICES.startswith("enterprise/"):
            raise SystemExit("the licence does not allow redistribution here")
        bill = json.loads(wheel.read(next(n for n in names if n.endswith(".cyclonedx.json"))))
        as_of = bill["metadata"]["timestamp"][:10]
        entries = json.loads(wheel.read(PRICES))
    rows = {}
    for name, entry in entries.items():
        made = row(name, entry, as_of)
        if made:
            # `openai/x` and `x` are one model; the plain name comes first.
            rows.setdefault((made[0], made[1]), made)
    text = f"#{as_of}\tlitellm {VERSION} on PyPI, {PRICES} (Berri AI, MIT)\n"
    text += "".join("\t".join(rows[key]) + "\n" for key in sorted(rows))
    (HERE / "models.tsv").write_text(text, encoding="utf-8")
    (HERE / "NOTICE").write_text(
        f"models.tsv is made by make.py from {PRICES} of litellm {VERSION} (PyPI, sha256 {digest}):\n\n"
        + licence.strip() + "\n")
    print(len(rows), "models,", len(text), "bytes, as of", as_of)


if __name__ == "__main__":
    main()
