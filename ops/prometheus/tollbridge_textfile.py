#!/usr/bin/env python3
"""What the server does not export itself, or not while it is down, for the textfile collector of node_exporter.

usage: tollbridge_textfile.py FOLDER [--books] [--config FILE] [--tollbridge PROGRAM]

Writes FOLDER/tollbridge.prom: withdrawals that are open. With `--books` FOLDER/tollbridge_books.prom instead: balances of
the ledger, and disputes that are not in the books. The first takes milliseconds and is for every five minutes. The other
reads the whole ledger, asks the processor for its books of a day and books fees (`tollbridge payment reconcile`), so it
is for once an hour or once a day. Run it as the user of the server, who may read the data folder, for example by cron:

    */5 * * * *  tollbridge  tollbridge_textfile.py /var/lib/prometheus/node-exporter --config /etc/tollbridge/tollbridge.toml
    17 * * * *   tollbridge  tollbridge_textfile.py /var/lib/prometheus/node-exporter --books --config /etc/tollbridge/tollbridge.toml

The folder must be writable for that user. A file that cannot be written anew stays as it is, and its time goes on to
say how old it is: alerts.yml has an alarm on that.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

# What the operator keeps, pays and owes; docs/ledger-format.md lists all accounts.
ACCOUNTS = ["platform", "treasury", "providers", "processor:clearing", "processor:fees", "wallet:clearing", "write_off"]
# The only refusal that is no failure: the sandbox has no processor to compare with.
SANDBOX = "the sandbox keeps no books"


class Failed(Exception):
    pass


def ask(program, *words):
    """The answer of a command as JSON."""
    done = subprocess.run([*program, "--json", *words], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise Failed(f"`tollbridge {' '.join(words)}`: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout)


def metric(name, kind, help_text, samples):
    lines = [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]
    return lines + [f"{name}{labels} {value}" for labels, value in samples]


def looked_up(what):
    return metric("tollbridge_textfile_timestamp_seconds", "gauge", "When this was looked up.",
                  [(f'{{what="{what}"}}', time.time())])


def withdrawals(program):
    """What waits for somebody."""
    rows = ask(program, "withdrawal", "list")["withdrawals"]
    oldest = min((row["created_ms"] for row in rows), default=None)
    lines = metric("tollbridge_withdrawals_open", "gauge", "Withdrawals that are not over.", [("", len(rows))])
    states = sorted({row["state"] for row in rows})
    lines += metric("tollbridge_withdrawals_open_by_state", "gauge", "Withdrawals that are not over, by state.",
                    [(f'{{state="{state}"}}', sum(row["state"] == state for row in rows)) for state in states])
    if oldest is not None:
        lines += metric("tollbridge_withdrawals_oldest_timestamp_seconds", "gauge",
                        "When the oldest open withdrawal was asked for.", [("", oldest / 1000)])
    return lines + looked_up("withdrawals")


def books(program):
    """Balances, of which what is owed to an account is positive; and disputes."""
    balances = [(f'{{account="{name}"}}', ask(program, "ledger", "statement", name)["balance_millipence"])
                for name in ACCOUNTS]
    lines = metric("tollbridge_ledger_balance_millipence", "gauge", "Balance of an account of the ledger.", balances)
    try:
        unbooked = ask(program, "payment", "reconcile", "--days", "1")["disputes_unbooked"]
    except Failed as refused:
        if SANDBOX not in str(refused):
            raise
        unbooked = []
    lines += metric("tollbridge_disputes_unbooked", "gauge", "Disputes that are not in the books.",
                    [("", len(unbooked))])
    return lines + looked_up("books")


def write(path, lines):
    """Whole or not at all: node_exporter may read at any moment."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text("\n".join(lines) + "\n", encoding="utf-8")
    draft.chmod(0o644)
    draft.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--books", action="store_true", help="balances and disputes instead; reads the whole ledger")
    parser.add_argument("--tollbridge", default="tollbridge", help="the program")
    parser.add_argument("--config", help="the configuration of the server; else TOLLBRIDGE_CONFIG")
    options = parser.parse_args()
    program = [options.tollbridge, *(["--config", options.config] if options.config else [])]
    try:
        if options.books:
            write(options.folder / "tollbridge_books.prom", books(program))
        else:
            write(options.folder / "tollbridge.prom", withdrawals(program))
    except (Failed, OSError, subprocess.TimeoutExpired) as failed:
        sys.exit(f"tollbridge_textfile.py: {failed}")


if __name__ == "__main__":
    main()
