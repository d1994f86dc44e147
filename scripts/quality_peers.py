#!/usr/bin/env python3
"""How far bridges agree with well-known Python packages, on the packages' own test data and on numbers made from it.

usage: quality_peers.py path/to/tollbridge path/to/plugin-registry [--bridge NAME]... [--show N]

Installs the packages into a virtual environment under target/ and their sources beside it, serves the registry, and asks the
bridge and the peer the same. Prints how many answers agree, and the first N disagreements of each kind; who is right in
them is written in docs/bridges.md. Needs pip and the network on its first run.
"""

import argparse
import ast
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request

from benching import answers, tollbridge
from peers import citations, code, entities, forecasts, news

ROOT = pathlib.Path(__file__).resolve().parent.parent
VENV = ROOT / "target/peers"
SOURCES = ROOT / "target/peers-src"
PACKAGES = ["python-stdnum==2.2", "schwifty==2026.10.1", "email-validator==2.3.0", "lingua-language-detector==2.1.1",
            "langdetect==1.0.9"]
TESTED = PACKAGES[:3]
# Bridges with a file of their own in peers/.
MODULES = {"citation_check": citations, "code_metrics": code, "entity_match": entities, "forecast": forecasts,
           "sentiment_feed": news}
DIGITS = random.Random(7)


def ready(bridges):
    """Runs this script again inside the environment with the packages; `bridges` says whose."""
    python = VENV / "bin/python"
    if os.environ.get("TOLLBRIDGE_PEERS") != "1":
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        more = [package for bridge in bridges for package in getattr(MODULES.get(bridge), "PACKAGES", [])]
        subprocess.run([python, "-m", "pip", "-q", "install", *PACKAGES, *more], check=True)
        for package in TESTED:
            name = package.replace("-", "_").replace("==", "-")
            if not (SOURCES / name).exists():
                subprocess.run([python, "-m", "pip", "-q", "download", "--no-deps", "--no-binary", ":all:", "-d", SOURCES,
                                package], check=True)
                with tarfile.open(SOURCES / f"{name}.tar.gz") as files:
                    files.extractall(SOURCES, filter="data")
        os.execve(python, [python, __file__, *sys.argv[1:]], {**os.environ, "TOLLBRIDGE_PEERS": "1"})


def source(package, path):
    return (SOURCES / package / path).read_text()


