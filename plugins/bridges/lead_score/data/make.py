#!/usr/bin/env python3
"""Makes domains.txt, packages.txt and NOTICE from pinned packages. Nothing in them is typed by hand.

Run: python3 make.py (needs pip and npm; downloads to a temporary folder). Standard library only.
domains.txt: one domain a line, sorted by bytes, `+` before those that are disposable; the others are free mail providers.
packages.txt: name, version, day of release, licence and source of each package, separated by tabs.
"""
import ast
import json
import pathlib
import subprocess
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent
DISPOSABLE, FREE = ("disposable-email-domains", "0.0.293"), ("free-email-domains", "1.12.6")


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        run("pip", "download", "--no-deps", "==".join(DISPOSABLE), cwd=work)
        run("npm", "pack", "@".join(FREE), cwd=work)
        wheel = zipfile.ZipFile(next(work.glob("*.whl")))
        module = ast.parse(wheel.read("disposable_email_domains/__init__.py").decode())
        blocked = next(ast.literal_eval(node.value) for node in module.body
                       if isinstance(node, ast.Assign) and node.targets[0].id == "blocklist")
        meta = next(name for name in wheel.namelist() if name.endswith("METADATA"))
        if "License-Expression: MIT" not in wheel.read(meta).decode():
            raise SystemExit("disposable-email-domains: licence changed")
        day = "-".join(f"{part:02d}" for part in wheel.getinfo("disposable_email_domains/__init__.py").date_time[:3])
        notice = [(DISPOSABLE, next(wheel.read(n).decode() for n in wheel.namelist() if "LICENSE" in n))]
        with tarfile.open(next(work.glob("*.tgz"))) as tar:
            read = lambda name: tar.extractfile(f"package/{name}").read().decode()
            if json.loads(read("package.json"))["license"] != "MIT":
                raise SystemExit("free-email-domains: licence changed")
            free = set(json.loads(read("domains.json")))
            notice.append((FREE, read("LICENSE.md")))
        released = json.loads(run("npm", "view", FREE[0], "time", "--json", cwd=work))[FREE[1]][:10]
        # Only names of letters, digits, dots and hyphens can be asked for.
        plain = lambda name: name.isascii() and "." in name and all(c.isalnum() or c in ".-" for c in name)
        lines = sorted(name for name in map(str.lower, free | blocked) if plain(name))
        (HERE / "domains.txt").write_text("".join(("+" if name in blocked else "") + name + "\n" for name in lines))
        rows = [(*DISPOSABLE, day, "MIT", "kept by its contributors (disposable-email-domains on GitHub)"),
                (*FREE, released, "MIT", "lists of HubSpot, Castle and others, put together by Kikobeats/free-email-domains; without the disposable ones")]
        (HERE / "packages.txt").write_text("".join("\t".join(row) + "\n" for row in rows))
        text = ["domains.txt is made by make.py from these packages. Their notices:"]
        for (name, version), licence in notice:
            text += ["", "=" * 80, f"{name} {version}", "", licence.strip()]
        (HERE / "NOTICE").write_text("\n".join(text) + "\n")
        print(len(lines), "domains,", len(blocked), "disposable;", rows)


if __name__ == "__main__":
    main()
