#!/usr/bin/env python3
"""Measures how often each agent is right, refuses, or is wrong on the tasks of `tests/quality/agents`.

usage: quality_agents.py path/to/tollbridge path/to/plugin-registry [--set blind|frozen|held|work] [--agent ID]... [--tasks FOLDER]
                         [--config FILE | --scripted] [--data FOLDER] [--show] [--json FILE]

Serves the registry and sends each task unchanged, paid by credit. An answer is *right* if it states all expected
facts; a refusal (nothing charged) is right if the task has no answer. Other refusals are *refused*, and other answers
*wrong*. `--config` is a file with additional server settings, such as a model provider; `--show` prints each task
that is not right. Fails if a refusal was charged.

`--scripted` sends the tasks of `scripted.jsonl` instead, which the agents' rules cannot read, with a provider that answers from a script
(`scripted_provider.py`). This does not measure a model: it shows that agents ask one, check its answer and compute. Fails
if a task is not answered correctly, or no model was asked for it.
"""

import argparse
import concurrent.futures
import contextlib
import json
import pathlib
import tempfile
import time
import urllib.error
import urllib.request

import agent_facts
import scripted_provider
from benching import run, tollbridge

ROOT = pathlib.Path(__file__).resolve().parent.parent
AT_ONCE = 4


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("registry", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--set", choices=("blind", "frozen", "held", "work"), default="frozen")
    parser.add_argument("--agent", action="append", choices=sorted(agent_facts.AGENTS))
    parser.add_argument("--tasks", type=pathlib.Path, default=ROOT / "tests/quality/agents")
    provider = parser.add_mutually_exclusive_group()
    provider.add_argument("--config", type=pathlib.Path)
    provider.add_argument("--scripted", action="store_true")
    parser.add_argument("--data", type=lambda text: pathlib.Path(text).resolve(),
                        help="keep the server's data here: the next run compiles nothing")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


def post(base, path, body, headers):
    request = urllib.request.Request(base + path, json.dumps(body).encode(), {"content-type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def credit(base, headers):
    with urllib.request.urlopen(urllib.request.Request(f"{base}/v1/balance", headers=headers)) as answer:
        return round(float(json.load(answer)["credit_gbp"].lstrip("£").replace(",", "")) * 100)


def wait_until_live(base, headers, agents):
    """Waits until all plugins are loaded, bridges and agents."""
    for _ in range(600):
        with urllib.request.urlopen(urllib.request.Request(f"{base}/api/v1/bridges", headers=headers)) as answer:
            waiting = [bridge for bridge in json.load(answer)["bridges"] if bridge["status"] not in ("live", "unavailable")]
        statuses = [post(base, f"/v1/agents/{agent.replace(':', '-')}/invoke", {"task": ""}, headers)[0]
                    for agent in agents]
        if not waiting and 404 not in statuses:
            return
        time.sleep(0.5)
    raise SystemExit("the plugins are not live after five minutes")


def approve(binary, folder):
    """Approves versions that wait because they request new grants, so that the newest versions are measured."""
    command = [binary, "-q", "--config", folder / "tollbridge.toml"]
    for _ in range(600):
        plugins = json.loads(run(*command, "--json", "plugin", "list", cwd=folder))["plugins"]
        waiting = [plugin["plugin"] for plugin in plugins if plugin["waiting"]]
        if not waiting:
            return
        for plugin in waiting:
            run(*command, "plugin", "approve", plugin, cwd=folder)
        time.sleep(0.5)
    raise SystemExit(f"still held back after five minutes: {waiting}")


def said(task):
    """Returns the text of a task, followed by its files."""
    files = "".join(f"\n\n{file['name']}:\n{file['text']}" for file in task.get("files") or [])
    return task["say"] + files


def tried(base, headers, agent, task):
    """Returns the outcome of a task and the reason."""
    status, reply = post(base, f"/v1/agents/{agent.replace(':', '-')}/invoke", {"task": said(task)}, headers)
    if status != 200 or reply.get("status") != "completed":
        error = reply.get("error") or reply
        why = f"{status} {error.get('code', '') if isinstance(error, dict) else ''} {str(error)[:300]}"
        return {"counts": "right" if task["needs"] == "ask" else "refused", "refusal": True, "why": why}
    answer = reply["output"]
    why = agent_facts.wrong(agent, answer, task["expect"])
    outcome = {"counts": "wrong" if why else "right", "refusal": False, "why": why}
    if isinstance(answer.get("confidence"), (int, float)):
        outcome["confidence"] = answer["confidence"]
    return outcome


def main():
    options = arguments()
    if options.scripted:
        options.set = "scripted"
    agents = options.agent or [agent for agent in sorted(agent_facts.AGENTS) if not options.scripted or tasks_of(agent, options)]
    script = scripted_provider.serving(options.tasks / "scripted.jsonl") if options.scripted else contextlib.nullcontext()
    with tempfile.TemporaryDirectory() as name, script as provider:
        if provider:
            settings = scripted_provider.settings(provider)
        else:
            settings = options.config.read_text() if options.config else ""
        folder = options.data or pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        base, server, headers = tollbridge(options.binary, options.registry, folder, settings)
        try:
            wait_until_live(base, headers, agents)
            approve(options.binary, folder)
            report = {agent: measured(base, headers, agent, options) for agent in agents}
        finally:
            server.terminate()
            server.wait()
    if options.json:
        options.json.write_text(json.dumps(report, indent=1, ensure_ascii=False))
    if provider:
        check_scripted(report, provider)


def check_scripted(report, provider):
    if any(outcome["counts"] != "right" for outcomes in report.values() for outcome in outcomes):
        raise SystemExit("a scripted task was not answered as its model's words say; --show tells which")
    for task in scripted_provider.unasked(provider, report):
        raise SystemExit(f"no model was asked: the rules answer this alone, or no task sends it: {task!r}")


def tasks_of(agent, options):
    path = options.tasks / agent.replace(":", "-") / f"{options.set}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def measured(base, headers, agent, options):
    """Sends an agent's tasks and prints its row of the table."""
    tasks = tasks_of(agent, options)
    before = credit(base, headers)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = list(pool.map(lambda task: tried(base, headers, agent, task), tasks))
    charged = before - credit(base, headers)
    answered = sum(not outcome["refusal"] for outcome in outcomes)
    if answered == 0 and charged or answered and charged % answered:
        raise SystemExit(f"{agent}: {charged} p were charged for {answered} answers")
    row(agent, tasks, outcomes)
    if options.show:
        for task, outcome in zip(tasks, outcomes):
            if outcome["counts"] != "right":
                print(f"  {task['id']} {task['needs']} {outcome['counts']}: {outcome['why']}\n    {task['say'][:300]!r}")
    return [{"id": task["id"], "needs": task["needs"], **outcome} for task, outcome in zip(tasks, outcomes)]


def row(agent, tasks, outcomes):
    counts = {kind: {name: 0 for name in ("right", "refused", "wrong")} for kind in ("rules", "model", "ask")}
    for task, outcome in zip(tasks, outcomes):
        counts[task["needs"]][outcome["counts"]] += 1
    answered = [outcome for outcome in outcomes if not outcome["refusal"]]
    wrong = sum(outcome["counts"] == "wrong" for outcome in answered)
    cells = " | ".join("{right} / {refused} / {wrong}".format(**counts[kind]) for kind in ("rules", "model", "ask"))
    rules = sum(counts["rules"].values())
    sure = [outcome for outcome in answered if outcome.get("confidence", 0) >= 0.8]
    held = sum(outcome["counts"] == "right" for outcome in sure)
    print(f"| {agent} | {len(tasks)} | {cells} | {share(counts['rules']['right'], rules)} | {share(wrong, len(answered))} | "
          f"{share(held, len(sure))} |", flush=True)


def share(part, whole):
    return f"{part / whole:.0%} of {whole}" if whole else "-"


if __name__ == "__main__":
    print("| agent | tasks | rules: right / refused / wrong | model | ask | right of rules | wrong of answered | "
          "right where sure |\n|---|---|---|---|---|---|---|---|", flush=True)
    main()
