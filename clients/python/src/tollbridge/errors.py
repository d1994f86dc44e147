"""What can go wrong, one class for each family of codes; see the server's docs/errors.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

if TYPE_CHECKING:
    from ._call import Call, Payment


class TollbridgeError(Exception):
    """Whatever goes wrong with the server or a call.

    `code` is the server's (`E011`), `field` a JSON pointer to the member at fault, and
    `charged` what was charged all the same, in thousandths of a penny.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        status: int | None = None,
        field: str | None = None,
        hint: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        charged: int = 0,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.field = field
        self.hint = hint
        self.request_id = request_id
        self.retry_after = retry_after
        self.charged = charged

    def __str__(self) -> str:
        text = f"{self.code}: {self.message}" if self.code else self.message
        return f"{text} ({self.hint})" if self.hint else text


class AccessDenied(TollbridgeError):
    """The key is missing, invalid, blocked or lacks a scope: E001, E021, E022."""


class RateLimited(TollbridgeError):
    """Too many requests, also after waiting: E002."""


class PaymentRequired(TollbridgeError):
    """Nothing paid for the call, so it was not made: E003.

    Pay `payment.link`, then `client.resume(error)` makes this very call.
    """

    payment: Payment | None = None
    call: Call | None = None
    reason: str | None = None


class BudgetExceeded(TollbridgeError):
    """The call may cost `over_by` more than the budget has left; it was not sent paid."""

    def __init__(self, needed: int, over_by: int) -> None:
        from .money import pounds

        super().__init__(f"the call may cost £{pounds(needed)}, £{pounds(over_by)} more than the budget has left")
        self.needed = needed
        self.over_by = over_by


class NotFound(TollbridgeError):
    """No such bridge, agent, model or resource: E004, E007, E012."""


class InvalidRequest(TollbridgeError):
    """The input is wrong; `field` names the member: E006, E008, E011, E013 to E015."""


class Conflict(TollbridgeError):
    """The request does not fit the state of things: E010, E019, E020, E023, E028."""


class Unavailable(TollbridgeError):
    """The server cannot answer this now: E005, E009, E016, E024, E026, E027."""


class CallFailed(TollbridgeError):
    """The bridge or agent failed or ran out of time: E017, E018."""


class ServerFault(TollbridgeError):
    """The server failed, or what it said is not understood: E025."""


class Unreachable(TollbridgeError):
    """The server could not be reached; nothing was paid."""


class Unsettled(TollbridgeError):
    """It is not known whether the call was charged; the budget keeps its price on hold.

    `client.resume(error)` asks again with the same idempotency key, so the call is charged
    once at most, and settles the budget.
    """

    def __init__(self, message: str, call: Call) -> None:
        super().__init__(message)
        self.call = call


class VerificationFailed(TollbridgeError):
    """A seal, a proof or a signature does not hold, or cannot be checked."""


_FAMILIES: dict[type[TollbridgeError], str] = {
    AccessDenied: "E001 E021 E022",
    RateLimited: "E002",
    PaymentRequired: "E003",
    NotFound: "E004 E007 E012",
    InvalidRequest: "E006 E008 E011 E013 E014 E015",
    Conflict: "E010 E019 E020 E023 E028",
    Unavailable: "E005 E009 E016 E024 E026 E027",
    CallFailed: "E017 E018",
    ServerFault: "E025",
}
_CLASSES = {code: kind for kind, codes in _FAMILIES.items() for code in codes.split()}


def error_of(status: int, headers: Mapping[str, str], body: Any) -> TollbridgeError:
    """The error that an answer of the server is; `body` is its JSON, or None."""
    from .money import millipence

    said: Mapping[str, Any] = body if isinstance(body, dict) else {}
    found = said.get("details") or said.get("input")
    details: Mapping[str, Any] = found if isinstance(found, dict) else {}
    code = said.get("code")
    kind = _CLASSES.get(code or "", ServerFault)
    return kind(
        str(said.get("error") or f"the server answered {status} without a reason"),
        code=code,
        status=status,
        field=details.get("field"),
        hint=said.get("hint"),
        request_id=headers.get("x-request-id"),
        retry_after=retry_after(headers),
        charged=millipence(str(said.get("charged_gbp") or headers.get("x-charged-gbp") or "0")),
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of `Retry-After`, where it is a number."""
    text = headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else None
