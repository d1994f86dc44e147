"""IBANs and VAT numbers."""

import random
import re

from .tools import literals, report, source

PACKAGES = ["python-stdnum==2.2", "schwifty==2026.10.1"]
SOURCES = PACKAGES
DIGITS = random.Random(7)


def changed(number):
    """Returns the number with one digit changed, and with two adjacent digits exchanged."""
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


def ibans(ask, show):
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
        except Exception:  # for some texts it raises other exceptions than its own
            return False
    report("iban_validation", "python-stdnum", said, {text: iban.is_valid(text) for text in texts}, show)
    report("iban_validation", "schwifty", said, {text: schwifty(text) for text in texts}, show)


def vat_numbers(ask, show):
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
    report("vat_number_check", "python-stdnum", said, {text: theirs(text) for text in texts}, show)
