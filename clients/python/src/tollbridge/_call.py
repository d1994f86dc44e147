"""The values that a call is made of: what is asked, paid and answered."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generator, Generic, Mapping, Protocol, TypeVar, Union

from .errors import ServerFault
from .money import millipence, pounds

if TYPE_CHECKING:
    from typing import Awaitable, Callable

T = TypeVar("T")
ENVELOPE = {"result", "method", "data", "limitations"}


@dataclass(frozen=True)
class Payment:
    """What a quote asks for. Amounts are thousandths of a penny."""

    id: str
    """Id of the payment intent: a secret, whoever has it can use the payment."""
    link: str | None
    """Where a person pays; None where no payment helps."""
    name: str
    """What it pays for: a bridge, or `agents/` and an agent."""
    amount: int
    """Price of one call."""
    charge: int
    """What the link takes: at least the price, it may cover many calls."""
    expires_at: str | None
    reason: str | None
    """Why what was sent does not count, for a program."""
    raw: Mapping[str, Any] = field(repr=False, hash=False)
    """The whole body of the 402 answer, for payers that need more of it."""

    @property
    def charge_gbp(self) -> str:
        """What the link takes, in pounds."""
        return pounds(self.charge)

    @classmethod
    def of(cls, body: Any) -> Payment:
        """The quote in the body of a 402 answer."""
        try:
            said = body["payment"]
            amount = millipence(said["amount_gbp"])
            return cls(
                id=said["payment_intent_id"],
                link=said.get("payment_link"),
                name=said["bridge"],
                amount=amount,
                charge=max(amount, millipence(said.get("charge_gbp", said["amount_gbp"]))),
                expires_at=said.get("expires_at"),
                reason=said.get("reason"),
                raw=body,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ServerFault(f"the quote cannot be read: {error!r}", status=402) from error


class Payer(Protocol):
    """A way to pay. For `AsyncClient` it may return an awaitable."""

    def pay(self, payment: Payment, /) -> Mapping[str, str] | Awaitable[Mapping[str, str]]:
        """Pays, and returns the headers that show it; raises what went wrong."""


class WalletPayer:
    """Pays an intent by a callable that opens `payment.link` and returns when it is paid."""

    def __init__(self, wallet: Callable[[Payment], Any]) -> None:
        self._wallet = wallet

    def pay(self, payment: Payment, /) -> Mapping[str, str] | Awaitable[Mapping[str, str]]:
        """Has the wallet pay."""
        done, headers = self._wallet(payment), intent_headers(payment.id)
        if hasattr(done, "__await__"):

            async def wait() -> Mapping[str, str]:
                await done
                return headers

            return wait()
        return headers


def intent_headers(intent: str) -> dict[str, str]:
    """The headers of a call that an intent pays for."""
    return {"X-Payment-Intent-Id": intent}


@dataclass
class Call:
    """One call, with all that a repeat of it needs: its key never changes."""

    path: str
    name: str
    body: bytes
    is_agent: bool
    key: str = field(default_factory=lambda: f"tb-{uuid.uuid4().hex}")
    paid_by: dict[str, str] = field(default_factory=dict)
    """Headers that pay for it, once that is settled."""
    held: int = 0
    """Of the budget."""
    left: int | None = None
    """On the intent that pays for it."""
    offered: Payment | None = None
    """A quote that the caller was asked to pay."""
    is_paying: bool = False
    """Whether somebody may be paying the quote just now."""
    is_unclear: bool = False
    """Whether it was sent paid and the outcome is not known."""

    @classmethod
    def of_bridge(cls, bridge: str, given: Mapping[str, Any]) -> Call:
        """A call of a bridge."""
        return cls(f"/v1/oracle/{_segment(bridge)}", bridge, _json(given), is_agent=False)

    @classmethod
    def of_agent(cls, agent: str, task: str | None, given: Mapping[str, Any] | None) -> Call:
        """A task for an agent; a skill such as `data:aggregation` names the agent of that skill."""
        slug = agent.replace(":", "-")
        body = {name: value for name, value in (("task", task), ("input", given)) if value is not None}
        return cls(f"/v1/agents/{_segment(slug)}/invoke", f"agents/{slug}", _json(body), is_agent=True)


@dataclass(frozen=True)
class Answer(Generic[T]):
    """The answer to a call."""

    result: T
    """What was asked for: `result` of a bridge's answer, `output` of an agent's."""
    seal: str | None
    """SHA-256 of the sealed record, hex; None if the call cost nothing."""
    transaction: str | None
    charged: int
    """What the call cost, in thousandths of a penny."""
    raw: bytes = field(repr=False)
    """The body as it came."""
    request: bytes = field(repr=False)
    """The body as it was sent."""
    name: str
    is_agent: bool
    request_id: str | None
    replayed: bool
    """Whether it is the stored answer of an earlier attempt."""

    @property
    def charged_gbp(self) -> str:
        """What the call cost, in pounds."""
        return pounds(self.charged)

    @property
    def body(self) -> dict[str, Any]:
        """All of the answer: beside the result, how it was reached and what it rests on."""
        body: dict[str, Any] = json.loads(self.raw)
        return body


@dataclass(frozen=True)
class Quote:
    """What a call would cost."""

    name: str
    amount: int
    """Thousandths of a penny."""
    payment: Payment | None
    """None where the call costs nothing."""

    @property
    def amount_gbp(self) -> str:
        """The price in pounds."""
        return pounds(self.amount)


@dataclass(frozen=True)
class Balance:
    """Money of the account, in thousandths of a penny (whole pence are exact)."""

    credit: int
    earned: int
    pending: int
    raw: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Send:
    """To be done: a request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None = None


@dataclass(frozen=True)
class Reply:
    """An answer of the server; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, or None if it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


@dataclass(frozen=True)
class Lost:
    """No answer came."""

    why: str
    sent: bool
    """Whether the request may have reached the server."""


@dataclass(frozen=True)
class Sleep:
    """To be done: wait."""

    seconds: float


@dataclass(frozen=True)
class Pay:
    """To be done: have somebody pay."""

    payer: Payer
    payment: Payment


Effect = Union[Send, Sleep, Pay]
Steps = Generator[Effect, Any, T]


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _segment(name: str) -> str:
    if not name or not all(char.isascii() and (char.isalnum() or char in "_-.") for char in name):
        raise ValueError(f"{name!r} is not the name of a bridge or agent")
    return name
