#!/usr/bin/env python3
"""Makes the set for secrets: generated tokens in generated files, and published code that holds none.

usage: make_secrets.py FOLDER

Tokens are made from the patterns of two other tools, so that neither formats nor names are our own choice:
`tune` from CredSweeper (MIT; its rules of confidence strong that name a provider), `test` from detect-secrets
(Apache-2.0; the denylist of each of its plugins, and the names of its keyword plugin). They are random, by a fixed seed;
none was ever issued. Each stands in a small file in one of several notations.
Files without secrets: values that look like secrets and are none, and the code of well-known packages, all of which is
taken to hold no secret, so that a find in it is false. Packages are split by the SHA-256 of their names.

Everything is fetched in pinned versions; nothing of it is kept here. Needs pip and npm.
"""

import hashlib
import importlib
import json
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import zipfile

sys.dont_write_bytecode = True
TOOLS = ["credsweeper==1.19.5", "detect-secrets==1.5.0", "rstr==3.2.2", "pyyaml==6.0.3"]
PYTHON = ["flask==3.1.2", "requests==2.32.5", "click==8.3.0", "jinja2==3.1.6", "httpx==0.28.1", "pydantic==2.12.4",
          "boto3==1.40.70", "celery==5.5.3", "fastapi==0.121.1", "rich==14.2.0"]
JAVASCRIPT = ["express@5.1.0", "lodash@4.17.21", "axios@1.13.2", "commander@14.0.2", "pg@8.16.3", "jsonwebtoken@9.0.2",
              "vue@3.5.24", "fastify@5.6.2", "mongoose@8.19.3", "passport@0.7.0"]
TEXT = {".py", ".js", ".ts", ".mjs", ".cjs", ".json", ".md", ".txt", ".yml", ".yaml", ".toml", ".cfg", ".html", ".css", ".sh"}
PER_FORMAT = 6

