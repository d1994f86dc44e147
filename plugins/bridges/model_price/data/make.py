#!/usr/bin/env python3
"""Makes ../tables/prices.tsv and NOTICE from the pinned LiteLLM wheel. Nothing in them is typed by hand.

Run: python3 make.py (needs pip; downloads to a temporary folder). Only entries with prices per token are taken;
a model without a price is left out, never counted as free. Prints what was left out.
"""
import collections
import json
import pathlib
import re
import sys
from decimal import Decimal

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[3] / "scripts"))
from litellm_prices import FLAGS, PRICES, VERSION, flags, read, whole  # noqa: E402

MODES = ("chat", "responses", "completion", "embedding", "moderation", "guardrail", "ocr")
# What a model is for stands in its name where the list calls it a chat model and it is none.
NAMED = (("rerank", r"rerank"), ("embedding", r"embed|(?<![a-z0-9])(?:bge|gte|e5|uae)-"), ("moderation", r"guard|moderation|content-safety"),
         ("ocr", r"ocr(?![a-z])"), ("image", r"(?<![a-z])flux|image|sdxl|stable-?diffusion|dall-e|canvas"),
         ("video", r"video|(?<![a-z])(?:veo|sora)(?![a-z])"),
         ("audio", r"audio|(?<![a-z])tts(?![a-z])|whisper|transcri|speech|lyria|realtime|(?<![a-z])sonic"), ("other", r"classify"))
# Kinds whose price per token of text is the price. Images, sound, video and rankings are paid by the piece, the second,
# the query or tokens of another sort.
KINDS = ("chat", "responses", "completion", "embedding", "moderation", "ocr")
# What else a caller may need.
ABILITIES = FLAGS | {"r": "supports_reasoning", "c": "supports_prompt_caching", "a": "supports_audio_input",
                     "p": "supports_pdf_input", "w": "supports_web_search"}
# Columns of a price: input, output, cached input, batch input, batch output.
COLUMNS = (("input_cost_per_token", ""), ("output_cost_per_token", ""), ("cache_read_input_token_cost", ""),
           ("input_cost_per_token", "_batches"), ("output_cost_per_token", "_batches"))


def femto(value):
    """USD per token as a whole number of 1e-15 USD, rounded; the source has binary dust and thirds beyond that."""
    if value is None:
        return ""
    exact = Decimal(repr(value)) * 10**15
    whole = int(exact.to_integral_value())
    if whole < 0 or abs(exact - whole) > exact * Decimal("1e-6"):
        raise SystemExit(f"{value!r} is no price in 1e-15 USD")
    return str(whole)


def prices(entry, above=""):
    return [femto(entry.get(name + above + suffix)) for name, suffix in COLUMNS]


def tiers(entry):
    """Prices of calls with more input tokens than a bound: `bound,input,output,cached,batch input,batch output`."""
    found = {}
    for name in entry:
        match = re.fullmatch(r"(?:input|output)_cost_per_token(_above_(\d+)k_tokens)", name)
        if match:
            found[int(match[2]) * 1000] = prices(entry, match[1])
    for tier in entry.get("tiered_pricing") or []:
        if tier["range"][0] > 0 and "input_cost_per_token" in tier:
            found[int(tier["range"][0])] = prices(tier)
    return ";".join(",".join([str(bound), *found[bound]]) for bound in sorted(found))


def kind(name, entry):
    """What the model is for: its mode, but for what its name or its output says."""
    for found, pattern in NAMED:
        if re.search(pattern, name.lower()):
            return found
    for made in ("video", "audio"):
        if made in (entry.get("supported_output_modalities") or ()):
            return made
    return {"guardrail": "moderation"}.get(entry["mode"], entry["mode"])


def row(name, entry):
    base = entry
    if entry.get("tiered_pricing"):
        base = {**entry, **entry["tiered_pricing"][0]}
    columns = prices(base)
    if kind(name, entry) == "embedding" and not columns[1]:
        columns[1] = "0"
    if not columns[0] or not columns[1]:
        return None
    date = entry.get("deprecation_date", "")
    if date and not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        date = ""
    fields = [entry["litellm_provider"], *columns, whole(entry.get("max_input_tokens")),
              whole(entry.get("max_output_tokens")), flags(entry, ABILITIES), date, tiers(entry)]
    if any("\t" in f or "\n" in f for f in [name, *fields]):
        raise SystemExit(f"{name!r} does not fit a table")
    return f"{kind(name, entry)}:{name}", "\t".join(fields)


def main():
    entries, as_of, notice = read()
    rows, left = {}, collections.Counter()
    for name, entry in entries.items():
        mode = entry.get("mode")
        if name == "sample_spec" or mode not in MODES:
            left["other kinds of model"] += 1
            continue
        if kind(name, entry) not in KINDS:
            left[f"{mode}, but by name or output for {kind(name, entry)}: {name}"] += 1
            continue
        made = row(name, entry)
        if made is None:
            left[f"{mode}: no price per token"] += 1
        else:
            rows[made[0]] = made[1]
    head = {"version": VERSION, "as_of": as_of, "licence": "MIT",
            "source": f"litellm on PyPI, {PRICES} (Berri AI; collected from the providers' price pages)"}
    lines = sorted(rows.items(), key=lambda pair: pair[0].encode())
    text = "#" + json.dumps(head, ensure_ascii=False) + "\n" + "".join(f"{k}\t{v}\n" for k, v in lines)
    (HERE.parent / "tables/prices.tsv").write_text(text, encoding="utf-8")
    (HERE / "NOTICE").write_text(f"tables/prices.tsv is made by data/make.py {notice}")
    print(len(rows), "models,", len(text), "bytes, as of", as_of)
    for reason, count in left.most_common():
        print(" ", count, "left out:", reason)


if __name__ == "__main__":
    main()
