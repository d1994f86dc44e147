#!/usr/bin/env python3
"""Measures how often each agent is right, refuses, or is wrong on the tasks of `tests/quality/agents`.

usage: quality_agents.py path/to/tollbridge path/to/plugin-registry [--set blind|blind2|frozen|held|work] [--agent NAME]...
                         [--config FILE --model ID | --scripted FILE] [--data FOLDER] [--show] [--json FILE]

Serves the registry and runs `tollbridge inference qualify` on the tasks. `--config` is a file with additional server
settings, such as a model provider. `--scripted` starts a provider that answers from a script (`scripted_provider.py`):
this does not measure a model, but shows that agents ask one, check its answer and compute.
"""

import argparse
import contextlib
import json
import pathlib
import tempfile
import time
import urllib.request

import scripted_provider
from benching import run, tollbridge

ROOT = pathlib.Path(__file__).resolve().parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("registry", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--set", choices=("blind", "blind2", "frozen", "held", "work"), default="frozen")
    parser.add_argument("--agent", action="append", default=[])
    parser.add_argument("--tasks", type=pathlib.Path, default=ROOT / "tests/quality/agents")
    provider = parser.add_mutually_exclusive_group()
    provider.add_argument("--config", type=pathlib.Path)
    provider.add_argument("--scripted", type=pathlib.Path)
    parser.add_argument("--model")
    parser.add_argument("--data", type=lambda text: pathlib.Path(text).resolve(),
                        help="keep the server's data here: the next run compiles nothing")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


def wait_until_live(base, headers, command, folder):
    """Waits until all plugins are loaded, and approves versions that wait because they request new grants."""
    for _ in range(600):
        for plugin in json.loads(run(*command, "--json", "plugin", "list", cwd=folder))["plugins"]:
            if plugin["waiting"]:
                run(*command, "plugin", "approve", plugin["plugin"], cwd=folder)
        lists = [json.load(urllib.request.urlopen(urllib.request.Request(base + path, headers=headers)))
                 for path in ("/api/v1/bridges", "/api/v1/agents")]
        plugins = lists[0]["bridges"] + lists[1]["agents"]
        waiting = [one for one in plugins if one["status"] == "unavailable" and "being loaded" in (one.get("reason") or "")]
        if len(lists[1]["agents"]) >= 17 and not waiting:
            return
        time.sleep(0.5)
    raise SystemExit("the plugins are not live after five minutes")


def main():
    options = arguments()
    script = scripted_provider.serving(options.scripted) if options.scripted else contextlib.nullcontext()
    with tempfile.TemporaryDirectory() as name, script as provider:
        settings = scripted_provider.settings(provider) if provider else ""
        settings = options.config.read_text() if options.config else settings
        model = scripted_provider.MODEL if provider else options.model
        folder = options.data or pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        base, server, headers = tollbridge(options.binary, options.registry, folder, settings)
        command = [options.binary, "-q", "--config", folder / "tollbridge.toml"]
        try:
            wait_until_live(base, headers, command, folder)
            arguments_ = ["--tasks", options.tasks.resolve() / "*" / f"{options.set}.jsonl"]
            arguments_ += ["--model", model] if model else []
            arguments_ += ["--show"] if options.show else []
            arguments_ += [part for agent in options.agent for part in ("--agent", agent)]
            output = ["--json"] if options.json else []
            text = run(*command, *output, "inference", "qualify", *arguments_, cwd=folder)
        finally:
            server.terminate()
            server.wait()
    if options.json:
        options.json.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
