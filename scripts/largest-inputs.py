#!/usr/bin/env python3
"""Times the bridges inside their components at the largest inputs that they accept, and compares the times with their limits.

usage: largest-inputs.py path/to/tollbridge [BRIDGE ...]

Each bridge whose work grows with its input gets the largest input that its schema allows, once with realistic text and
once with text made to be as slow as possible. Prints time, share of `limits.time_ms` and memory, the largest share last;
exits with 1 if a call fails or takes more than half of its time limit. Bridges with inputs of a few kilobytes
(iban_validation, tax_jar_lookup and the like) and bridges that wait for a model are left out, because their time does not
depend on the size of the input.
"""

import base64
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
R = random.Random(7)
MIB = 1 << 20
ROOM = MIB - 2_000
WORDS = (
    "the market of new service customer report price quality order because which were payment delay support great bad "
    "delivery forecast invoice account contract Berlin London London's happy angry not very value system machine data"
).split()


def prose(size):
    out, length = [], 0
    while length < size:
        sentence = " ".join(R.choices(WORDS, k=R.randrange(6, 20))).capitalize() + ". "
        out.append(sentence)
        length += len(sentence)
    return "".join(out)[:size]


def rare(size):
    """Returns words that are all different."""
    return "".join(f"{R.getrandbits(40):x}q ".translate(str.maketrans("0123456789", "ghijklmnop")) for _ in range(size // 9))[:size]


def python(size):
    out, number = [], 0
    while sum(map(len, out[-1:])) + number * 190 < size:
        number += 1
        name = R.choice(WORDS).strip("'s")
        out.append(
            f"def {name}_{number}(a, b={number}):\n    for item in range(a):\n        if item % {number % 9 + 2} == 0 and b:\n"
            f"            requests.get(url, verify=True)\n            data = subprocess.run([cmd, 'x{number}'])\n    return data\n\n"
        )
    return "".join(out)[:size]


def person():
    first = R.choice("Anna Peter Maria John Olga Ivan Chen Fatima Jose Karl".split())
    last = "".join(R.choices("abcdefghijklmnoprstuvw", k=R.randrange(4, 9))).capitalize()
    return first, last


def records(count):
    for number in range(count):
        first, last = person()
        yield {
            "id": str(number), "name": f"{first} {last}", "street": f"{R.randrange(200)} {R.choice(WORDS)} road",
            "city": R.choice(["London", "Leeds", "York"]), "born": f"19{R.randrange(30, 99)}-0{R.randrange(1, 9)}-1{R.randrange(9)}",
        }


def csv(rows, columns):
    lines = [",".join(f"c{c}" for c in range(columns))]
    lines += [",".join(R.choice([str(R.randrange(10**6)), R.choice(WORDS), "2026-01-02", f"{R.random():.4f}"]) for _ in range(columns)) for _ in range(rows)]
    return "\n".join(lines)


def captions(size):
    out, number = [], 0
    while number * 62 < size:
        number += 1
        at = lambda s: f"{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02},000"
        out.append(f"{number}\n{at(number * 3)} --> {at(number * 3 + 2)}\n{R.choice(WORDS)} <i>{R.choice(WORDS)}</i>\n\n")
    return "".join(out)[:size]


def series(count):
    return [round(100 + 10 * (n % 24 > 11) + R.gauss(0, 3) + n * 0.01, 3) for n in range(count)]


def html(size):
    row = "<tr><td>{}</td><td><a href='/p/{}?x=1'>{}</a></td></tr>"
    body = "".join(row.format(R.choice(WORDS), n, R.choice(WORDS)) for n in range(size // 80))
    return f"<html><body><article><p>{prose(20_000)}</p></article><table>{body}</table></body></html>"[:size]


def listed(count):
    for number in range(count):
        first, last = person()
        yield {"name": f"{first} {last}"}


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def card(size, kind):
    """Returns a card of this size with 16 invalid signatures and 16 keys, each of which must be tried for each signature."""
    # The base points of the two curves are valid public keys.
    keys = {
        "EdDSA": {"kty": "OKP", "crv": "Ed25519", "x": base64url(bytes([0x58] + [0x66] * 31))},
        "ES256": {
            "kty": "EC", "crv": "P-256",
            "x": base64url(bytes.fromhex("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")),
            "y": base64url(bytes.fromhex("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")),
        },
    }
    header = base64url(json.dumps({"alg": kind}).encode())
    signatures = [{"protected": header, "signature": base64url(R.randbytes(32) + bytes([7] * 31 + [0]))} for _ in range(16)]
    text = {"name": "a", "url": "https://example.org", "version": "1", "capabilities": {}, "defaultInputModes": [], "defaultOutputModes": [], "skills": []}
    return {"card": text | {"description": prose(size), "signatures": signatures}, "jwks": {"keys": [keys[kind]] * 16}}


def proof(size):
    """Returns a proof document with the longest possible path, and a record of the maximum size."""
    path = ["%064x" % R.getrandbits(256) for _ in range(size // 70)]
    return {"document": {"inclusion": {"path": path}}, "record": json.dumps({"kind": "route", "body": prose(size)}), "request": prose(size), "answer": prose(size)}


def inputs():
    """Yields the bridge, a description of the input, and the input."""
    yield "code_metrics", "1 MiB of Python", {"source": python(ROOM * 9 // 10), "language": "python"}
    yield "code_metrics", "repeated lines", {"source": "x = a + b\n" * 45_000, "language": "python"}
    yield "code_metrics", "brackets", {"source": "f(" * 140_000, "language": "javascript"}
    subjects = [{"name": " ".join(person() + person() + person())} for _ in range(20)]
    yield "sanctions_screen", "1 MiB of names, 20 subjects", {"list": list(listed(24_000)), "subjects": [{"name": " ".join(person())} for _ in range(20)]}
    yield "sanctions_screen", "long names", {"list": [{"name": " ".join(sum((person() for _ in range(16)), ()))} for _ in range(3_500)], "subjects": subjects[:3]}
    people = list(records(5_000))
    yield "entity_match", "5,000 records", {"records": people}
    yield "entity_match", "5,000 alike", {"records": [{"id": str(n), "name": "Anna Smith", "city": "London"} for n in range(5_000)]}
    yield "entity_match", "2,500 against 2,500", {"records": people[:2_500], "against": people[2_500:], "one_to_one": True}
    yield "forecast", "10,000 points", {"values": series(10_000)}
    yield "forecast", "10,000 points, cycle of 400", {"values": series(10_000), "period": 400, "horizon": 400}
    yield "anomaly_detection", "20,000 points", {"values": series(20_000)}
    yield "anomaly_detection", "20,000 points, ESD for 2,000", {"values": series(20_000), "method": "generalized_esd", "max_anomalies": 2_000}
    labels = [{"name": f"l{n}", "examples": [prose(1_000), prose(900)]} for n in range(50)]
    yield "classification", "200 texts, 50 labels", {"texts": [prose(950) for _ in range(200)], "labels": labels}
    yield "classification", "all words differ", {"texts": [rare(950) for _ in range(200)], "labels": [{"name": f"l{n}", "examples": [rare(1_000), rare(900)]} for n in range(50)]}
    yield "data_profile", "1 MiB of CSV", {"data": csv(14_000, 12)[: ROOM * 9 // 10]}
    yield "data_profile", "200 columns", {"data": csv(800, 200)[: ROOM * 9 // 10]}
    yield "data_profile", "one column", {"data": "a\n" + "\n".join(str(n) for n in range(99_000))}
    yield "html_extraction", "a table of 1 MiB", {"html": html(ROOM * 9 // 10)}
    yield "html_extraction", "deep tags", {"html": ("<div>" * 200 + "<a href=x>" + "</div>" * 200) * 240}
    yield "html_extraction", "text", {"html": "<p>" + prose(900_000)}
    yield "keyword_extraction", "200,000 bytes", {"text": prose(200_000), "max_phrases": 100, "max_words": 4}
    yield "keyword_extraction", "all words differ", {"text": rare(200_000), "max_phrases": 100, "max_words": 4}
    yield "language_detection", "500,000 bytes", {"text": prose(500_000)}
    yield "language_detection", "1,000 texts", {"texts": [prose(490) for _ in range(1_000)]}
    yield "pii_redaction", "100,000 bytes", {"text": prose(60_000) + " ".join(f"a{n}@b.org +44 20 7946 {n % 9000 + 1000} 4111 1111 1111 1111" for n in range(700))[:40_000]}
    yield "pii_redaction", "digits", {"text": "4111 1111 1111 " * 6_600}
    yield "prompt_template", "65,536 bytes", {"template": prose(65_000)}
    yield "prompt_template", "members", {"template": "{{ a.b }} {% for x in y %}" * 2_400}
    yield "security_scan", "1 MiB of Python", {"source": python(ROOM * 9 // 10), "path": "a.py"}
    yield "security_scan", "calls in JavaScript", {"source": "const x = require('fs'); x.readFile(a + b, {shell: true});\n" * 15_000, "path": "a.js"}
    yield "security_scan", "SQL strings", {"source": "q = \"select a from b where c = \" + d; password = 'Ab1!Ab1!'\n" * 16_000, "path": "a.py"}
    yield "security_scan", "brackets", {"source": "a(" * 500_000, "path": "a.py"}
    yield "sentiment_feed", "1,000 items", {"items": [prose(499) for _ in range(1_000)]}
    yield "summarization", "1,500 sentences", {"text": " ".join(prose(320).replace(". ", ", ")[:-2] + "." for _ in range(1_490)), "max_sentences": 100}
    yield "summarization", "all words differ", {"text": " ".join(rare(320).strip().capitalize() + "." for _ in range(1_490)), "max_sentences": 100}
    yield "token_count", "1 MiB", {"text": prose(ROOM), "models": ["gpt-4o"]}
    yield "token_count", "one run of letters", {"text": "a" * ROOM, "models": ["gpt-4o"]}
    yield "token_count", "random letters", {"text": "".join(R.choices("abcdefghijklmnopqrstuvwxyz", k=ROOM)), "models": ["gpt-4o"]}
    yield "validation", "190,000 values", {"output": [[n] for n in range(90_000)], "schema": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer", "minimum": 0}}]}}}
    yield "validation", "unique items", {"output": [R.getrandbits(30) for _ in range(85_000)], "schema": {"uniqueItems": True}}
    yield "validation", "patterns", {"output": prose(300_000), "schema": {"allOf": [{"pattern": f"(a|b|c|d)*{n}x$"} for n in range(150)]}}
    yield "media_probe", "1 MiB of captions", {"captions": captions(900_000), "caption_format": "srt"}
    yield "price_optimization", "5,000 periods", {"history": [{"price": 10 + n % 37 / 10, "quantity": 500 - n % 37 * 8 + R.randrange(20)} for n in range(5_000)], "unit_cost": 5, "scenarios": 50, "constraints": {"price_step": 0.01}}
    events = [{"type": "page_view", "at": "2025-12-01T00:00:00Z"} for _ in range(1_000)]
    yield "lead_score", "1,000 events", {"lead": {"name": "Ann", "title": "CTO"}, "profile": {"titles": [f"t{n} of x" for n in range(200)]}, "events": events}
    for kind in ("EdDSA", "ES256"):
        yield "agent_card_verify", f"16 signatures, 16 keys, {kind}", card(250_000, kind)
    yield "proof_of_work", "four texts of 250 kB", proof(250_000)
    references = [f"Smith, J., {person()[1]}, A. (201{n % 10}). {prose(330)} Journal, {n}(3), 1-9. https://doi.org/10.1000/x{n}" for n in range(100)]
    yield "citation_check", "100 references", {"references": references, "style": "apa"}


def timed(tollbridge, bridge, value):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(value, file)
        file.flush()
        size = file.tell()
        command = [tollbridge, "plugin", "call", str(ROOT / "plugins/bridges" / bridge), f"@{file.name}"]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    took = re.search(r"took ([\d.]+)(µs|ms|s), (\d+) KiB", done.stderr)
    if done.returncode or not took:
        return size, None, 0, (done.stderr.strip().splitlines() or ["no answer"])[-1][:200]
    return size, float(took[1]) * {"µs": 1e-3, "ms": 1, "s": 1e3}[took[2]], int(took[3]), ""


def main():
    tollbridge, wanted = sys.argv[1], sys.argv[2:]
    rows, failed = [], False
    for bridge, what, value in inputs():
        if wanted and bridge not in wanted:
            continue
        deadline = tomllib.loads((ROOT / "plugins/bridges" / bridge / "plugin.toml").read_text())["limits"]["time_ms"]
        size, took, memory, error = timed(tollbridge, bridge, value)
        failed |= took is None or took > deadline / 2
        rows.append((took / deadline if took is not None else 9, bridge, what, size, took, deadline, memory, error))
        print(f"{bridge}: {what}, {size:,} bytes: {error or f'{took:.0f} ms of {deadline}'}", file=sys.stderr)
    print(f"{'bridge':20} {'input':32} {'kB':>6} {'ms':>7} {'of':>6} {'share':>6} {'MiB':>5}")
    for share, bridge, what, size, took, deadline, memory, error in sorted(rows):
        print(f"{bridge:20} {what:32} {size / 1e3:6.0f} {took or 0:7.0f} {deadline:6} {share:6.0%} {memory / 1024:5.1f} {error}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
