"""Whether rules and dashboard of ops/ work: a real server under calls, behind a real Caddy, scraped by a real Prometheus
with a real node_exporter. Every expression must evaluate, every panel must show something or be known to be empty, and
what was brought about must raise its alarm.

usage: monitoring.py path/to/tollbridge path/to/registry
"""

import contextlib
import json
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPS = ROOT / "ops"
sys.path.insert(0, str(ROOT / "scripts"))
import scripted_provider  # noqa: E402

LIMITS = "".join(f"[tiers.{tier}]\nper_minute = 1000000\nper_hour = 100000000\n" for tier in ("free", "enterprise"))
# Connections that one address may have.
CONNECTIONS = 16
# A provider that is not there.
GONE = """[inference.providers.gone]
base_url = "http://127.0.0.1:{port}/v1"
models = [{{ id = "gone", input_usd_per_mtok = 0, output_usd_per_mtok = 0 }}]
"""
# Panels that may be empty here, each with its reason.
EMPTY = {
    "Collisions between hosts": "the ledger is in files of one host",
    "HTTP/2 streams that nobody reads": "every client here reads",
    "Attempts to book a dispute that failed": "the sandbox has no disputes",
    "Streams that broke or were left": "no stream is asked for",
    "Deliveries of webhooks": "there is no webhook",
    "Events left out": "there is no webhook",
    "Days until a disk is full": "nothing may grow in a minute",
    "Age of the last backup": "none is made",
}
# What is brought about below raises these, without a wait of their own.
FIRING = {"TollbridgePayoutBlocked", "TollbridgeConnectionsRefused"}
# And these after a wait.
PENDING = {"TollbridgePluginFails", "TollbridgeHttp5xx", "TollbridgeProviderFails", "TollbridgeBreakerOpen"}


def free_ports(number):
    """Ports that nobody has; all are taken at once, so that they differ."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def ask(url, body=None, headers=None):
    """Status and text of an answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def wait_for(what, seconds, look):
    """Waits until something is there."""
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError, ValueError):
            if found := look():
                return found
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s in vain for {what}")
        time.sleep(0.3)


