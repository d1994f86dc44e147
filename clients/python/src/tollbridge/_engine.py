"""What happens in a call, step by step, whoever carries the steps out.

The functions are generators: they yield what is to be done (`Send`, `Sleep`, `Pay`) and
get what came of it, so the same code serves both clients. Invariants: a call has one
idempotency key for ever; nothing is sent paid that may cost more than the budget has;
a hold on the budget ends only when it is known what was charged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping

from ._call import ENVELOPE, Answer, Call, Pay, Payer, Payment, Quote, Reply, Sleep, Steps, intent_headers
from .errors import (
    InvalidRequest,
    PaymentRequired,
    ServerFault,
    TollbridgeError,
    Unreachable,
    Unsettled,
    error_of,
    retry_after,
)
from .money import PER_PENNY, Budget, millipence, pounds
from ._sending import REFUSED, TRIES, send

POLLS = 10


@dataclass
class Engine:
    """Who calls, and from what it pays."""

    key: str | None
    budget: Budget
    payer: Payer | None
    patience: float
    prices: dict[str, int] = field(default_factory=dict)
    """Of bridges and agents, as last seen."""
    purse: dict[str, tuple[dict[str, str], int]] = field(default_factory=dict)
    """What is left on intents that were paid, by what they pay for."""

    def perform(self, call: Call) -> Steps[Answer[Any]]:
        """Makes a call, or goes on with one whose outcome was not known."""
        has_credit = self.key is not None
        for round in range(TRIES):
            if not call.paid_by:
                answered = yield from self._arrange(call, has_credit)
                if answered is not None:
                    return (yield from self._answer(call, answered))
            reply = yield from self._send_paid(call)
            if reply.status == 202:
                reply = yield from self._wait_for_task(call, reply)
            if reply.status == 200:
                return (yield from self._answer(call, reply))
            error = error_of(reply.status, reply.headers, reply.json)
            if not isinstance(error, PaymentRequired):
                self._refused(call, error)
                raise error
            payment = Payment.of(reply.json)
            if payment.reason not in ("above_max_cost", "remaining_too_small"):
                call.left = None  # Nothing more can be had for that intent.
            self._refused(call, error)
            self.prices[call.name] = payment.amount
            by_credit, call.paid_by = "X-Payment-Source" in call.paid_by, {}
            if by_credit and payment.reason == "insufficient_credit":
                has_credit, call.offered = False, payment
            elif payment.reason not in ("above_max_cost", "remaining_too_small") or round + 1 == TRIES:
                raise _unpaid(call, payment, error)
        raise AssertionError("the last round returns or raises")

    def quote(self, call: Call) -> Steps[Quote]:
        """What a call would cost; nothing is paid."""
        found = yield from self._ask(call)
        if isinstance(found, Payment):
            return Quote(call.name, found.amount, found)
        return Quote(call.name, 0, None)

    def get(self, path: str) -> Steps[Any]:
        """Reads something, with the usual patience."""
        reply = yield from self._send("GET", path)
        body = reply.json
        if reply.status != 200 or body is None:
            raise error_of(reply.status, reply.headers, body)
        return body

    def _ask(self, call: Call) -> Steps[Payment | Reply]:
        """The price of a call, or its answer if it is free."""
        # Agents are paid from credit unless the request forbids it.
        limit = {"X-Max-Cost-GBP": "0"} if call.is_agent else {}
        reply = yield from self._send("POST", call.path, call.body, limit)
        if reply.status == 200:
            return reply
        body = reply.json
        error = error_of(reply.status, reply.headers, body)
        if not isinstance(error, PaymentRequired):
            raise error
        payment, lacks = Payment.of(body), body.get("input")
        self.prices[call.name] = payment.amount
        if lacks:
            raise InvalidRequest(lacks["message"], code="E011", status=402, field=lacks["field"],
                                 request_id=error.request_id)
        return payment

    def _arrange(self, call: Call, has_credit: bool) -> Steps[Reply | None]:
        """Sees to it that the call is paid for; returns the answer if it is free."""
        price, offered = self.prices.get(call.name), call.offered
        if price is not None and price > self.budget.remaining:
            price = None  # It may have fallen.
        if offered is None and not (has_credit and price is not None):
            headers, left = self.purse.pop(call.name, ({}, 0))
            if left and left >= self.prices.get(call.name, left):
                call.paid_by, call.left = headers, left
                return None
            if left:
                self.purse[call.name] = (headers, left)
            found = yield from self._ask(call)
            if isinstance(found, Reply):
                return found
            price, offered = found.amount, None if has_credit else found
        if offered is not None:
            yield from self._pay(call, offered)
        elif price is not None:
            self.budget.hold(price)
            call.held, call.paid_by = price, {"X-Payment-Source": "credit"}
        return None

    def _pay(self, call: Call, payment: Payment) -> Steps[None]:
        """Pays a quote, or finds that it was paid."""
        if not call.held:
            self.budget.hold(payment.charge)
            call.held = payment.charge
        was_offered, call.offered = call.offered is not None, payment
        state = (yield from self._state(call, payment, 1)) if was_offered else "unpaid"
        headers: Mapping[str, str] = intent_headers(payment.id)
        failed: Exception | None = None
        if state == "unpaid" and self.payer is None:
            # In the sandbox this pays; elsewhere it moves no money.
            try:
                yield from self._send("POST", f"/pay/{payment.id}", b"{}", call=call)
            except Unsettled as error:
                failed = error
            state = yield from self._state(call, payment, 1)
        elif state == "unpaid" and self.payer is not None:
            try:
                headers = yield Pay(self.payer, payment)
            except Exception as error:
                failed = error
            # What a wallet says counts less than what the server knows.
            if failed or "X-Payment-Intent-Id" in headers:
                state = yield from self._state(call, payment, 1 if failed else POLLS)
        call.paid_by = dict(headers)
        if "X-Payment-Intent-Id" in call.paid_by:
            self.budget.settle(call.held, payment.charge if state == "paid" else 0)
            call.held = 0
            if state != "paid":
                call.paid_by, call.offered = {}, payment if state == "unpaid" else None
                raise _unpaid(call, payment, PaymentRequired(f"pay £{payment.charge_gbp} at {payment.link}",
                                                             code="E003", status=402)) from failed
            call.left = payment.charge
        call.offered = None

    def _state(self, call: Call, payment: Payment, polls: int) -> Steps[str]:
        """What became of an intent; looks a few times, because processors are slow to tell."""
        for poll in range(polls):
            if poll:
                yield Sleep(min(1.0, 0.1 * 2**poll))
            reply = yield from self._send("GET", f"/v1/payments/{payment.id}", call=call)
            said = reply.json if reply.status == 200 else None
            state = said.get("state") if isinstance(said, dict) else None
            if state not in ("unpaid", "expired", "paid", "used_up", "refunded"):
                raise Unsettled("it is not known whether the quote was paid", call)
            if state != "unpaid":
                break
        return str(state)

    def _send_paid(self, call: Call) -> Steps[Reply]:
        limit = call.held if call.left is None else call.left
        # Prices are whole pence, and so are limits.
        headers = {"X-Max-Cost-GBP": pounds(limit - limit % PER_PENNY), **call.paid_by, "Idempotency-Key": call.key}
        try:
            return (yield from self._send("POST", call.path, call.body, headers, call))
        except Unreachable as error:
            self._refused(call, error)
            raise

    def _send(self, method: str, path: str, body: bytes | None = None, more: Mapping[str, str] | None = None,
              call: Call | None = None) -> Steps[Reply]:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return send(method, path, body, {**headers, **(more or {})}, call, self.patience)

    def _wait_for_task(self, call: Call, reply: Reply) -> Steps[Reply]:
        """Follows a task that takes longer, and fetches its answer."""
        call.is_unclear, waited = True, 0.0
        while reply.status == 202:
            pause = retry_after(reply.headers) or 1.0
            waited += pause
            task = f"/v1/tasks/{(reply.json or {}).get('task_id')}"
            shown = yield from self._send("GET", task, call=call)
            state = shown.json if shown.status == 200 else {}
            if state.get("status") in ("failed", "canceled"):
                why = state.get("error") or {"error": f"the task is {state['status']}", "code": "E017"}
                error = error_of(502, shown.headers, why)
                self._settle(call, error.charged)
                raise error
            if state.get("status") == "completed":
                reply = yield from self._send_paid(call)
            elif state.get("status") not in ("queued", "working") or waited > self.patience:
                raise Unsettled(f"the task goes on at {task}", call)
            else:
                yield Sleep(pause)
        return reply

    def _refused(self, call: Call, error: TollbridgeError) -> None:
        """Ends the hold of a call that was refused, or raises `Unsettled`."""
        if error.code == "E010":
            # Sealed by an earlier attempt whose answer is no longer kept, or the intent is spent.
            error.charged, call.left = call.held, None
        elif call.is_unclear and not error.charged and error.code not in REFUSED:
            raise Unsettled(f"the repeat was refused: {error}", call) from error
        self._settle(call, error.charged)

    def _settle(self, call: Call, charged: int) -> None:
        self.budget.settle(call.held, charged if call.held else 0)
        call.held, call.is_unclear = 0, False
        if call.left is not None and call.left > charged:
            self.purse[call.name] = (call.paid_by, call.left - charged)
        call.left = None

    def _answer(self, call: Call, reply: Reply) -> Steps[Answer[Any]]:
        """Settles an answered call."""
        body, seal = reply.json, reply.headers.get("x-worm-seal")
        charged = 0
        if seal is not None:
            charged = yield from self._charge(call, seal, reply)
            self.prices[call.name] = charged
        self._settle(call, charged)
        if body is None or (call.is_agent and "output" not in body):
            raise ServerFault("the answer cannot be read", status=reply.status, charged=charged)
        is_enveloped = isinstance(body, dict) and ENVELOPE <= body.keys()
        return Answer(
            result=body["output"] if call.is_agent else body["result"] if is_enveloped else body,
            seal=seal,
            transaction=reply.headers.get("x-transaction-id"),
            charged=charged,
            raw=reply.body,
            request=call.body,
            name=call.name.removeprefix("agents/"),
            is_agent=call.is_agent,
            request_id=reply.headers.get("x-request-id"),
            replayed=reply.headers.get("idempotent-replayed") == "true",
        )

    def _charge(self, call: Call, seal: str, reply: Reply) -> Steps[int]:
        """What the sealed record takes for the call: the price may have fallen meanwhile."""
        stated, remaining = reply.headers.get("x-charged-gbp"), reply.headers.get("x-payment-remaining")
        if stated is not None:
            return millipence(stated)
        try:
            if call.left is not None:
                if remaining is None:
                    intent = call.paid_by["X-Payment-Intent-Id"]
                    remaining = (yield from self.get(f"/v1/payments/{intent}"))["remaining_gbp"]
                return call.left - millipence(remaining)
            record = yield from self.get(f"/v1/ledger/record/{seal}")
            return int(record["record"]["body"]["gross_millipence"])
        except (TollbridgeError, KeyError, TypeError, ValueError):
            # Never less than the truth.
            return call.held if call.left is None else min(call.left, self.prices.get(call.name, call.left))


def _unpaid(call: Call, payment: Payment, error: PaymentRequired) -> PaymentRequired:
    error.payment, error.call, error.reason = payment, call, payment.reason
    return error
