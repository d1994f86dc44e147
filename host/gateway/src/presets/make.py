#!/usr/bin/env python3
"""Makes models.tsv and NOTICE from the pinned LiteLLM wheel. They contain nothing written by hand.

Run: python3 make.py (needs pip; downloads to a temporary folder). Includes the models of the fifteen built-in
providers that produce text, vectors, speech, images or transcripts, have prices per token, character, image or second, and
are not withdrawn on the day of the table. A model without a price is left out, never counted as free.
"""
import pathlib
import re
import sys
from decimal import ROUND_CEILING, Decimal

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[3] / "scripts"))
from litellm_prices import FLAGS, PRICES, VERSION, flags, read, whole  # noqa: E402

# LiteLLM's name of a provider -> ours, and the prefix of the provider's own name of a model.
PROVIDERS = {
    "openai": ("openai", ""), "anthropic": ("anthropic", ""), "gemini": ("gemini", "gemini/"),
    "groq": ("groq", "groq/"), "together_ai": ("together", "together_ai/"),
    "fireworks_ai": ("fireworks", "fireworks_ai/"), "deepinfra": ("deepinfra", "deepinfra/"),
    "mistral": ("mistral", "mistral/"), "deepseek": ("deepseek", "deepseek/"), "cerebras": ("cerebras", "cerebras/"),
    "xai": ("xai", "xai/"), "sambanova": ("sambanova", "sambanova/"), "nebius": ("nebius", "nebius/"),
    "novita": ("novita", "novita/"), "hyperbolic": ("hyperbolic", "hyperbolic/"),
}
# Fine-tuned, speech and search models are not priced by the token alone; size classes are not models.
NOT_PLAIN = re.compile(r"(^|/)(ft:|.*(audio|realtime|search|transcribe|tts|-up-to-|-moe-\d|container))")
# The most characters that OpenAI speaks in one request; the lists do not state the limits of other providers.
SPOKEN = "4096"
# Providers whose documentation has OpenAI's routes for recordings and for images; models that accept live audio only.
TRANSCRIBES = ("openai", "groq", "mistral")
DRAWS = ("openai", "gemini", "xai")
LIVE = re.compile(r"realtime|live")
# Assumed limits: seconds of a recording, and characters of a prompt.
SECONDS, PROMPT = "14400", "32000"
ID = re.compile(r"[A-Za-z0-9_.:/-]{1,128}")


def pico(value):
    """Returns USD per token as a whole number of 1e-12 USD, rounded up."""
    if value is None:
        return ""
    exact = (Decimal(repr(value)) * 10**12).quantize(Decimal("0.001"))
    return str(int(exact.to_integral_value(ROUND_CEILING)))


def above(entry):
    """Returns the lowest bound of input tokens above which a call costs more, and the prices there."""
    found = []
    for name in entry:
        match = re.fullmatch(r"input_cost_per_token_above_(\d+)k_tokens", name)
        if match:
            output = entry.get(f"output_cost_per_token_above_{match[1]}k_tokens", entry["output_cost_per_token"])
            found.append((int(match[1]) * 1000, pico(entry[name]), pico(output)))
    return [str(part) for part in min(found)] if found else ["", "", ""]


def name_of(model):
    """Returns the name that the same weights share at several providers: the last part, in lower case."""
    name = model.rsplit("/", 1)[-1].lower()
    name = re.sub(r"^meta-(llama-)", r"\1", name)
    # Fireworks writes llama-v3p1-8b-instruct.
    return re.sub(r"\bv?(\d)p(\d)", r"\1.\2", name)


def speech(name, entry, today):
    """Returns the row of a speech model, with its price per character."""
    provider, prefix = PROVIDERS[entry["litellm_provider"]]
    upstream, ends = name.removeprefix(prefix), entry.get("deprecation_date", "")
    if not entry.get("input_cost_per_character") or not ID.fullmatch(upstream) or (ends and ends <= today):
        return None
    return [provider, upstream, name_of(upstream), pico(entry["input_cost_per_character"]), "0", "", "", "", "", "",
            SPOKEN, "", "s"]


