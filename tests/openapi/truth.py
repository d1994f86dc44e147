"""Whether the server does what its OpenAPI document says: schemathesis with all
checks over every operation and every alias, with a key and without one.

usage: truth.py path/to/tollbridge path/to/registry [more options of schemathesis]
Nobody pays here: a call that costs is answered with 402.
"""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

HERE = pathlib.Path(__file__).parent
LIMITS = "".join(f"[tiers.{tier}]\nper_minute = 1000000\nper_hour = 100000000\n" for tier in ("free", "enterprise"))
RUN = [sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "run"]
OPTIONS = "--checks all --max-examples 20 --seed 1 --workers 1 --warnings off --request-timeout 20".split()
OPTIONS += ["--suppress-health-check", "all", "--continue-on-failure"]


@contextlib.contextmanager
def serving(command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield next(line.split()[1] for line in process.stdout if line.startswith("ready "))
    finally:
        process.terminate()
        process.wait(30)


def with_aliases(document):
    """The document with every alias as a path of its own."""
    paths = document["paths"]
    for path in list(paths.values()):
        for method, operation in path.items():
            for number, alias in enumerate(operation.pop("x-aliases", []), 1):
                if " " in alias:
                    continue
                copy = json.loads(json.dumps(operation)) | {"operationId": f"{operation['operationId']}-{number}"}
                paths.setdefault(re.sub(r"\{\*", "{", alias), {})[method] = copy
    return document


def for_aliases(settings):
    """The settings, for the aliases of their operations as well."""
    named = re.compile(r"(include-operation-id = \[)([^\]]*)\]|(include-operation-id = )(\".*\")")
    ids = lambda text: [name for name in re.findall(r'"(\w+)"', text)]
    every = lambda text: json.dumps([name + end for name in ids(text) for end in ("", "-1", "-2", "-3")])
    return named.sub(lambda found: "include-operation-id = " + every(found[2] or found[4]), settings)


def main():
    tollbridge, registry, *more = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        config = folder / "tollbridge.toml"
        config.write_text(
            f'[server]\nlisten = "127.0.0.1:0"\n[data]\ndir = "{folder}/data"\n'
            f'[registry]\ndir = "{os.path.abspath(registry)}"\n{LIMITS}'
        )
        run = [tollbridge, "--config", str(config)]
        made = subprocess.run([*run, "key", "create", "--tier", "enterprise"], capture_output=True, text=True, check=True)
        (folder / "schemathesis.toml").write_text(for_aliases((HERE / "schemathesis.toml").read_text()))
        with serving([*run, "serve"]) as base:
            with urllib.request.urlopen(f"{base}/openapi.json", timeout=30) as reply:
                document = with_aliases(json.load(reply))
            (folder / "openapi.json").write_text(json.dumps(document))
            for title, header in (
                ("with a key", ["--header", f"Authorization: Bearer {made.stdout.strip()}"]),
                ("without a key", []),
            ):
                print(f"== {title}", flush=True)
                command = [*RUN, "openapi.json", "--url", base, *OPTIONS, *header, *more]
                failed |= subprocess.run(command, cwd=folder, check=False).returncode != 0
            with urllib.request.urlopen(f"{base}/health/live", timeout=30) as reply:
                assert reply.status == 200, "the server is gone"
    sys.exit(failed)


main()