def asked(base, headers, bridge, body):
    """The bridge's result; None where it refuses."""
    request = urllib.request.Request(f"{base}/v1/oracle/{bridge}", json.dumps(body).encode(),
                                     {"content-type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            reply = json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code >= 500:
            raise SystemExit(f"{bridge}: {error.code} {error.read().decode()}") from error
        return None
    return (reply.get("output") or reply.get("data") or reply)["result"] if "result" not in reply else reply["result"]


def changed(number):
    """The number with one digit changed, and with two neighbours exchanged."""
    places = [at for at, sign in enumerate(number) if sign.isdigit() and at > 1]
    if len(places) < 4:
        return []
    at = DIGITS.choice(places)
    wrong = number[:at] + str((int(number[at]) + DIGITS.randrange(1, 10)) % 10) + number[at + 1:]
    pairs = [at for at in places if at + 1 in places and number[at] != number[at + 1]]
    if not pairs:
        return [wrong]
    at = DIGITS.choice(pairs)
    return [wrong, number[:at] + number[at + 1] + number[at] + number[at + 2:]]


def literals(text, wanted):
    """The texts of a module's assignments and parametrized tests that `wanted` picks by name."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List) and any(
                getattr(target, "id", "") in wanted for target in node.targets):
            found += ast.literal_eval(node.value)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "parametrize" and len(node.args) == 2:
            names = ast.literal_eval(node.args[0])
            first = names.split(",")[0].strip() if isinstance(names, str) else names[0]
            if first in wanted and isinstance(node.args[1], (ast.List, ast.Tuple)):
                for row in node.args[1].elts:
                    value = row.elts[0] if isinstance(row, (ast.List, ast.Tuple)) else row
                    if isinstance(value, ast.Constant) and isinstance(value.value, str):
                        found.append(value.value)
    return found


def ibans(ask):
    """iban_validation against stdnum.iban and schwifty."""
    from schwifty import IBAN
    from stdnum import iban
    texts = literals(source("schwifty-2026.10.1", "tests/test_iban.py"), {"valid", "invalid", "value", "iban"})
    texts += re.findall(r"\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{2,4})+\b", source("python_stdnum-2.2", "tests/test_iban.doctest"))
    texts = sorted({text.strip() for text in texts if text.strip()})
    good = [re.sub(r"\s", "", text) for text in texts if iban.is_valid(text)]
    texts += [wrong for text in good for wrong in changed(text)]
    mine = {text: ask("iban_validation", {"iban": text}) for text in texts}
    said = {text: bool(result and result["valid"]) for text, result in mine.items()}

    def schwifty(text):
        try:
            return IBAN(text, validate_bban=True) is not None
        except Exception:  # it raises others than its own for some texts
            return False
    yield "iban_validation", "python-stdnum", said, {text: iban.is_valid(text) for text in texts}
    yield "iban_validation", "schwifty", said, {text: schwifty(text) for text in texts}


def vat_numbers(ask):
    """vat_number_check against stdnum.eu.vat and the modules of countries outside it."""
    from stdnum.ch import vat as swiss
    from stdnum.eu import vat
    from stdnum.gb import vat as british
    from stdnum.no import mva
    blocks = re.findall(r"numbers = '''(.*?)'''", source("python_stdnum-2.2", "tests/test_eu_vat.doctest"), re.S)
    texts = [line.strip().removeprefix("...").strip() for line in "\n".join(blocks).splitlines()]
    for name in ("gb", "ch"):
        lines = source("python_stdnum-2.2", f"tests/test_{name}_vat.doctest").splitlines()
        numbers = [line.strip().removeprefix("...").strip() for line in lines if re.search(r"\d{3}", line)]
        texts += [text if text[:2].isalpha() else "GB" + text for text in numbers if re.fullmatch(r"[A-Z0-9 .\-]+", text)]
    texts = sorted({text for text in texts if text and len(text) <= 60})

    def theirs(text):
        for module, start in ((british, "GB"), (swiss, "CH"), (mva, "NO")):
            if text.upper().startswith(start):
                return module.is_valid(text)
        return vat.is_valid(text)
    good = [re.sub(r"[^A-Z0-9+*]", "", text.upper()) for text in texts if theirs(text)]
    texts += [wrong for text in good for wrong in changed(text)]
    mine = {text: ask("vat_number_check", {"vat_number": text}) for text in texts}
    said = {text: bool(result and result["valid"]) for text, result in mine.items()}
    yield "vat_number_check", "python-stdnum", said, {text: theirs(text) for text in texts}


def addresses(ask):
    """email_verification against email-validator without its look-ups, with all that the RFCs allow."""
    from email_validator import EmailNotValidError, validate_email
    tests = source("email_validator-2.3.0", "tests/test_syntax.py")
    texts = sorted({text for text in literals(tests, {"email_input"}) if text and len(text.encode()) <= 1000})

    def theirs(text):
        try:
            validate_email(text, check_deliverability=False, allow_quoted_local=True, allow_domain_literal=True)
            return True
        except EmailNotValidError:
            return False
    mine = {text: ask("email_verification", {"email": text}) for text in texts}
    yield ("email_verification", "email-validator", {text: bool(result and result["valid"]) for text, result in mine.items()},
           {text: theirs(text) for text in texts})


def languages(ask):
    """language_detection, lingua and langdetect, each against the right answer, on the frozen short texts."""
    from langdetect import DetectorFactory, detect
    from lingua import LanguageDetectorBuilder
    DetectorFactory.seed = 0
    rows = [line.split("\t") for line in (ROOT / "plugins/bridges/language_detection/quality/short.tsv").read_text().splitlines()]
    rows = [(code, text) for split, code, text in rows[1:] if split == "frozen"]
    lingua = LanguageDetectorBuilder.from_all_languages().build()

    def by_lingua(text):
        found = lingua.detect_language_of(text)
        return found.iso_code_639_1.name.lower() if found else None

    def by_langdetect(text):
        found = detect(text)
        return "nb" if found == "no" else found
    result = ask("language_detection", {"texts": [text for _, text in rows]})
    ours = [text["language"] for text in result["texts"]]
    for name, found in (("bridge", ours), ("lingua", [by_lingua(text) for _, text in rows]),
                        ("langdetect", [by_langdetect(text) for _, text in rows])):
        right = sum(code == language for (code, _), language in zip(rows, found))
        print(f"language_detection, short texts: {name} right in {right} of {len(rows)}")
    return []


BRIDGES = {"iban_validation": ibans, "vat_number_check": vat_numbers, "email_verification": addresses,
           "language_detection": languages}
PROBES = {"iban_validation": {"iban": "GB29NWBK60161331926819"}, "vat_number_check": {"vat_number": "DE136695976"},
          "email_verification": {"email": "a@example.org"}, "language_detection": {"text": "hello"}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("registry", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--bridge", action="append", choices=sorted({**BRIDGES, **MODULES}))
    parser.add_argument("--show", type=int, default=60)
    options = parser.parse_args()
    bridges = options.bridge or [*BRIDGES, *MODULES]
    ready(bridges)
    with tempfile.TemporaryDirectory() as name:
        base, server, headers = tollbridge(options.binary, options.registry, pathlib.Path(name))
        try:
            ask = lambda name, body: asked(base, headers, name, body)
            for bridge in bridges:
                module = MODULES.get(bridge)
                answers(base, f"/v1/oracle/{bridge}", module.PROBE if module else PROBES[bridge], headers)
                if module:
                    module.compare(ask, options.show)
                for row in BRIDGES[bridge](ask) if bridge in BRIDGES else []:
                    report(*row, options.show)
        finally:
            server.terminate()


def report(bridge, peer, mine, theirs, show):
    differ = [text for text in theirs if mine[text] != theirs[text]]
    valid = sum(theirs.values())
    print(f"{bridge} and {peer}: {len(theirs) - len(differ)} of {len(theirs)} agree ({valid} valid by the peer)")
    for text in differ[:show]:
        print(f"  {'valid' if mine[text] else 'invalid'} here, {'valid' if theirs[text] else 'invalid'} there: {text!r}")


if __name__ == "__main__":
    main()
