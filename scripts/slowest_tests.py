#!/usr/bin/env python3
"""Prints the slowest end-to-end tests of the last run.

usage: slowest_tests.py JUNIT [--limit SECONDS | --again SECONDS]

With --limit, fails if a test took longer. With --again, prints only a filter of
cargo-nextest that selects the tests that took longer; nothing if there are none.
"""

import argparse
import sys
import xml.etree.ElementTree as ElementTree

SHOWN = 20

parser = argparse.ArgumentParser()
parser.add_argument("junit")
parser.add_argument("--limit", type=float)
parser.add_argument("--again", type=float)
options = parser.parse_args()

cases = ElementTree.parse(options.junit).getroot().iter("testcase")
times = sorted(((float(case.get("time", 0)), case.get("name", "")) for case in cases), reverse=True)
if options.again is not None:
    print(" or ".join(f"test(={name})" for time, name in times if time > options.again), end="")
    sys.exit()
print(f"{len(times)} tests, {sum(time for time, _ in times):.0f} s; the {SHOWN} slowest:")
for time, name in times[:SHOWN]:
    print(f"{time:8.1f}  {name}")
slow = [name for time, name in times if options.limit is not None and time > options.limit]
if slow:
    sys.exit(f"over {options.limit:g} s: {', '.join(slow)}")
