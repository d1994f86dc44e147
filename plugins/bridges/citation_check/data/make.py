#!/usr/bin/env python3
"""Makes isbn.txt, sources.json and NOTICE from a pinned package. Nothing in them is typed by hand.

Run: python3 make.py (needs npm and node; downloads to a temporary folder).
A line of isbn.txt: prefix and group, name of the group, ranges of its registrants.
"""
import datetime
import json
import pathlib
import subprocess
import tarfile
import tempfile

HERE = pathlib.Path(__file__).parent
NAME, VERSION = "isbn3", "2.0.11"


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def main():
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        run("npm", "pack", f"{NAME}@{VERSION}", cwd=work)
        tarfile.open(next(work.glob("*.tgz"))).extractall(work, filter="data")
        package = work / "package"
        if json.loads((package / "package.json").read_text())["license"] != "MIT":
            raise SystemExit(f"{NAME}: not under MIT any more")
        groups = json.loads(run("node", "-p", "JSON.stringify(require('./lib/groups.js'))", cwd=package))
        lines = [f"{key}\t{group['name']}\t" + " ".join("-".join(ends) for ends in group["ranges"])
                 for key, group in sorted(groups.items())]
        (HERE / "isbn.txt").write_text("\n".join(lines) + "\n")
        source = {"name": NAME, "version": VERSION, "as_of": datetime.date.today().isoformat(), "licence": "MIT",
                  "source": "ISBN range message of the International ISBN Agency, as the package has it (newest release on the day)"}
        (HERE / "sources.json").write_text(json.dumps([source], indent=1) + "\n")
        (HERE / "NOTICE").write_text(f"isbn.txt is made by make.py from {NAME} {VERSION} (npm). Its notice:\n\n"
                                     + (package / "LICENSE").read_text().strip() + "\n")
        print(len(lines), "groups")


if __name__ == "__main__":
    main()
