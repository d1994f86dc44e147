#!/usr/bin/env python3
"""Sends the most common requests to an instrumented server, to train profile-guided optimisation: quotes, and calls paid
by credit, of small and large bridges, by one caller and by many.

usage: pgo_train.py path/to/tollbridge path/to/plugin-registry [--seconds N]
"""

import argparse
import pathlib
import tempfile

from benching import answers, calls, question, tollbridge

# Unlimited requests without a key.
UNLIMITED = "\n[tiers.free]\nper_minute = 100000000\nper_hour = 1000000000\n"
BRIDGES = ("vat_number_check", "tax_jar_lookup", "iban_validation", "token_count", "anomaly_detection", "validation")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tollbridge", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("registry", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seconds", type=int, default=5, help="for each kind of call")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        base, server, credit = tollbridge(options.tollbridge, options.registry, folder, UNLIMITED)
        try:
            for bridge in BRIDGES:
                path, body = f"/v1/oracle/{bridge}", question(bridge)
                answers(base, path, body, credit)
                # A request without a key gets a quote.
                for headers in (credit, {}):
                    for callers in (1, 64):
                        asked = (base, path, body, headers)
                        _, per_second = calls(*asked, callers, options.seconds, folder, refused=not headers)
                        print(f"{bridge}, {'paid' if headers else 'quoted'}, {callers} callers: {per_second:.0f}/s")
        finally:
            # The server writes its profile only on a normal exit, so it is not killed.
            server.terminate()
            if server.wait(120) != 0:
                raise SystemExit("the server did not drain")


main()