@contextlib.contextmanager
def running(folder, name, command, **options):
    with open(folder / f"{name}.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, **options)
        try:
            yield process
        except BaseException:
            print(f"--- the log of {name} ends", (folder / f"{name}.log").read_text(encoding="utf-8")[-1000:], file=sys.stderr)
            raise
        finally:
            process.terminate()
            process.wait(90)


def prometheus_settings(text, ports):
    """The example of ops/ with the ports of here, at a faster pace."""
    for theirs, name in (("8403", "admin"), ("9100", "node"), ("2019", "caddy")):
        assert f'"127.0.0.1:{theirs}"' in text, theirs
        text = text.replace(f'"127.0.0.1:{theirs}"', f'"127.0.0.1:{ports[name]}"')
    text = re.sub(r"(?s)alerting:\n.*?\n\n", "", text)
    assert text.count(": 15s") == 2
    return text.replace(": 15s", ": 1s")


def bring_about(tollbridge, base, proxy, key, refusing):
    """Calls, refusals and money: something for every panel."""
    bearer = {"authorization": f"Bearer {key}"}
    credit = {**bearer, "x-payment-source": "credit"}
    for number in range(40):
        if number % 10 == 0:
            # A scrape between: the first value of a counter is no increase.
            time.sleep(2.5)
        assert ask(f"{proxy}/v1/oracle/tax_jar_lookup", {"resource_id": "GB"}, credit)[0] == 200
        assert ask(f"{proxy}/v1/oracle/tax_jar_lookup", {"resource_id": "GB"})[0] == 402
        assert ask(f"{proxy}/v1/oracle/tax_jar_lookup", {"resource": "GB"}, credit)[0] == 400
        assert ask(f"{proxy}/down/")[0] == 502
        # A provider that is not there.
        failed, text = ask(f"{proxy}/v1/oracle/model_inference", {"prompt": "Hello", "model": "gone"}, credit)
        assert failed >= 500, (failed, text)
    chat = {"model": scripted_provider.MODEL, "messages": [{"role": "user", "content": "Hello"}]}
    status, text = ask(f"{base}/v1/chat/completions", chat, bearer)
    assert status == 200, text
    # A payout that a rule stops.
    tollbridge("earn", "budget", "add", "50.00")
    for number in range(7):
        tollbridge("earn", "task", "add", f"t-{number}", "--description", "any", "--bridge", "validation",
                   "--with", '{"schema":{"type":"object"}}')
        status, text = ask(f"{base}/v1/earn/1", {"task": f"t-{number}", "result": {"a": 1}}, bearer)
        assert status == 200, text
    state = redirect(f"{base}/account/connect", bearer).split("state=")[1]
    assert ask(f"{base}/account/connect/callback?state={state}&code=ac_test_ok", headers=bearer)[0] == 200
    status, text = ask(f"{base}/v1/withdraw", {}, bearer)
    assert status == 403 and "E022" in text, text
    # More connections than one address may have, each in the middle of a request.
    host, port = refusing
    with contextlib.ExitStack() as stack:
        for number in range(CONNECTIONS + 10):
            if number == CONNECTIONS:
                # The server has to see that none of them rests.
                time.sleep(2)
            one = stack.enter_context(socket.create_connection((host, port)))
            with contextlib.suppress(OSError):
                one.sendall(f"POST /v1/oracle/tax_jar_lookup HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\n"
                            "x-payment-source: credit\r\ncontent-length: 20\r\n\r\n{".encode())
        time.sleep(2)


def redirect(url, headers):
    """Where an answer leads to."""
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None
    try:
        urllib.request.build_opener(Stay).open(urllib.request.Request(url, headers=headers), timeout=30)
    except urllib.error.HTTPError as answer:
        return answer.headers["location"]
    sys.exit(f"{url} leads nowhere")


class Prometheus:
    def __init__(self, base):
        self.base = base

    def get(self, path, **query):
        status, text = ask(f"{self.base}/api/v1/{path}?{urllib.parse.urlencode(query)}")
        answer = json.loads(text)
        assert status == 200 and answer["status"] == "success", (path, query, text)
        assert not answer.get("warnings"), (query, answer["warnings"])
        return answer["data"]

    def query(self, expression):
        return self.get("query", query=expression)["result"]

    def alerts(self):
        """Rules by name."""
        groups = self.get("rules", type="alert")["groups"]
        return {rule["name"]: rule for group in groups for rule in group["rules"]}


def panels(path):
    board = json.loads(path.read_text(encoding="utf-8"))
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*")


def check_rules(prometheus):
    rules = wait_for("all rules to be evaluated", 30, lambda: (
        found if (found := prometheus.alerts()) and all(rule["health"] != "unknown" for rule in found.values()) else None))
    broken = {name: rule["lastError"] for name, rule in rules.items() if rule["health"] != "ok"}
    assert not broken, broken
    for name, rule in rules.items():
        runbook = re.search(r"Runbook: (docs/runbooks/[a-z-]+\.md)$", rule["annotations"]["description"])
        assert runbook and (ROOT / runbook[1]).is_file(), f"{name} names no runbook that is there"
        # The parts alone, too: a sum over nothing is empty as well.
        prometheus.query(rule["query"])
    for name in sorted(FIRING):
        wait_for(f"{name} to fire", 30, lambda name=name: prometheus.alerts()[name]["state"] == "firing")
    for name in sorted(PENDING):
        wait_for(f"{name} to wait", 30, lambda name=name: prometheus.alerts()[name]["state"] != "inactive")
    busy = {name for name, rule in prometheus.alerts().items() if rule["state"] != "inactive"}
    # A machine that tests are run on may be short of disk.
    surplus = {name for name in busy - FIRING - PENDING if "Disk" not in name}
    assert not surplus, f"raised by nothing that was done: {surplus}"
    print(f"{len(rules)} rules evaluate; {len(FIRING)} fire and {len(PENDING)} wait, as they should")


def check_panels(prometheus):
    shown, empty = set(), set()
    for title, expression in panels(OPS / "grafana" / "dashboard.json"):
        (shown if prometheus.query(expression) else empty).add(title)
    missing = empty - shown - EMPTY.keys()
    assert not missing, f"empty panels: {missing}"
    for title in sorted(EMPTY.keys() - shown):
        print(f"  empty, for {EMPTY[title]}: {title}")
    print(f"{len(shown)} panels show something")


def check_names(prometheus):
    """Everything that rules and panels ask for is exported somewhere, or known to be made later."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "host").rglob("*.rs")))
    source += (OPS / "prometheus" / "tollbridge_textfile.py").read_text(encoding="utf-8")
    asked = "\n".join(rule["query"] for rule in prometheus.alerts().values())
    asked += "\n".join(expression for _, expression in panels(OPS / "grafana" / "dashboard.json"))
    # A histogram is exported as three.
    names = {re.sub(r"_(bucket|count|sum)$", "", name) for name in re.findall(r"\btollbridge_[a-z0-9_]+", asked)}
    unknown = {name for name in names if f'"{name}"' not in source}
    assert not unknown, f"nobody exports {unknown}"
    exported = set(prometheus.get("label/__name__/values"))
    others = {name for name in re.findall(r"\b(?:node|caddy)_[a-z0-9_]+", asked)} - exported
    assert not others, f"nobody exports {others}"
    print(f"{len(names)} names of Tollbridge are known")


def check_descriptions():
    """Every metric has its meaning in one table, and nothing else is there."""
    table = ROOT / "host" / "server" / "src" / "app" / "metric_descriptions.rs"
    name = re.compile(r'"(tollbridge_(?:\w+_total|\w+_seconds|\w+_bytes|\w+_millipence|\w+_open|tables|connections|hosts))"')
    made = {found for path in (ROOT / "host").rglob("*.rs") if path != table
            for found in name.findall(path.read_text(encoding="utf-8"))}
    described = set(name.findall(table.read_text(encoding="utf-8")))
    assert made == described, f"without a description: {made - described}; described in vain: {described - made}"


def main():
    program, registry = sys.argv[1:]
    check_descriptions()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        folder = pathlib.Path(folder)
        names = ("public", "admin", "node", "caddy", "proxy", "prometheus", "nobody")
        ports = dict(zip(names, free_ports(len(names)), strict=True))
        script = stack.enter_context(scripted_provider.serving(ROOT / "tests" / "quality" / "agents" / "scripted.jsonl"))
        config = folder / "tollbridge.toml"
        config.write_text(
            f'[server]\nlisten = "127.0.0.1:{ports["public"]}"\nconnections_per_client = {CONNECTIONS}\n'
            f'trusted_proxies = ["127.0.0.2/32"]\n'
            f'[admin]\nlisten = "127.0.0.1:{ports["admin"]}"\n[data]\ndir = "{folder}/data"\n'
            f'[registry]\ndir = "{pathlib.Path(registry).resolve()}"\n[risk]\nfresh_payout_gbp = "1.00"\n'
            + LIMITS + scripted_provider.settings(script) + GONE.format(port=ports["nobody"]), encoding="utf-8")
        base = f"http://127.0.0.1:{ports['public']}"

        def tollbridge(*words):
            done = subprocess.run([program, "--config", config, *words], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            return done.stdout.strip()

        stack.enter_context(running(folder, "server", [program, "--config", config, "serve"]))
        wait_for("the server", 600, lambda: ask(f"{base}/health/ready")[0] == 200)
        (folder / "Caddyfile").write_text(
            f'{{\n admin 127.0.0.1:{ports["caddy"]}\n auto_https off\n servers {{\n  metrics\n }}\n}}\n'
            f'http://127.0.0.1:{ports["proxy"]} {{\n handle /down/* {{\n  reverse_proxy 127.0.0.1:{ports["nobody"]}\n }}\n'
            f' handle {{\n  reverse_proxy 127.0.0.1:{ports["public"]} {{\n   header_up X-Forwarded-For {{remote_host}}\n  }}\n }}\n}}\n',
            encoding="utf-8")
        home = {"HOME": str(folder), "PATH": "/usr/bin:/bin"}
        stack.enter_context(running(
            folder, "caddy", [shutil.which("caddy"), "run", "--adapter", "caddyfile", "--config", folder / "Caddyfile"], env=home))
        (folder / "textfile").mkdir()
        stack.enter_context(running(folder, "node", [
            shutil.which("prometheus-node-exporter"), f"--web.listen-address=127.0.0.1:{ports['node']}",
            f"--collector.textfile.directory={folder}/textfile", "--no-collector.systemd"]))
        settings = (OPS / "prometheus" / "prometheus.yml").read_text(encoding="utf-8")
        (folder / "prometheus.yml").write_text(prometheus_settings(settings, ports), encoding="utf-8")
        shutil.copy(OPS / "prometheus" / "alerts.yml", folder)
        stack.enter_context(running(folder, "prometheus", [
            shutil.which("prometheus"), f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb",
            f"--web.listen-address=127.0.0.1:{ports['prometheus']}"]))
        prometheus = Prometheus(f"http://127.0.0.1:{ports['prometheus']}")

        def textfile(*words):
            collect = OPS / "prometheus" / "tollbridge_textfile.py"
            command = [sys.executable, collect, folder / "textfile", "--tollbridge", program, "--config", config, *words]
            subprocess.run(command, check=True)

        textfile(), textfile("--books")
        wait_for("three targets", 60, lambda: len(prometheus.query("up == 1")) == 3)
        key = tollbridge("key", "create", "--tier", "enterprise", "--email", "ops@example.com")
        proxy = f"http://127.0.0.1:{ports['proxy']}"
        bring_about(tollbridge, base, proxy, key, ("127.0.0.1", ports["public"]))
        textfile(), textfile("--books")
        time.sleep(3)
        check_rules(prometheus)
        check_panels(prometheus)
        check_names(prometheus)


main()
