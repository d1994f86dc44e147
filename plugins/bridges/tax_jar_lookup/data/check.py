#!/usr/bin/env python3
"""Makes checked.json: rates of public repositories, by which make.py checks (and, for the US, makes) rates.json.

Run: python3 check.py TAXLOCUS US_STATE_RATES WWTS (git directories of the repositories that SOURCES names).
"""
import csv
import datetime
import io
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
SOURCES = {
    "taxlocus-data": {
        "repository": "github.com/Ringzero787/taxlocus-data", "licence": "CC-BY-4.0", "as_of": "2026-08-18",
        "source": "Sales-tax data by TaxLocus (https://taxlocus.com), github.com/Ringzero787/taxlocus-data"},
    "us-sales-tax-rates-dataset": {
        "repository": "github.com/SocratesTheProphet/us-sales-tax-rates-dataset", "licence": "CC-BY-4.0", "as_of": "2026-07-16",
        "source": "Sean Murphy, github.com/SocratesTheProphet/us-sales-tax-rates-dataset; each rate compared with the state's tax authority on 2026-07-01"},
    "PwC Worldwide Tax Summaries": {
        "repository": "github.com/Brigadirk/based.guide.move", "licence": "cited for comparison, not redistributed", "as_of": "2025-02-21",
        "source": "taxsummaries.pwc.com/quick-charts/value-added-tax-vat-rates as kept in github.com/Brigadirk/based.guide.move; each rate with the day of its last review"},
}
WWTS = "backend/taxsummaries.markdown/quick-charts/value-added-tax-vat-rates.md"
# Names there that are not those of ISO 3166 in iso-3166, as folded() writes them.
NAMES = {"bolivia": "BO", "moldova": "MD", "northmacedonia": "MK", "slovakrepublic": "SK", "czechrepublic": "CZ", "korea": "KR",
         "republicofkorea": "KR", "turkey": "TR", "tanzania": "TZ", "venezuela": "VE", "vietnam": "VN", "taiwan": "TW",
         "unitedkingdom": "GB", "kosovo": "XK", "jerseychannelislands": "JE", "chinapeoplesrepublicof": "CN",
         "uzbekistanrepublicof": "UZ", "namibiarepublicof": "NA", "korearepublicof": "KR"}
# What a cell says before its number when the number is the standard rate of the country's tax.
LEADING = re.compile(r"^(?:Goods and services tax(?: \(GST\))?|Sales tax|Turnover tax|Consumption tax|Standard rate scheme|"
                     r"Movable goods and services transfer tax|Tanzania Mainland|Sales and use tax|Goods and Services Tax \(GST\)): ?")


def git(directory, *command):
    return subprocess.run(["git", "-C", directory, *command], check=True, capture_output=True, text=True).stdout


def text(number):
    return f"{float(number):.6f}".rstrip("0").rstrip(".")


def folded(name):
    return "".join(char for char in name.lower() if char.isalpha())


def states(taxlocus, rates):
    """{state: rate, whether local taxes vary, coming change, what the rate was compared with, and TaxLocus's rate}."""
    other = {row["state"]: text(float(row["rate"]) * 100) for row in csv.DictReader(io.StringIO(git(taxlocus, "show", "HEAD:data/state_rates.csv")))}
    found = {}
    for row in csv.DictReader(io.StringIO(git(rates, "show", "HEAD:data/state-rates.csv"))):
        found[row["code"]] = {"percent": text(row["state_rate_pct"]), "local": row["local_varies"] == "true", "with": row["source"],
                              "taxlocus": other.get(row["code"])}
        if row["scheduled_change_date"]:
            found[row["code"]]["change"] = [row["scheduled_change_date"], text(row["scheduled_change_pct"])]
    return dict(sorted(found.items()))


def countries(wwts):
    """{country's name: rate or None where there is no such tax, day of review}, where the cell gives one standard rate."""
    commits = git(wwts, "log", "--diff-filter=AM", "--format=%H", "--", WWTS).split()
    page = git(wwts, "show", f"{commits[0]}:{WWTS}")
    found, left = {}, []
    for name, day, cell in re.findall(r"^\| \[([^\]]+)\].*?\(Last reviewed ([^)]+)\) \| (.*?) \|$", page, re.M):
        day = datetime.datetime.strptime(day, "%d %B %Y").date().isoformat()
        number = re.match(r"(\d+(?:\.\d+)?)%?(?=$|[ ;])", LEADING.sub("", cell))
        if cell == "NA":
            found[name] = [None, day]
        elif number:
            found[name] = [text(number[1]), day]
        else:
            left.append(f"{name}: {cell[:90]}")
    return found, left


def main():
    taxlocus, rates, wwts = sys.argv[1:]
    for record, directory in zip(SOURCES.values(), (taxlocus, rates, wwts), strict=True):
        record["version"] = git(directory, "rev-parse", "--short=12", "HEAD").strip()
    pwc, left = countries(wwts)
    SOURCES["PwC Worldwide Tax Summaries"]["version"] = git(wwts, "log", "-1", "--diff-filter=AM", "--format=%h", "--abbrev=12", "--", WWTS).strip()
    out = {"sources": SOURCES, "us": states(taxlocus, rates), "pwc": pwc, "names": NAMES}
    (HERE / "checked.json").write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n")
    print(len(out["us"]), "states,", len(pwc), "countries; without one rate:", *left, sep="\n  ")


if __name__ == "__main__":
    main()
