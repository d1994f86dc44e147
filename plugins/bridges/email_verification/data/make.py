#!/usr/bin/env python3
"""Makes the tables of this folder and NOTICE from pinned packages. Nothing in them is typed by hand.

Run: python3 make.py (needs pip and npm; downloads to a temporary folder).
The tables are sorted by bytes, one entry a line, names in A-label form, for binary search in the text.
"""
import datetime
import importlib.util
import json
import pathlib
import re
import subprocess
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).parent
PYPI = {"disposable-email-domains": "0.0.293", "publicsuffixlist": "1.1.2.20261023"}
NPM = {"role-based-email-addresses": "3.1.0", "email-providers": "2.26.0", "mailcheck": "1.1.1"}
LICENCES = {
    "disposable-email-domains": "MIT",
    "publicsuffixlist": "MPL-2.0",
    "role-based-email-addresses": "MIT",
    "email-providers": "ISC",
    "mailcheck": "MIT",
}
SOURCES = {
    "disposable-email-domains": "the community list disposable-email-domains/disposable-email-domains",
    "publicsuffixlist": "Mozilla Public Suffix List (publicsuffix.org), version {psl}",
    "role-based-email-addresses": "local parts of role accounts (mixmaxhq/role-based-email-addresses)",
    "email-providers": "common mailbox providers (derhuerst/email-providers)",
    "mailcheck": "providers and top-level domains for suggestions (mailcheck/mailcheck)",
}


def run(*command, cwd):
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def download(work):
    """{package: folder}"""
    found = {}
    for name, version in {**PYPI, **NPM}.items():
        folder = work / name
        folder.mkdir()
        if name in PYPI:
            run("pip", "download", "--no-deps", "--only-binary=:all:", f"{name}=={version}", cwd=folder)
            zipfile.ZipFile(next(folder.glob("*.whl"))).extractall(folder / "x")
        else:
            run("npm", "pack", f"{name}@{version}", cwd=folder)
            tarfile.open(next(folder.glob("*.tgz"))).extractall(folder / "x", filter="data")
        found[name] = folder / "x"
    return found


def ascii_name(name):
    """Labels beyond ASCII as A-labels; the lists have them in normal form already."""
    labels = [l if l.isascii() else "xn--" + l.encode("punycode").decode() for l in name.lower().split(".")]
    return ".".join(labels)


def write(name, lines):
    lines = sorted(set(lines), key=lambda line: line.encode())
    (HERE / name).write_text("\n".join(lines) + "\n")
    print(name, len(lines))


def suffixes(text):
    icann, private = text.split("===BEGIN PRIVATE DOMAINS===")
    rules = lambda part: [ascii_name(l.split()[0]) for l in part.splitlines() if l and not l.startswith("//")]
    write("icann.txt", rules(icann))
    write("private.txt", rules(private))
    return re.search(r"VERSION: (\S+)", text)[1]


def words(text, name):
    block = re.search(name + r"\s*[:=]\s*\[(.*?)\]", text, re.S)[1]
    return re.findall(r"""['"]([^'"]+)['"]""", block)


def main():
    with tempfile.TemporaryDirectory() as name:
        found = download(pathlib.Path(name))
        path = found["disposable-email-domains"] / "disposable_email_domains/__init__.py"
        spec = importlib.util.spec_from_file_location("disposable", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        write("disposable.txt", map(ascii_name, module.blocklist))
        psl = suffixes((found["publicsuffixlist"] / "publicsuffixlist/public_suffix_list.dat").read_text())
        roles = (found["role-based-email-addresses"] / "package/src/index.js").read_text()
        write("roles.txt", [r.lower() for r in re.findall(r"^\s+'([^']+)',", roles, re.M)])
        mailcheck = (found["mailcheck"] / "package/src/mailcheck.js").read_text()
        package = found["email-providers"] / "package"
        common, every = (json.loads((package / f"{n}.json").read_text()) for n in ("common", "all"))
        write("providers.txt", [d for d in common if d not in module.blocklist])
        tops = words(mailcheck, "defaultTopLevelDomains")
        pairs = [f"{s}.{t}" for s in words(mailcheck, "defaultSecondLevelDomains") for t in tops]
        write("targets.txt", words(mailcheck, "defaultDomains") + [p for p in pairs if p in every])
        write("tops.txt", tops)
        made = datetime.date.today().isoformat()
        days = {"publicsuffixlist": psl[:10]}
        sources = [{"name": n, "version": v, "as_of": days.get(n, made), "licence": LICENCES[n],
                    "source": SOURCES[n].format(psl=psl)} for n, v in {**PYPI, **NPM}.items()]
        (HERE / "sources.json").write_text(json.dumps(sources, indent=1) + "\n")
        notice(found)


def notice(found):
    text = ["The tables are made by make.py from these packages. icann.txt and private.txt are a form of the Public Suffix",
            "List and remain under the Mozilla Public License 2.0 (https://mozilla.org/MPL/2.0/). The other notices:"]
    for name, folder in found.items():
        files = [p for p in sorted(folder.rglob("*")) if p.name.lower() in ("license", "license.txt", "license.md")]
        body = files[0].read_text().strip() if files else "MIT, https://github.com/mailcheck/mailcheck, Derrick Ko"
        if name == "publicsuffixlist":
            body = "Mozilla Public License 2.0"
        text += ["", "=" * 80, f"{name}, {LICENCES[name]}", "", body]
    (HERE / "NOTICE").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
