"""Common parts of the benchmark scripts: a Tollbridge server in a separate folder, and calls by `wrk`."""

import json
import os
import pathlib
import subprocess
import time
import urllib.error
import urllib.request

# Number of credits of £9,000 for the caller: a minute of the fastest paid calls uses up more than one.
CREDITS = 10
ROOT = pathlib.Path(__file__).resolve().parent.parent
CONFIG = """
[tiers.pro]
per_minute = 100000000
per_hour = 1000000000
"""


def question(bridge, case=None):
    """Returns the input of the named case, or of the first case that expects an output."""
    folder = ROOT / f"plugins/bridges/{bridge}/cases"
    for path in [folder / f"{case}.json"] if case else sorted(folder.glob("*.json")):
        read = json.loads(path.read_text())
        if "error" not in read:
            return read["input"]
    raise SystemExit(f"{folder} has no case with an answer")


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, text=True, capture_output=True, **options).stdout


def tollbridge(binary, registry, folder, settings=""):
    """Starts a server with additional settings; returns its address, its process, and the headers of a caller with credit."""
    (folder / "tollbridge.toml").write_text(CONFIG + settings)
    command = [binary, "-q", "--config", folder / "tollbridge.toml"]
    serve = [*command, "serve", "--listen", "127.0.0.1:0", "--registry", registry]
    server = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder)
    base = server.stdout.readline().split()[1]
    made = json.loads(run(*command, "--json", "key", "create", cwd=folder))
    for _ in range(CREDITS):
        run(*command, "account", "credit", made["account_id"], "9000.00", cwd=folder)
    run(*command, "account", "tier", made["account_id"], "pro", cwd=folder)
    return base, server, {"authorization": f"Bearer {made['api_key']}", "x-payment-source": "credit"}


def answers(base, path, body, headers):
    """Repeats a request until it is answered with 200; returns False if it is 404 without a key."""
    request = urllib.request.Request(base + path, json.dumps(body).encode(), {"content-type": "application/json", **headers})
    for _ in range(300):
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status == 200
        except urllib.error.HTTPError as error:
            if error.code == 404 and not headers:
                return False
            if error.code not in (404, 503):
                raise SystemExit(f"{base}{path}: {error.code} {error.read().decode()}") from error
        except urllib.error.URLError:
            pass
        time.sleep(0.2)
    raise SystemExit(f"{base}{path} does not answer")


def calls(base, path, body, headers, callers, seconds, folder, refused=False):
    """Sends as many calls as possible; returns their number and calls a second. With `refused`, 4xx answers count too."""
    script = folder / "post.lua"
    lines = ['wrk.method = "POST"', f"wrk.body = {json.dumps(json.dumps(body))}"]
    lines += [f"wrk.headers[{json.dumps(name)}] = {json.dumps(value)}"
              for name, value in {"content-type": "application/json", **headers}.items()]
    lines.append('function done(summary) io.write(string.format("%d %d %d\\n", summary.requests, summary.duration, '
                 f'{"0" if refused else "summary.errors.status"} + summary.errors.read + summary.errors.timeout)) end')
    script.write_text("\n".join(lines))
    said = run("wrk", "-t1", f"-c{callers}", f"-d{seconds}s", "-s", script, base + path)
    requests, microseconds, errors = map(int, said.strip().splitlines()[-1].split())
    if errors:
        raise SystemExit(f"{base}{path}: {errors} of {requests} calls failed")
    return requests, requests * 1e6 / microseconds


def processor_seconds(process):
    """Returns the processor time of a process so far, user plus system."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
