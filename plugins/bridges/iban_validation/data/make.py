#!/usr/bin/env python3
"""Makes structures.txt, sources.json and NOTICE from pinned packages. Nothing in them is typed by hand.

Run: python3 make.py (needs pip and cargo; downloads to a temporary folder).
Structure, bank and branch fields come from iban_validation_rs, which is made from the SWIFT IBAN registry and names its
release; the other fields, SEPA and the countries outside the registry come from schwifty. Where both have a field and
differ, the registry's stands and the difference is printed.
"""
import datetime
import json
import pathlib
import re
import subprocess
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent
CRATE, CRATE_VERSION = "iban_validation_rs", "0.1.30"
WHEEL, WHEEL_VERSION = "schwifty", "2026.10.1"
FIELDS = ["bank_code", "branch_code", "account_type", "currency_code", "account_code", "account_id",
          "account_holder_id", "national_checksum_digits"]


def run(*command, cwd):
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def crate(work):
    """The unpacked crate."""
    (work / "src").mkdir()
    (work / "src/lib.rs").touch()
    (work / "Cargo.toml").write_text(
        f'[package]\nname = "x"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n{CRATE} = "={CRATE_VERSION}"\n')
    run("cargo", "vendor", "vendor", cwd=work)
    folder = work / "vendor" / CRATE
    if 'license = "MIT"' not in (folder / "Cargo.toml").read_text():
        raise SystemExit(f"{CRATE}: not under MIT any more")
    return folder


def wheel(work):
    """The unpacked wheel."""
    run("pip", "download", "--no-deps", f"{WHEEL}=={WHEEL_VERSION}", cwd=work)
    folder = work / "wheel"
    zipfile.ZipFile(next(work.glob("*.whl"))).extractall(folder)
    if "License-Expression: MIT" not in next(folder.glob("*.dist-info/METADATA")).read_text():
        raise SystemExit(f"{WHEEL}: not under MIT any more")
    return folder


def runs(kinds):
    """['n', 'n', 'a'] -> '2!n1!a'."""
    return "".join(f"{len(m[0])}!{m[0][0]}" for m in re.finditer(r"(.)\1*", "".join(kinds)))


def registry(folder):
    """{country: (structure of the BBAN, {field: [from, to]})} of the registry."""
    found = {}
    text = (folder / "src/iban_definition.rs").read_text().split("non_registry")[0]
    for block in text.split("IbanFields {")[1:]:
        code = bytes(map(int, re.search(r"ctry_cd: \[(\d+), (\d+)\]", block).groups())).decode()
        length = int(re.search(r"// \"..\" (\d+) characters", block)[1])
        kinds = re.findall(r"simple_contains_([acn])", block)[:length - 4]
        if len(kinds) != length - 4:
            raise SystemExit(f"{code}: {len(kinds)} places in a BBAN of {length - 4}")
        fields = {}
        for name in ("bank", "branch"):
            ends = [re.search(rf"{name}_id_pos_{end}: Some\((\d+)\)", block) for end in "se"]
            if all(ends):
                fields[f"{name}_code"] = [int(ends[0][1]) - 1, int(ends[1][1])]
        found[code] = (runs(kinds), fields)
    return found


def merged(left, right):
    out = dict(left)
    for key, value in right.items():
        out[key] = merged(out[key], value) if isinstance(value, dict) and isinstance(out.get(key), dict) else value
    return out


def flat(spec):
    return runs("".join(kind * int(count) for count, kind in re.findall(r"(\d+)!([acn])", spec)))


def main():
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        crate_folder, wheel_folder = crate(work), wheel(work)
        known = registry(crate_folder)
        base = wheel_folder / "schwifty/iban_registry"
        extra = merged(json.loads((base / "generated.json").read_text()), json.loads((base / "overwrite.json").read_text()))
        lines, differences = [], []
        for code in sorted(set(known) | set(extra)):
            more = extra.get(code, {})
            spec, fields = known.get(code, (None, {}))
            registered = spec is not None
            spec = spec or flat(more["bban_spec"])
            if registered and more and flat(more["bban_spec"]) != spec:
                differences.append(f"{code}: structure {spec}, {WHEEL} {flat(more['bban_spec'])}")
            positions = {k: v for k, v in more.get("positions", {}).items() if v[0] < v[1]}
            for field in ("bank_code", "branch_code"):
                if registered and positions.get(field) != fields.get(field):
                    differences.append(f"{code}: {field} {fields.get(field)}, {WHEEL} {positions.get(field)}")
            if registered:
                # The registry's fields stand; what only schwifty has stays unless it overlaps the registry's bank.
                clear = positions.get("branch_code", [0])[0] >= fields.get("bank_code", [0, 0])[1]
                positions = {k: v for k, v in positions.items() if k != "branch_code" or clear} | fields
            # A star: the field is not the registry's.
            names = " ".join(f"{f}={positions[f][0]}-{positions[f][1]}{'' if f in fields else '*'}"
                             for f in FIELDS if f in positions)
            sepa = {True: "sepa", False: "-"}.get(more.get("in_sepa_zone"), "?")
            lines.append("\t".join([code, spec, "registered" if registered else "unregistered", sepa, names]))
        (HERE / "structures.txt").write_text("\n".join(lines) + "\n")
        release = re.search(r"v(\d+)", (crate_folder / "data/iban_sourcefile.txt").read_text())[1]
        made = datetime.date.today().isoformat()
        sources = [
            {"name": CRATE, "version": CRATE_VERSION, "as_of": made, "licence": "MIT",
             "source": f"SWIFT IBAN registry release {release}: structure, bank and branch fields (newest release of the crate on the day)"},
            {"name": WHEEL, "version": WHEEL_VERSION, "as_of": "2026-10", "licence": "MIT",
             "source": "SWIFT IBAN registry and additions by its maintainers: other fields, SEPA, countries outside the registry"},
        ]
        (HERE / "sources.json").write_text(json.dumps(sources, indent=1) + "\n")
        licences = [(f"{CRATE} {CRATE_VERSION} (crate)", crate_folder / "LICENSE"),
                    (f"{WHEEL} {WHEEL_VERSION} (PyPI)", next(wheel_folder.glob("*.dist-info/licenses/LICENSE")))]
        text = ["structures.txt is made by make.py from these packages. Their notices:"]
        for title, path in licences:
            text += ["", "=" * 80, title, "", path.read_text().strip()]
        (HERE / "NOTICE").write_text("\n".join(text) + "\n")
        print(f"{len(lines)} countries, registry release {release}; differences:", *differences, sep="\n  ")


if __name__ == "__main__":
    main()
