"""One request, sent until there is an answer that stands."""

from __future__ import annotations

import random
from typing import Mapping

from ._call import Call, Lost, Reply, Send, Sleep, Steps
from .errors import TollbridgeError, Unreachable, Unsettled, error_of, retry_after

TRIES = 5
# Said only by what comes after the look for an earlier answer: nothing was charged.
REFUSED = {"E003", "E005", "E007", "E008", "E011", "E012", "E016", "E017", "E018", "E027"}
_NOT_DONE = REFUSED | {"E002", "E024", "E026", "E028"}
_TRY_AGAIN = {"E002", "E016", "E024", "E025", "E026", "E028"}
_BUSY = ("in_progress", "unavailable")


def send(method: str, path: str, body: bytes | None, more: Mapping[str, str], call: Call | None,
         patience: float) -> Steps[Reply]:
    """Sends the same until there is an answer that stands. `call` is the call that it is about:
    what remains unknown at the end is then `Unsettled`."""
    headers = {"Accept": "application/json", **more}
    if body is not None:
        headers["Content-Type"] = "application/json"
    is_paid, tries, waited = "Idempotency-Key" in headers, 0, 0.0
    while True:
        reply: Reply | Lost = yield Send(method, path, headers, body)
        tries, wait = tries + 1, None
        last: TollbridgeError
        if isinstance(reply, Lost):
            unclear, last = reply.sent, Unreachable(f"{path}: {reply.why}")
        elif reply.status < 400:
            return reply
        else:
            last = error_of(reply.status, reply.headers, reply.json)
            code, said = last.code or "", reply.json
            reason = (said.get("payment") or {}).get("reason") if code == "E003" else None
            again = code in _TRY_AGAIN or reason in _BUSY or (not code and reply.status in (429, 500, 502, 503, 504))
            if not again or reply.headers.get("x-should-retry") == "false" or last.charged:
                return reply
            unclear, wait = code not in _NOT_DONE, retry_after(reply.headers)
            # Somebody is at work on it: that ends by itself.
            if code == "E028":
                tries, wait = tries - 1, max(wait or 0.0, 0.05)
        if call is not None and is_paid:
            call.is_unclear |= unclear
        if wait is None:
            wait = min(8.0, 0.25 * 2**tries) * random.uniform(0.5, 1.0)
        waited += wait
        if tries >= TRIES or waited > patience:
            if call is not None and (call.is_unclear or not is_paid):
                raise Unsettled(f"no answer that stands after {tries} tries: {last}", call) from last
            if isinstance(reply, Lost):
                raise last
            return reply
        yield Sleep(wait)
