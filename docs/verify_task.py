#!/usr/bin/env python3
"""Checks the proof of a task: the document of /v1/workforce/proof/{task_id}/public.

    verify_task.py FILE [--key HEX] [--output FILE]

Needs Python 3.9 or newer and the package `cryptography`; shares nothing with
the server. Prints what is proven and exits 0, or says what is wrong and exits
1. Without --key the key is the one that the document names: compare it with
the server's /.well-known/jwks.json.
"""

import argparse
import base64
import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

DOMAIN = "tollbridge task proof v1"


def check(proof, key, output):
    signed = base64.b64decode(proof["signed"], validate=True)
    public = bytes.fromhex(key or proof["public_key"])
    Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(proof["signature"]), signed)
    statement = json.loads(signed)
    if statement.get("domain") != DOMAIN:
        raise ValueError("the signature is not one of a task's proof")
    if statement != proof["statement"] or statement["task_id"] != proof["task_id"]:
        raise ValueError("the statement is not the one that was signed")
    if output is not None:
        # Enough for answers whose numbers are integers; RFC 8785 has the rest.
        text = json.dumps(json.loads(output), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        if hashlib.sha256(text.encode()).hexdigest() != statement["output_sha256"]:
            raise ValueError("the output is another")
    return statement


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--key", help="the public key that you trust, hex")
    parser.add_argument("--output", help="file with the JSON of the output")
    options = parser.parse_args()
    try:
        with open(options.file, encoding="utf-8") as file:
            proof = json.load(file)
        output = None
        if options.output:
            with open(options.output, encoding="utf-8") as file:
                output = file.read()
        statement = check(proof, options.key, output)
    except InvalidSignature:
        print("WRONG: the signature does not match", file=sys.stderr)
        return 1
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"WRONG: {error}", file=sys.stderr)
        return 1
    print(json.dumps(statement, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