# Where a value can stand: path and text with NAME and VALUE.
PLACES = [
    ("app.py", 'import os\n\nNAME = "VALUE"\nprint(NAME[:2])\n'),
    ("config.js", "module.exports = {\n  NAME: 'VALUE',\n  port: 8080,\n};\n"),
    ("config.yml", "service:\n  NAME: VALUE\n  replicas: 3\n"),
    (".env", "PORT=8080\nNAME=VALUE\n"),
    ("settings.json", '{\n  "NAME": "VALUE",\n  "debug": false\n}\n'),
    ("deploy.sh", '#!/bin/sh\nset -e\nexport NAME="VALUE"\n./run\n'),
    ("Main.java", 'class Main {\n  static final String NAME = "VALUE";\n}\n'),
    ("notes.md", "To try it, call the service with `VALUE`.\n"),
]
HARMLESS = {
    "checksum": lambda r: (r.choice(["sha256", "checksum", "commit", "etag", "digest"]), "%064x" % r.getrandbits(256)),
    "uuid": lambda r: (r.choice(["id", "request_id", "tenant"]), "%08x-%04x-4%03x-a%03x-%012x" % tuple(map(r.getrandbits, (32, 16, 12, 12, 48)))),
    "integrity": lambda r: ("integrity", "sha512-" + "".join(r.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", k=86)) + "=="),
    "reference": lambda r: (r.choice(["password", "api_key", "token"]), r.choice(["${DB_PASSWORD}", "{{ vault.token }}", "$(get-key)", "%(secret)s"])),
    "placeholder": lambda r: (r.choice(["password", "api_key", "secret"]), r.choice(["changeme", "your-api-key-here", "<token>", "xxxxxxxxxxxxxxxx", "REPLACE_ME", "********"])),
    "name of a secret": lambda r: (r.choice(["secret_name", "token_url", "password_file", "key_path"]), r.choice(["prod-db-credentials", "https://auth.acme.io/oauth/token", "/run/secrets/db_password", "keys/service.pem"])),
    "message": lambda r: (r.choice(["password_error", "token_help", "secret_label"]), r.choice(["Passwords-must-have-12-characters", "Paste-the-token-from-your-profile", "Client-secret-(optional)"])),
    "public key": lambda r: ("ssh_public_key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + "".join(r.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", k=43))),
    "image": lambda r: ("icon", "data:image/png;base64,iVBORw0KGgo" + "".join(r.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", k=200))),
    "asset": lambda r: ("script", "/static/main.%08x.chunk.js" % r.getrandbits(32)),
}


def run(*command, **more):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **more).stdout


def short(pattern):
    """The pattern with long repetitions cut, so that a token has the length of a token."""
    bound = lambda m: "{%s,%d}" % (m[1], min(int(m[2]), int(m[1]) + 24))
    pattern = re.sub(r"\{(\d+),(\d+)\}", bound, pattern)
    pattern = re.sub(r"(?<!\\)([\])\w])\*", r"\1{0,8}", pattern)
    pattern = re.sub(r"(?<!\\)([\])\w])\+", r"\1{20,40}", pattern)
    return re.sub(r"\(\?(?:<?[!=])[^()]*\)", "", pattern)


def value_of(pattern):
    """What stands in the group `value` of a rule, brackets counted."""
    at = pattern.index("(?P<value>") + len("(?P<value>")
    depth, end, inside, skip = 1, at, False, False
    while depth:
        sign = pattern[end]
        if skip:
            skip = False
        elif sign == "\\":
            skip = True
        elif inside or sign == "[":
            inside = sign != "]"
        else:
            depth += {"(": 1, ")": -1}.get(sign, 0)
        end += 1
    return pattern[at : end - 1]


# Strong rules of CredSweeper that are no format of a token: any UUID, any text in base 64 that begins like JSON or DER.
NO_TOKEN = {"UUID", "JSON Web Key", "BASE64 Private Key", "Grafana Provisioned API Key", "Basic Authorization", "NTLM Token",
            "JSON Web Token", "Azure Access Token", "Github App Installation Token", "BASE64 encoded PEM Private Key"}


def credsweeper(folder):
    import yaml

    for rule in yaml.safe_load((folder / "credsweeper/rules/config.yaml").read_text()):
        if rule["type"] == "pattern" and rule["confidence"] == "strong" and rule["name"] not in NO_TOKEN:
            for pattern in rule["values"]:
                # One with a group for what stands before is no whole token.
                if "(?P<value>" in pattern and "(?P<variable>" not in pattern:
                    yield rule["name"], value_of(pattern)


def detect_secrets():
    for module in sorted((pathlib.Path(importlib.import_module("detect_secrets.plugins").__file__).parent).glob("*.py")):
        if module.stem in ("__init__", "base", "high_entropy_strings", "keyword", "ip_public", "basic_auth", "private_key", "jwt"):
            continue
        plugin = importlib.import_module(f"detect_secrets.plugins.{module.stem}")
        for kind in vars(plugin).values():
            if isinstance(kind, type) and kind.__module__ == plugin.__name__ and getattr(kind, "denylist", None):
                for number, pattern in enumerate(kind.denylist):
                    yield f"{module.stem}/{number}", pattern.pattern


def jwt(r):
    import base64

    part = lambda value: base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
    signature = base64.urlsafe_b64encode(r.randbytes(32)).rstrip(b"=").decode()
    return f'{part({"alg": "HS256", "typ": "JWT"})}.{part({"sub": str(r.getrandbits(40)), "iat": 1700000000})}.{signature}'


def private_key(r):
    import base64

    kind = r.choice(["RSA ", "EC ", "", "OPENSSH ", "DSA "])
    body = base64.b64encode(r.randbytes(r.randrange(120, 900))).decode()
    lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----\n"


def password(r):
    letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!_.-"
    return "".join(r.choices(letters, k=r.randrange(10, 20)))


def item(split, kind, number, path, source, secret):
    return {"name": f"{split}/{kind}/{number}", "kind": kind, "split": split, "path": path, "source": source, "secret": secret}


def generated(split, formats, names, r):
    import rstr

    sys.modules["rstr.xeger"].STAR_PLUS_LIMIT = 400
    make = rstr.Rstr(r)
    for kind, pattern in formats:
        for number in range(PER_FORMAT):
            path, text = PLACES[number % len(PLACES)] if number else PLACES[-1]
            value = make.xeger(short(pattern)).replace("\n", " ").strip()
            yield item(split, kind, number, path, text.replace("NAME", "SERVICE_ACCESS").replace("VALUE", value), True)
    for kind, value in (("jwt", jwt), ("private key", private_key)):
        for number in range(PER_FORMAT * 2):
            path, text = ("key.pem", "VALUE") if value is private_key else PLACES[number % len(PLACES)]
            yield item(split, kind, number, path, text.replace("NAME", "value").replace("VALUE", value(r)), True)
    for name in names:
        for number, (path, text) in enumerate(PLACES[:-1]):
            yield item(split, "password", f"{name}/{number}", path, text.replace("NAME", name).replace("VALUE", password(r)), True)
    for number in range(PER_FORMAT * 2):
        address = f"postgresql://app:{password(r)}@db{number}.acme.io:5432/shop"
        path, text = PLACES[number % 7]
        yield item(split, "address", number, path, text.replace("NAME", "DATABASE_URL").replace("VALUE", address), True)
    for kind, value in HARMLESS.items():
        for number, (path, text) in enumerate(PLACES[:-1]):
            name, harmless = value(r)
            yield item(split, kind, number, path, text.replace("NAME", name).replace("VALUE", harmless), False)


def published(folder):
    for package in PYTHON + JAVASCRIPT:
        split = "tune" if hashlib.sha256(re.split("[=@]", package)[0].encode()).digest()[0] % 2 == 0 else "test"
        target = folder / "packages" / re.sub(r"[=@]+", "-", package)
        target.mkdir(parents=True, exist_ok=True)
        if "==" in package:
            run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "--python-version", "3.12", "-d", target, package)
        else:
            run("npm", "pack", "-s", package, cwd=target)
        archive = next(path for path in target.iterdir() if path.is_file())
        files = target / "files"
        if archive.suffix == ".whl":
            zipfile.ZipFile(archive).extractall(files)
        else:
            tarfile.open(archive).extractall(files, filter="data")
        for path in sorted(files.rglob("*")):
            if path.is_file() and path.suffix in TEXT and path.stat().st_size < 200_000:
                try:
                    yield item(split, package, path.name, str(path.relative_to(files)), path.read_text(), False)
                except UnicodeDecodeError:
                    continue


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    tools = folder / "tools"
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", tools, *TOOLS)
    sys.path.insert(0, str(tools))
    from detect_secrets.plugins.keyword import DENYLIST

    r = random.Random(20261122)
    names = ["db_password", "ADMIN_PASSWORD", "smtpPassword", "root_passwd", "api_key", "CLIENT_SECRET", "authToken"]
    items = list(generated("tune", list(credsweeper(tools)), names, r))
    keywords = [re.sub(r"\(\?:?|[)?]", "", word.replace("[_-]", "_")) for word in DENYLIST]
    items += generated("test", list(detect_secrets()), [word for word in keywords if re.fullmatch(r"[a-z_]+", word)], r)
    items += published(folder)
    (folder / "secrets.json").write_text(json.dumps(items, indent=1))
    for split in ("tune", "test"):
        part = [i for i in items if i["split"] == split]
        size = sum(len(i["source"]) for i in part if not i["secret"])
        print(f"{split}: {sum(i['secret'] for i in part)} secrets; without: {sum(not i['secret'] for i in part)} files, {size} characters")


if __name__ == "__main__":
    main()
