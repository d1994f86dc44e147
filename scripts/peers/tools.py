"""Common parts of the comparisons: packages and their sources, and calls of bridges."""

import ast
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VENV = ROOT / "target/peers"
SOURCES = ROOT / "target/peers-src"


def ready(script, packages, sources):
    """Restarts the script in a virtual environment with the packages, and fetches the sources of some packages beside it."""
    python = VENV / "bin/python"
    if os.environ.get("TOLLBRIDGE_PEERS") == "1":
        return
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    subprocess.run([python, "-m", "pip", "-q", "install", *packages], check=True)
    for package in sources:
        name = package.replace("-", "_").replace("==", "-")
        if not (SOURCES / name).exists():
            subprocess.run([python, "-m", "pip", "-q", "download", "--no-deps", "--no-binary", ":all:", "-d", SOURCES,
                            package], check=True)
            with tarfile.open(SOURCES / f"{name}.tar.gz") as files:
                files.extractall(SOURCES, filter="data")
    os.execve(python, [python, script, *sys.argv[1:]], {**os.environ, "TOLLBRIDGE_PEERS": "1", "PYTHONHASHSEED": "0"})


def source(package, path):
    return (SOURCES / package / path).read_text()


def crate(name, version):
    """Returns the folder of a crate's sources, downloaded by cargo."""
    folder = SOURCES / "crates" / f"{name}-{version}"
    if not folder.exists():
        asking = SOURCES / f"crate-{name}"
        (asking / "src").mkdir(parents=True, exist_ok=True)
        (asking / "src/lib.rs").write_text("")
        (asking / "Cargo.toml").write_text(f'[package]\nname = "asking"\nversion = "0.1.0"\nedition = "2024"\n\n'
                                           f'[dependencies]\n{name} = "={version}"\n\n[workspace]\n')
        subprocess.run(["cargo", "vendor", "-q", "--versioned-dirs", folder.parent], cwd=asking, check=True,
                       stdout=subprocess.DEVNULL)
    return folder


def asked(base, headers, bridge, body):
    """Returns the bridge's result; None if it refuses the input."""
    request = urllib.request.Request(f"{base}/v1/oracle/{bridge}", json.dumps(body).encode(),
                                     {"content-type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            reply = json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code >= 500:
            raise SystemExit(f"{bridge}: {error.code} {error.read().decode()}") from error
        return None
    return (reply.get("output") or reply.get("data") or reply)["result"] if "result" not in reply else reply["result"]


def literals(text, wanted):
    """Returns the texts in a module's assignments and parametrized tests, selected by name with `wanted`."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List) and any(
                getattr(target, "id", "") in wanted for target in node.targets):
            found += ast.literal_eval(node.value)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "parametrize" and len(node.args) == 2:
            names = ast.literal_eval(node.args[0])
            first = names.split(",")[0].strip() if isinstance(names, str) else names[0]
            if first in wanted and isinstance(node.args[1], (ast.List, ast.Tuple)):
                for row in node.args[1].elts:
                    value = row.elts[0] if isinstance(row, (ast.List, ast.Tuple)) else row
                    if isinstance(value, ast.Constant) and isinstance(value.value, str):
                        found.append(value.value)
    return found


def report(bridge, peer, mine, theirs, show):
    differ = [text for text in theirs if mine[text] != theirs[text]]
    valid = sum(theirs.values())
    print(f"{bridge} and {peer}: {len(theirs) - len(differ)} of {len(theirs)} agree ({valid} valid by the peer)")
    for text in differ[:show]:
        print(f"  {'valid' if mine[text] else 'invalid'} here, {'valid' if theirs[text] else 'invalid'} there: {text!r}")
