#!/usr/bin/env python3
"""Makes the operator's table `sanctions` of a published list.

usage: make_table.py --version V --as-of DAY --licence L --source URL LIST.csv [ALT.csv] > sanctions.tsv

LIST.csv is the UK Sanctions List, OFAC's SDN.CSV (with its ALT.CSV for other names), or a CSV file with the columns
id, name, aliases, births, countries, programme (several values apart by `;`). Then in the server's configuration:

    [plugins.sanctions_screen]
    tables = { sanctions = "/srv/data/sanctions.tsv" }

The table is read when the server starts. A row without id or name is an error: nobody may be left out unseen.
"""

import argparse
import csv
import json
import re
import sys

UK_NAMES = [f"Name {n}" for n in (1, 2, 3, 4, 5, 6)]
OFAC = ("id", "name", "type", "programme", "title", "call sign", "vessel type", "tonnage", "grt", "flag", "owner",
        "remarks")


def rows_of(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        # OFAC's files end with a control-Z.
        return [[cell.strip() for cell in row] for row in csv.reader(file) if any(c.strip(" \x1a") for c in row)]


def several(text):
    return [part.strip() for part in re.split(r"[;|]", text) if part.strip()]


def uk(head, row):
    cell = dict(zip(head, row))
    names = [cell.get(name, "") for name in UK_NAMES]
    return cell.get("Unique ID"), {
        "name": " ".join(name for name in names if name),
        "births": several(cell.get("D.O.B", "")),
        "countries": several(cell.get("Nationality(/ies)", "")) + several(cell.get("Country of birth", "")),
        "programme": cell.get("Regime Name", ""),
    }


def ofac(row):
    cell = {name: "" if text == "-0-" else text for name, text in zip(OFAC, row)}
    births, countries = [], []
    for part in cell["remarks"].split(";"):
        part = re.sub(r"^alt\. ", "", part.strip().rstrip("."))
        if part.startswith("DOB "):
            part = part[4:].removeprefix("circa ")
            years = re.fullmatch(r"(?:.* )?(\d{4}) to (?:.* )?(\d{4})", part)
            births += [str(y) for y in range(int(years[1]), int(years[2]) + 1)] if years else [part]
        elif part.startswith(("nationality ", "citizen ")):
            countries.append(part.split(" ", 1)[1])
    return cell["id"], {"name": cell["name"], "births": births, "countries": countries, "programme": cell["programme"]}


def plain(head, row):
    cell = dict(zip(head, row))
    lists = {name: several(cell.get(name, "")) for name in ("aliases", "births", "countries")}
    return cell.get("id"), {"name": cell.get("name", ""), "programme": cell.get("programme", ""), **lists}


def entries_of(path):
    rows = rows_of(path)
    heads = next((at for at, row in enumerate(rows[:5]) if {"name", "Name 6"} & set(row)), None)
    if heads is not None:
        read = uk if "Name 6" in rows[heads] else plain
        return [read(rows[heads], row) for row in rows[heads + 1 :]]
    if rows and len(rows[0]) == len(OFAC):
        return [ofac(row) for row in rows]
    sys.exit(f"{path}: neither the UK Sanctions List nor OFAC's SDN.CSV, and no column `name`")


def merged(entries):
    """Entries by id; several rows of one id are one entry with several names."""
    table = {}
    for place, (key, entry) in enumerate(entries, 1):
        if not key or not entry["name"]:
            sys.exit(f"entry {place} has no id or no name: {entry}")
        known = table.setdefault(key, {**entry, "aliases": []})
        names = [entry["name"], *entry.get("aliases", [])]
        known["aliases"] += [name for name in names if name not in (known["name"], *known["aliases"])]
        for member in ("births", "countries"):
            known[member] += [text for text in entry[member] if text not in known[member]]
    return table


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("version", "as-of", "licence", "source"):
        args.add_argument(f"--{name}", required=True)
    args.add_argument("list")
    args.add_argument("alt", nargs="?")
    args = args.parse_args()
    table = merged(entries_of(args.list))
    for key, _, _, name, *_ in rows_of(args.alt) if args.alt else []:
        if key not in table:
            sys.exit(f"{args.alt}: {key} is not in {args.list}")
        table[key]["aliases"].append(name)
    about = {"version": args.version, "as_of": args.as_of, "licence": args.licence, "source": args.source}
    lines = ["#" + json.dumps(about, ensure_ascii=False)]
    for key in sorted(table, key=lambda key: key.encode()):
        entry = {member: value for member, value in table[key].items() if value}
        lines.append(key + "\t" + json.dumps(entry, ensure_ascii=False))
    sys.stdout.buffer.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()
