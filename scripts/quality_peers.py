#!/usr/bin/env python3
"""Measures how far bridges agree with well-known packages, on the packages' test data and on data derived from it.

usage: quality_peers.py path/to/tollbridge path/to/plugin-registry [--bridge NAME]... [--show N]

Installs the packages into a virtual environment under target/ and their sources beside it, serves the registry, and gives
the bridge and the package the same inputs. Prints how many answers agree or are right, and the first N disagreements of
each kind; docs/bridges.md states which side is right in them. Needs pip, cargo (for html_extraction), and the network on
the first run.
"""

import argparse
import pathlib
import sys
import tempfile

from benching import answers, tollbridge
from peers import (citations, code, entities, forecasts, languages, mail, news, numbers, pages, personal, schemas,
                   secrets, tokens, tools)

# For each bridge: the function that measures it, the packages and the package sources that it needs, and a valid input.
BRIDGES = {
    "iban_validation": (numbers.ibans, numbers, {"iban": "GB29NWBK60161331926819"}),
    "vat_number_check": (numbers.vat_numbers, numbers, {"vat_number": "DE136695976"}),
    "email_verification": (mail.addresses, mail, {"email": "a@example.org"}),
    "language_detection": (languages.languages, languages, {"text": "hello"}),
    "validation": (schemas.suite, schemas, {"output": 1, "schema": {"type": "integer"}}),
    "token_count": (tokens.texts, tokens, {"text": "hello"}),
    "html_extraction": (pages.articles, pages, {"html": "<p>hello"}),
    "pii_redaction": (personal.texts, personal, {"text": "hello"}),
    "security_scan": (secrets.files, secrets, {"source": "a = 1", "language": "python"}),
    "citation_check": (citations.compare, citations, citations.PROBE),
    "code_metrics": (code.compare, code, code.PROBE),
    "entity_match": (entities.compare, entities, entities.PROBE),
    "forecast": (forecasts.compare, forecasts, forecasts.PROBE),
    "sentiment_feed": (news.compare, news, news.PROBE),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("registry", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--bridge", action="append", choices=sorted(BRIDGES))
    parser.add_argument("--show", type=int, default=60)
    options = parser.parse_args()
    wanted = options.bridge or list(BRIDGES)
    modules = {BRIDGES[bridge][1] for bridge in wanted}
    tools.ready(__file__, sorted(package for module in modules for package in module.PACKAGES),
                sorted(source for module in modules for source in module.SOURCES))
    with tempfile.TemporaryDirectory() as name:
        base, server, headers = tollbridge(options.binary, options.registry, pathlib.Path(name))
        try:
            for bridge in wanted:
                measure, _, probe = BRIDGES[bridge]
                answers(base, f"/v1/oracle/{bridge}", probe, headers)
                measure(lambda name, body: tools.asked(base, headers, name, body), options.show)
                sys.stdout.flush()
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
