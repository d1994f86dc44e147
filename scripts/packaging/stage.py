"""Lays out what all packages share: the registry of a release and its configuration.

usage: stage.py registry FROM TO
       stage.py config DEFAULTS TO [SECTION.KEY=VALUE …]
"""

import re
import shutil
import sys
import tomllib
from pathlib import Path

# The operator's account, which every server has: the revenue of a release's plugins
# belongs to the operator of the server.
OPERATORS_OWN = "acct_tollbridge"
HEADER = """\
# The configuration of Tollbridge. A line that starts with one # and a key shows the
# default; take the # away to change it. Each key is also an environment variable:
# server.listen is TOLLBRIDGE__SERVER__LISTEN. Flags win over variables, variables
# over this file. `tollbridge config check` says what is wrong with it,
# `tollbridge config show` what is in force.
"""


def number(version: str) -> tuple[int, ...] | None:
    """A release's version in its order; pre-releases have none."""
    return tuple(map(int, version.split("."))) if re.fullmatch(r"\d+\.\d+\.\d+", version) else None


def registry(source: Path, target: Path) -> None:
    """The newest version of each plugin, and whose signatures count."""
    publishers = tomllib.loads((source / "publishers.toml").read_text())["publisher"]
    for publisher in publishers:
        if publisher["account"] != OPERATORS_OWN:
            sys.exit(f"publishers.toml: a new server has no account {publisher['account']}; publish as {OPERATORS_OWN}")
    trusted = {publisher["name"] for publisher in publishers}
    taken = 0
    for plugin in sorted(source.glob("*/*")):
        versions = [folder for folder in plugin.iterdir() if number(folder.name) and (folder / "plugin.sig").is_file()]
        if not plugin.is_dir() or not versions:
            continue
        newest = max(versions, key=lambda folder: number(folder.name))
        signed_by = tomllib.loads((newest / "plugin.toml").read_text())["publisher"]
        if signed_by not in trusted:
            sys.exit(f"{newest.relative_to(source)} is signed by {signed_by}, whom publishers.toml does not name")
        shutil.copytree(newest, target / newest.relative_to(source))
        taken += 1
    if not taken:
        sys.exit(f"no published plugins in {source}; `make build` publishes them")
    shutil.copy(source / "publishers.toml", target / "publishers.toml")
    print(f"{taken} plugins")


def config(defaults: str, values: dict[str, str]) -> str:
    """All keys with their comments, as comments; what a package needs is set."""
    lines, section = [HEADER], ""
    # The head of the defaults speaks of them, not of this file.
    body = defaults.split("\n\n", 1)[1].splitlines()
    missing = dict(values)
    for index, line in enumerate(body):
        if line.startswith("["):
            section = line.strip("[]")
        found = re.match(r"(?:# )?([a-z0-9_]+) = ", line)
        name = f"{section}.{found[1]}" if found else ""
        if name in missing:
            line = f"{found[1]} = {missing.pop(name)}"
        elif re.match(r"[a-z0-9_]+ = ", line):
            line = f"# {line}"
        lines.append(line)
        is_last = index + 1 == len(body) or body[index + 1] == ""
        if is_last and section:
            for name in [name for name in missing if name.rpartition(".")[0] == section]:
                lines.append(f"{name.rpartition('.')[2]} = {missing.pop(name)}")
    if missing:
        sys.exit(f"the defaults have no section for {', '.join(missing)}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    what, source, target, *rest = sys.argv[1:]
    if what == "registry":
        registry(Path(source), Path(target))
    else:
        values = {key: f'"{value}"' for key, value in (pair.split("=", 1) for pair in rest)}
        Path(target).write_text(config(Path(source).read_text(), values))
