#!/usr/bin/env python3
"""Compares two builds of the server in alternating turns: calls a second, processor time per call, and their ratios.

usage: bench-pair.py FIRST SECOND path/to/plugin-registry [--bridge NAME] [--case NAME] [--free] [--callers N]
                     [--turns N] [--seconds N] [--second-config FILE]

Both servers run for the whole time, each with its own data folder. `wrk` calls one, then the other, and the order changes
with each turn, so that other load of the machine affects both equally. Calls are paid by credit and sealed; `--free`
calls a bridge without a price. If both are the same binary, the ratio shows the noise of the machine, or the cost of the
settings in `--second-config`, which only the second server gets.
"""

import argparse
import pathlib
import statistics
import tempfile

from benching import answers, calls, processor_seconds, question, tollbridge


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("first", "second", "registry"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--bridge", default="vat_number_check")
    parser.add_argument("--case", help="file of its cases, without .json; the first unless given")
    parser.add_argument("--free", action="store_true", help="the bridge has no price: send no key")
    parser.add_argument("--callers", type=int, default=64)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--second-config", type=pathlib.Path, help="settings that only the second one has")
    return parser.parse_args()


def turns(asked, options, folder):
    """Returns calls a second and microseconds of processor time per call, for each server and turn."""
    figures = [[], []]
    for number in range(options.turns):
        for place in (0, 1) if number % 2 == 0 else (1, 0):
            server, what = asked[place]
            before = processor_seconds(server)
            count, per_second = calls(*what, options.callers, options.seconds, folder)
            figures[place].append((per_second, (processor_seconds(server) - before) * 1e6 / count))
    return figures


def main():
    options = arguments()
    path, body = f"/v1/oracle/{options.bridge}", question(options.bridge, options.case)
    with tempfile.TemporaryDirectory() as name:
        asked = []
        try:
            for place, binary in enumerate((options.first, options.second)):
                folder = pathlib.Path(name) / str(place)
                folder.mkdir()
                settings = options.second_config.read_text() if place and options.second_config else ""
                base, server, headers = tollbridge(binary, options.registry, folder, settings)
                what = (base, path, body, {} if options.free else headers)
                asked.append((server, what))
                answers(*what)
            report(turns(asked, options, pathlib.Path(name)), options)
        finally:
            for server, _ in asked:
                server.terminate()


def report(figures, options):
    print(f"{options.bridge}, {'free' if options.free else 'paid'}, {options.callers} callers, {options.turns} turns of "
          f"{options.seconds} s each")
    for title, place in (("calls/s", 0), ("processor time, us/call", 1)):
        sides = [[turn[place] for turn in side] for side in figures]
        first, second = (statistics.median(side) for side in sides)
        ratios = [b / a for a, b in zip(*sides)]
        print(f"{title:24} {first:9.1f} {second:9.1f}   second : first {second / first:.3f} "
              f"(turn by turn {min(ratios):.3f} to {max(ratios):.3f}, median {statistics.median(ratios):.3f})")


if __name__ == "__main__":
    main()
