#!/usr/bin/env python3
"""A strict stand-in for a Tollbridge server, for the tests of the clients.

It sells `forecast` and the agent `worker`, keeps money exactly, notes every request that a
client must not send (`wrong`), and injects faults into paid calls, one after the other:

    lost-before   the connection ends before the call is done
    lost-after    … after it was done and charged
    fail-after    500 E025 after it was done and charged
    503, 429, 409 refused with Retry-After
    502           a proxy's page, before the call is done
    price N       the price becomes N pence before the call is looked at
    E017 N        it fails; N pence are charged all the same
    task          agents: 202, and done when its state is asked for
    unauthorized  401
    pay-lost      the reply of the pay page is lost, after it was paid
Run as a program it prints its address; `/_state` shows it and takes changes.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "tb_test_good"
PENNY = 1_000


class Fake:
    """The state of the server; amounts are in thousandths of a penny."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.price, self.credit, self.sandbox = 40 * PENNY, 1_000 * PENNY, True
        self.faults: list[str] = []
        self.wrong: list[str] = []
        self.requests: list[str] = []
        self.intents: dict[str, dict[str, Any]] = {}
        self.charges: dict[str, int] = {}
        self.calls: dict[str, tuple[str, str]] = {}
        self.sealed: dict[str, Any] = {}
        self.tasks: dict[str, str] = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def state(self) -> dict[str, Any]:
        return {"charged": sum(self.charges.values()), "charges": len(self.charges), "wrong": self.wrong,
                "requests": self.requests, "credit": self.credit, "faults": self.faults,
                "paid": sum(one["charge"] for one in self.intents.values() if one["state"] == "paid")}

    def handler(fake) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                with fake.lock:
                    answer = fake.answer(self.command, self.path, self.headers, body)
                if answer is None:
                    self.close_connection = True
                    self.connection.close()
                    return
                status, said, headers = answer
                data = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_response(status)
                for name, value in {"x-request-id": "req_1", **headers, "content-length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = handle_any

        return Handler

    def answer(self, method: str, path: str, headers: Any, body: bytes) -> Any:
        if path == "/_state":
            for name, value in (json.loads(body) if body else {}).items():
                setattr(self, name, value)
            return 200, self.state(), {}
        self.requests.append(f"{method} {path}")
        if headers.get("authorization") not in (None, f"Bearer {KEY}"):
            return error(401, "E001", "the API key is not valid")
        if method == "POST" and (path.startswith("/v1/oracle/") or path.endswith("/invoke")):
            return self.call(path, path.split("/")[3], headers, body)
        if method == "POST" and path.startswith("/pay/"):
            return self.pay(path.rpartition("/")[2])
        if path.startswith("/v1/payments/"):
            intent = self.intents.get(path.rpartition("/")[2])
            if intent is None:
                return error(404, "E012", "no such payment")
            left = f"{(intent['charge'] - intent['used']) / 100_000:.5f}"
            return 200, {"state": intent["state"], "remaining_gbp": left}, {}
        if path.startswith("/v1/ledger/record/"):
            charged = self.charges.get(path.rpartition("/")[2], 0)
            return 200, {"record": {"body": {"gross_millipence": charged}}, "canonical": "{}"}, {}
        if path.startswith("/v1/tasks/"):
            key = path.rpartition("/")[2]
            if self.tasks.get(key) == "failed":
                return 200, {"status": "failed", "error": {"error": "it failed", "code": "E017"}}, {}
            return 200, {"status": self.tasks.get(key, "working")}, {}
        if path == "/v1/balance":
            pounds = f"£{self.credit / 100_000:.2f}"
            return 200, {"credit_gbp": pounds, "balance_gbp": "£0.00", "pending_gbp": "£0.00"}, {}
        return error(404, "E012", "no such resource")

    def pay(self, intent: str) -> Any:
        if not self.sandbox:
            return 200, {"status": "open", "url": "https://processor.example"}, {}
        if intent not in self.intents:
            return error(404, "E012", "no such payment")
        self.intents[intent]["state"] = "paid"
        if self.faults[:1] == ["pay-lost"]:
            self.faults.pop(0)
            return None
        return 200, {"status": "paid"}, {}

    def call(self, path: str, name: str, headers: Any, body: bytes) -> Any:
        keyed, source, intent = (headers.get(name) for name in ("idempotency-key", "x-payment-source", "x-payment-intent-id"))
        if signed := headers.get("x-test-signature"):
            # Another rail: the money moves with the call.
            intent, self.intents[signed]["state"] = signed, "paid"
        is_agent, limit = path.endswith("/invoke"), headers.get("x-max-cost-gbp")
        given = json.loads(body)
        if is_agent and not headers.get("authorization"):
            return error(401, "E001", "this needs an API key")
        if not (source or intent):
            if keyed or (is_agent and limit != "0"):
                self.wrong.append(f"a call that might be charged by mistake: {path}")
            return self.quote(path, name, given, None)
        if not keyed or not limit or (source and intent):
            self.wrong.append(f"a paid call without key or limit: {path}")
        if limit and len(limit.partition(".")[2]) > 2:
            self.wrong.append(f"a limit that is not whole pence: {limit}")
        said = self.calls.setdefault(keyed, (path, body.decode()))
        if said != (path, body.decode()):
            self.wrong.append(f"a key of another call: {keyed}")
        fault, _, number = (self.faults.pop(0) if self.faults else "").partition(" ")
        if fault == "lost-before":
            return None
        if fault == "unauthorized":
            return error(401, "E001", "the API key is not valid")
        if fault in ("503", "429", "409"):
            code = {"503": "E024", "429": "E002", "409": "E028"}[fault]
            return error(int(fault), code, "come back", retry=number or "0")
        if fault == "502":
            return 502, b"<html>bad gateway</html>", {}
        if fault == "price":
            self.price = int(number) * PENNY
        if keyed in self.sealed:
            return 200, self.sealed[keyed][0], {**self.sealed[keyed][1], "idempotent-replayed": "true"}
        if is_agent and fault == "task":
            self.tasks[keyed] = "completed"
            return 202, {"task_id": keyed, "status": "working"}, {"retry-after": "0"}
        if given.get("values") == []:
            return error(400, "E011", "`values` is empty", details={"field": "/values"})
        refusal = self.take(path, name, given, keyed, intent, limit, round(float(number) * PENNY) if fault == "E017" else None)
        if refusal is not None:
            return refusal
        answered = self.seal(keyed, name, given, is_agent, intent)
        if fault == "lost-after":
            return None
        return error(500, "E025", "internal") if fault == "fail-after" else answered

    def take(self, path: str, name: str, given: Any, keyed: str, intent: str | None, limit: str, failed: int | None) -> Any:
        """Takes the money; a refusal, or None."""
        if self.price > round(float(limit) * 100) * PENNY:
            return self.quote(path, name, given, "above_max_cost")
        amount = self.price if failed is None else failed
        if intent:
            paid = self.intents.get(intent)
            if paid is None or paid["state"] != "paid":
                return self.quote(path, name, given, "unpaid")
            if paid["charge"] - paid["used"] < self.price:
                return self.quote(path, name, given, "remaining_too_small")
            paid["used"] += amount
        elif self.credit < self.price:
            return self.quote(path, name, given, "insufficient_credit")
        else:
            self.credit -= amount
        seal = hashlib.sha256(keyed.encode()).hexdigest()
        self.charges[seal if failed is None else f"{seal} failed {len(self.charges)}"] = amount
        if failed is None:
            return None
        return error(502, "E017", "the plugin failed", charged_gbp=f"{failed / 100_000:.5f}")

    def seal(self, keyed: str, name: str, given: Any, is_agent: bool, intent: str | None) -> Any:
        output = {"result": {"points": given.get("values", [])}, "method": {}, "data": [], "limitations": []}
        said = {"task_id": keyed, "status": "completed", "output": given, "proof": {}} if is_agent else output
        headers = {"x-worm-seal": hashlib.sha256(keyed.encode()).hexdigest(), "x-transaction-id": f"tx_{keyed}"}
        self.sealed[keyed] = (said, headers)
        if intent:
            left = self.intents[intent]["charge"] - self.intents[intent]["used"]
            headers = {**headers, "x-payment-remaining": f"{left / 100_000:.5f}"}
        return 200, said, headers

    def quote(self, path: str, name: str, given: Any, reason: str | None) -> Any:
        intent = f"pi_{len(self.intents)}"
        charge = max(self.price, 100 * PENNY if name == "pack" else 0)
        self.intents[intent] = {"state": "unpaid", "charge": charge, "used": 0}
        payment = {"payment_intent_id": intent, "payment_link": f"{self.url}/pay/pt_{intent}", "currency": "gbp",
                   "bridge": f"agents/{name}" if path.endswith("/invoke") else name,
                   "amount_gbp": f"{self.price / 100_000:.2f}", "charge_gbp": f"{charge / 100_000:.2f}"}
        if reason:
            payment["reason"] = reason
        said = {"payment": payment}
        if given == {} and name == "forecast":
            said["input"] = {"field": "/values", "message": "`values` is missing"}
        return error(402, "E003", "payment required", **said)


def error(status: int, code: str, message: str, retry: str | None = None, **more: Any) -> Any:
    headers = {"retry-after": retry} if retry is not None else {}
    return status, {"error": message, "code": code, **more}, headers


if __name__ == "__main__":
    print(Fake().url, flush=True)
    sys.stdin.read()
