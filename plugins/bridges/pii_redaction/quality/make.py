#!/usr/bin/env python3
"""Makes set.json: texts with the places of their personal data. The set is kept as it is; this says where it is from.

Run: python3 make.py PRESIDIO_EVALUATOR_WHEEL (needs Faker 40.54.0 and the wheel of presidio-evaluator 0.3.2, both on
PyPI, both MIT). Templates: those of presidio-evaluator, and OWN below for NHS and national insurance numbers, which it
does not have. Values: Faker, by turns British and American, seed 20260101; each template is filled six times.

Split, fixed before anything was tuned: templates by line, odd ones for tuning, even ones held out.
What is not a type of the bridge (places, organisations, ages) is filled in but not labelled. A name is labelled `name`
wherever it stands; `cued` says whether a title is filled in right before it.
"""
import json
import pathlib
import re
import sys
import zipfile

from faker import Faker

HERE = pathlib.Path(__file__).parent
OWN = """My NHS number is {{nhs_number}} and I was born in {{city}}
Patient {{nhs_number}} (NHS) was seen on {{date}}
NHS No: {{nhs_number}}, date of birth {{date_of_birth}}
The practice sent {{nhs_number}} to the NHS by post
Her national insurance number is {{nino}}.
NI {{nino}} was paid on {{date}}
Please quote {{nino}} on your tax return
Order {{order}} was sent on {{date}} for {{amount}}
Meeting on {{date}} at {{time}}, room {{room}}, agenda {{version}}
{{amount}} for item {{order}}, {{amount}} for delivery
Server {{ip_address}} answered, {{ipv6}} did not
Version {{version}} was released on {{date}}"""
KINDS = {"email": "email", "iban": "iban", "credit_card_number": "card", "phone_number": "phone", "ssn": "us_ssn",
         "ip_address": "ip_address", "ipv6": "ip_address", "date_of_birth": "date_of_birth", "nhs_number": "nhs_number",
         "nino": "national_insurance"}
KINDS |= {k: "name" for k in ("person", "name", "name_male", "name_female", "first_name", "first_name_male",
          "first_name_female", "first_name_nonbinary", "last_name", "last_name_male", "last_name_female")}


def nhs(fake):
    while True:
        digits = [fake.random_digit() for _ in range(9)]
        check = (11 - sum(d * w for d, w in zip(digits, range(10, 1, -1))) % 11) % 11
        if check < 10:
            text = "".join(map(str, digits + [check]))
            return text if fake.boolean() else f"{text[:3]} {text[3:6]} {text[6:]}"


def value(fake, us, key):
    own = {
        "person": lambda: fake.name(), "age": lambda: str(fake.random_int(18, 90)), "nhs_number": lambda: nhs(fake),
        "ip_address": lambda: fake.ipv4(), "organization": lambda: fake.company(), "date_time": lambda: fake.date(),
        "date": lambda: fake.date(pattern=fake.random_element(["%d/%m/%Y", "%Y-%m-%d", "%d %B %Y"])),
        "date_of_birth": lambda: fake.date(pattern=fake.random_element(["%d/%m/%Y", "%Y-%m-%d", "%d %B %Y", "%B %d, %Y"])),
        "nino": lambda: fake.random_element(["AB", "JG", "SC", "TW", "YE"]) + fake.numerify(fake.random_element(["######", " ## ## ## "])) + fake.random_element("ABCD"),
        "ssn": lambda: us.ssn(), "order": lambda: fake.numerify("########"), "amount": lambda: fake.numerify("£##,###.##"),
        "time": lambda: fake.time("%H:%M"), "room": lambda: fake.numerify("#.##"), "version": lambda: fake.numerify("#.##.#"),
        "nationality": lambda: fake.country(), "nation_woman": lambda: fake.country(), "nation_plural": lambda: fake.country(),
        "building_number": lambda: fake.building_number(), "state_abbr": lambda: us.state_abbr(), "zipcode": lambda: us.zipcode(),
        "secondary_address": lambda: us.secondary_address(), "us_driver_license": lambda: fake.bothify("?#######"),
    }
    text = own[key]() if key in own else getattr(fake, key)()
    return str(text).replace("\n", ", ")


def fill(template, fake, us):
    text, spans = "", []
    for piece in re.split(r"(\{\{\w+\}\})", template.replace("\\n", "\n").replace("\\,", ",")):
        if not piece.startswith("{{"):
            text += piece
            continue
        key = piece[2:-2]
        filled = value(fake, us, key)
        if key in KINDS:
            cued = KINDS[key] != "name" or bool(re.search(r"\b(Mr|Mrs|Ms|Miss|Mx|Dr)\.? $", text))
            spans.append({"type": KINDS[key], "start": len(text), "end": len(text) + len(filled), "cued": cued})
        text += filled
    return text, spans


def main():
    wheel = zipfile.ZipFile(sys.argv[1])
    templates = wheel.read("presidio_evaluator/data_generator/raw_data/templates.txt").decode().splitlines() + OWN.splitlines()
    Faker.seed(20260101)
    places = [Faker("en_GB"), Faker("en_US")]
    out = []
    for number, template in enumerate(templates, 1):
        if not template.strip():
            continue
        for turn in range(6):
            text, spans = fill(template, places[turn % 2], places[1])
            out.append({"part": "tune" if number % 2 else "test", "text": text, "spans": spans})
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in out)
    (HERE / "set.json").write_text(f"[{lines}]\n")
    print(len(out), sum(len(row["spans"]) for row in out))


if __name__ == "__main__":
    main()
