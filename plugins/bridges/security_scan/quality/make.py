#!/usr/bin/env python3
"""Makes the labelled set: source files and the lines that people called vulnerable.

usage: make.py FOLDER

Python: the examples in bandit's source package (Apache-2.0). Their authors state for each how many issues of which
severity it has; where bandit itself finds exactly these numbers, its lines are the labels.
JavaScript: the `valid` and `invalid` snippets in the tests of eslint-plugin-security (Apache-2.0), rule by rule.
Node: those of eslint-plugin-security-node (ISC), a third tool whose tests nobody here read: all of them are `test`.

Split before anything was tuned, by the SHA-256 of the name: even is `tune`, odd is `test`. No package's texts are kept
in the repository: all are fetched in a pinned version and checked by their digest. Needs pip and npm.
"""

import ast
import hashlib
import json
import pathlib
import subprocess
import sys
import tarfile
import venv

BANDIT = ("bandit", "1.9.4", "b589e5de2afe70bd4d53fa0c1da6199f4085af666fde00e8a034f152a52cd628")
NODE = ("eslint-plugin-security-node", "1.1.4", "0744e4dc6f7e9ab4e8c00ea3479cd798ba138e05aa5172988a7dd88b8d3683e2")
ESLINT = ("eslint-plugin-security", "4.1.0", "42e049a3c262178022d9071d8adae9f9d9adf93426e20c82ac5d3bff5ba5a277")

# Stands in for ESLint's test runner and hands out the cases; no rule is run, so what rules need may be missing.
RUNNER = """
const Module = require('module'), path = require('path'), fs = require('fs'), load = Module._load;
const found = [];
class RuleTester { run(rule, _, cases) { found.push({ rule, ...cases }); } }
Module._load = (name, ...rest) => {
  if (name === 'eslint') return { RuleTester };
  try { return load(name, ...rest); } catch (error) { if (/^[./]/.test(name)) throw error; return {}; }
};
for (const file of fs.readdirSync(process.argv[1]).sort()) require(path.join(process.argv[1], file));
const text = (c) => (typeof c === 'string' ? c : c.code);
console.log(JSON.stringify(found.flatMap(({ rule, valid, invalid }) => [
  ...valid.map((c, n) => ({ rule, name: `${rule}/valid/${n}`, source: text(c), bad: false })),
  ...invalid.map((c, n) => ({ rule, name: `${rule}/invalid/${n}`, source: text(c), bad: true })),
])));
"""


def run(*command, **more):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **more).stdout


def unpacked(archive, digest, folder):
    got = hashlib.sha256(archive.read_bytes()).hexdigest()
    if got != digest:
        sys.exit(f"{archive.name} is {got}, expected {digest}")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")


def split(name):
    return "tune" if hashlib.sha256(name.encode()).digest()[0] % 2 == 0 else "test"


def stated(tests):
    """What the authors state: numbers of issues by severity for each example."""
    counts = {}
    for function in ast.walk(ast.parse(tests.read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        expect = None
        for line in function.body:
            if isinstance(line, ast.Assign) and getattr(line.targets[0], "id", "") == "expect":
                try:
                    expect = ast.literal_eval(line.value)
                except ValueError:
                    expect = None
            call = line.value if isinstance(line, ast.Expr) else None
            stated = isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "check_example"
            if stated and len(call.args) == 2 and expect:
                counts[ast.literal_eval(call.args[0])] = expect["SEVERITY"]
    return counts


def python_files(folder):
    package, version, digest = BANDIT
    run(sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "-d", folder, f"{package}=={version}")
    unpacked(folder / f"{package}-{version}.tar.gz", digest, folder)
    venv.create(folder / "venv", with_pip=True)
    run(folder / "venv/bin/pip", "install", f"{package}=={version}")
    root = folder / f"{package}-{version}"
    for name, counts in sorted(stated(root / "tests/functional/test_functional.py").items()):
        path = root / "examples" / name
        report = subprocess.run([folder / "venv/bin/bandit", "-q", "-f", "json", path], capture_output=True, text=True)
        issues = json.loads(report.stdout)["results"]
        found = {severity: sum(i["issue_severity"] == severity for i in issues) for severity in ("LOW", "MEDIUM", "HIGH")}
        if any(found[severity] != counts[severity] for severity in found):
            print(f"left out, {found} found but {counts} stated: {name}", file=sys.stderr)
            continue
        try:
            source = path.read_text()
        except UnicodeDecodeError:
            print(f"left out, not UTF-8: {name}", file=sys.stderr)
            continue
        labels = [
            {"from": i["line_number"], "to": max(i["line_range"]), "rule": i["test_id"], "severity": i["issue_severity"].lower()}
            for i in issues
        ]
        yield {"name": name, "language": "python", "split": split(name), "source": source, "labels": labels}


def snippets(folder, plugin, tests, split):
    package, version, digest = plugin
    run("npm", "pack", f"{package}@{version}", cwd=folder)
    unpacked(folder / f"{package}-{version}.tgz", digest, folder / package)
    for case in json.loads(run("node", "-e", RUNNER, folder / package / "package" / tests)):
        yield {**case, "language": "javascript", "split": split(case["name"])}


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    sets = (
        ("python", python_files(folder)),
        ("javascript", snippets(folder, ESLINT, "test/rules", split)),
        ("node", snippets(folder, NODE, "tests/lib/rules", lambda name: "test")),
    )
    for name, items in sets:
        items = list(items)
        (folder / f"{name}.json").write_text(json.dumps(items, indent=1))
        print(f"{name}: {len(items)}, of which held out {sum(item['split'] == 'test' for item in items)}")


if __name__ == "__main__":
    main()