def transcription(name, entry, today):
    """Returns the row of a transcription model, with its price per second."""
    provider, prefix = PROVIDERS[entry["litellm_provider"]]
    upstream, ends = name.removeprefix(prefix), entry.get("deprecation_date", "")
    unlike = provider not in TRANSCRIBES or LIVE.search(upstream) or entry.get("input_cost_per_token")
    if unlike or not entry.get("input_cost_per_second") or not ID.fullmatch(upstream) or (ends and ends <= today):
        return None
    return [provider, upstream, name_of(upstream), pico(entry["input_cost_per_second"]), "0", "", "", "", "", "",
            SECONDS, "", "r"]


def image(name, entry, today, entries):
    """Returns the row of an image model, with its price per image; or per token, if the list has its highest image price."""
    provider, prefix = PROVIDERS[entry["litellm_provider"]]
    upstream, ends = name.removeprefix(prefix), entry.get("deprecation_date", "")
    if provider not in DRAWS or "/" in upstream or not ID.fullmatch(upstream) or (ends and ends <= today):
        return None
    each = entry.get("output_cost_per_image") or (not entry.get("input_cost_per_token") and entry.get("input_cost_per_image"))
    if each:
        return [provider, upstream, name_of(upstream), pico(entry.get("input_cost_per_token") or 0), pico(each), "", "",
                "", "", "", PROMPT, "", "i"]
    sizes = [other["input_cost_per_image"] for key, other in entries.items()
             if key.startswith("high/") and key.endswith("/" + upstream) and other.get("input_cost_per_image")]
    if not sizes or not entry.get("output_cost_per_image_token") or not entry.get("input_cost_per_token"):
        return None
    tokens = Decimal(repr(max(sizes))) / Decimal(repr(entry["output_cost_per_image_token"]))
    return [provider, upstream, name_of(upstream), pico(entry["input_cost_per_token"]),
            pico(entry["output_cost_per_image_token"]), "", "", "", "", "", PROMPT,
            str(int(tokens.to_integral_value(ROUND_CEILING))), "i"]


def row(name, entry, today, entries):
    if entry.get("litellm_provider") in PROVIDERS and entry.get("mode") == "audio_transcription":
        return transcription(name, entry, today)
    if entry.get("litellm_provider") in PROVIDERS and entry.get("mode") == "image_generation":
        return image(name, entry, today, entries)
    if entry.get("litellm_provider") in PROVIDERS and entry.get("mode") == "audio_speech":
        return speech(name, entry, today)
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
    able = "e" if embeds else flags(entry, FLAGS)
    return [provider, upstream, name_of(upstream), pico(entry["input_cost_per_token"]), pico(output),
            pico(entry.get("cache_read_input_token_cost")), pico(entry.get("cache_creation_input_token_cost")),
            *above({**entry, "output_cost_per_token": output}), whole(known),
            whole(entry.get("max_output_tokens")), able]


def main():
    entries, as_of, notice = read()
    rows = {}
    for name, entry in entries.items():
        made = row(name, entry, as_of, entries)
        if made:
            # `openai/x` and `x` are one model; the plain name comes first.
            rows.setdefault((made[0], made[1]), made)
    text = f"#{as_of}\tlitellm {VERSION} on PyPI, {PRICES} (Berri AI, MIT)\n"
    text += "".join("\t".join(rows[key]) + "\n" for key in sorted(rows))
    (HERE / "models.tsv").write_text(text, encoding="utf-8")
    (HERE / "NOTICE").write_text(f"models.tsv is made by make.py {notice}")
    print(len(rows), "models,", len(text), "bytes, as of", as_of)


if __name__ == "__main__":
    main()
