"""The clients: `Client` and `AsyncClient` carry out what the engine asks for."""

from __future__ import annotations

import asyncio
import time
from decimal import Decimal
from types import TracebackType
from typing import Any, Awaitable, Callable, Mapping, TypeVar

import httpx

from ._call import Answer, Balance, Call, Effect, Lost, Payer, Payment, Quote, Reply, Send, Sleep, Steps, WalletPayer
from ._engine import Engine
from ._generated import AsyncCalls, Calls
from .errors import PaymentRequired, Unsettled
from .money import Budget, millipence
from .proof import Evidence, Keys, Verified, check

T = TypeVar("T")
USER_AGENT = "tollbridge-python/0.1.0"
# What fails before a byte of the request is sent.
_UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class _Base:
    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        budget: str | int | Decimal = "1.00",
        *,
        wallet: Callable[[Payment], Any] | None = None,
        payer: Payer | None = None,
        keys: Keys | None = None,
        timeout: float = 70.0,
        patience: float = 120.0,
        transport: Any = None,
    ) -> None:
        """A client with a budget in pounds for all of its life.

        Calls are paid from the credit of `key`'s account. Without a key, or when the credit
        is used up, an intent is paid: by `payer`, by `wallet` (it opens `payment.link` and
        returns when it is paid), or, in the sandbox, at its pay page. `keys` are public keys
        of the server that you trust; without them those that it shows first are kept.
        `timeout` is for one request and `patience` for waiting between attempts, in seconds.
        """
        self.budget = Budget(budget)
        self._engine = Engine(key, self.budget, payer or (WalletPayer(wallet) if wallet else None), patience)
        self._keys = keys
        self._options: dict[str, Any] = {"base_url": base_url.rstrip("/"), "timeout": timeout, "transport": transport,
                                         "headers": {"User-Agent": USER_AGENT}, "follow_redirects": False}
        self._open()

    def _open(self) -> None:
        raise NotImplementedError


    def _trusted(self) -> Steps[Keys]:
        """The keys that were given, or those that the server showed first."""
        if self._keys is None:
            self._keys = Keys.of_jwks((yield from self._engine.get("/.well-known/jwks.json")))
        return self._keys

    def _evidence(self, answer: Answer[Any]) -> Steps[Evidence]:
        proof = yield from self._engine.get(f"/v1/ledger/proof/{answer.seal}")
        record: str | None = None
        if self._engine.key:
            record = (yield from self._engine.get(f"/v1/ledger/record/{answer.seal}"))["canonical"]
        return Evidence(proof, record)

    def _balance(self) -> Steps[Balance]:
        raw = yield from self._engine.get("/v1/balance")
        credit, earned, pending = (millipence(raw[name]) for name in ("credit_gbp", "balance_gbp", "pending_gbp"))
        return Balance(credit, earned, pending, raw)

    def _bridges(self) -> Steps[list[dict[str, Any]]]:
        return list((yield from self._engine.get("/api/v1/bridges"))["bridges"])


class Client(_Base, Calls):
    """Calls a Tollbridge server and pays for it, blocking."""

    def _open(self) -> None:
        self._http = httpx.Client(**self._options)

    def call_any(self, bridge: str, given: Mapping[str, Any]) -> Answer[Any]:
        """Calls a bridge that has no types here."""
        return self._run(self._engine.perform(Call.of_bridge(bridge, given)))

    def agent_any(self, agent: str, task: str | None, given: Mapping[str, Any] | None) -> Answer[Any]:
        """Gives a task to an agent that has no types here."""
        return self._run(self._engine.perform(Call.of_agent(agent, task, given)))

    def resume(self, error: Unsettled | PaymentRequired) -> Answer[Any]:
        """Goes on with a call whose outcome was not known, or that had to be paid first."""
        return self._run(self._engine.perform(_call_of(error)))

    def quote(self, bridge: str, /, **given: Any) -> Quote:
        """What a call would cost; nothing is paid."""
        return self._run(self._engine.quote(Call.of_bridge(bridge, given)))

    def quote_agent(self, agent: str, task: str | None = None, input: Mapping[str, Any] | None = None) -> Quote:
        """What a task would cost; nothing is paid."""
        return self._run(self._engine.quote(Call.of_agent(agent, task, input)))

    def balance(self) -> Balance:
        """Credit and earnings of the account."""
        return self._run(self._balance())

    def bridges(self) -> list[dict[str, Any]]:
        """Every bridge with price, schemas and examples."""
        return self._run(self._bridges())

    def keys(self) -> Keys:
        """The server's public keys that this client trusts; keep them for the next one."""
        return self._run(self._trusted())

    def verify(self, answer: Answer[Any], *, seal_only: bool = False) -> Verified:
        """Checks that the answer is the one that was sealed; raises `VerificationFailed`.

        Proof and record are fetched, the check itself needs no network (`tollbridge.check`).
        Only the account that paid may read a record: without a key, `seal_only=True` checks
        that the seal is in the signed ledger, and says nothing about the answer's bytes.
        """
        return check(answer, self.evidence(answer), self.keys(), seal_only=seal_only)

    def evidence(self, answer: Answer[Any]) -> Evidence:
        """What an answer can be checked with, for keeping."""
        return self._run(self._evidence(answer))

    def close(self) -> None:
        """Closes its connections."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _run(self, steps: Steps[T]) -> T:
        try:
            effect = next(steps)
            while True:
                try:
                    done = self._do(effect)
                except Exception as error:
                    effect = steps.throw(error)
                else:
                    effect = steps.send(done)
        except StopIteration as end:
            result: T = end.value
            return result

    def _do(self, effect: Effect) -> Any:
        if isinstance(effect, Send):
            try:
                answer = self._http.request(effect.method, effect.path, headers=effect.headers, content=effect.body)
            except httpx.HTTPError as error:
                return _lost(error)
            return Reply(answer.status_code, answer.headers, answer.content)
        if isinstance(effect, Sleep):
            return time.sleep(effect.seconds)
        done = effect.payer.pay(effect.payment)
        if isinstance(done, Awaitable):
            raise TypeError("this payer is for AsyncClient")
        return done


class AsyncClient(_Base, AsyncCalls):
    """Calls a Tollbridge server and pays for it, with `await`."""

    def _open(self) -> None:
        self._http = httpx.AsyncClient(**self._options)

    async def call_any(self, bridge: str, given: Mapping[str, Any]) -> Answer[Any]:
        """Calls a bridge that has no types here."""
        return await self._run(self._engine.perform(Call.of_bridge(bridge, given)))

    async def agent_any(self, agent: str, task: str | None, given: Mapping[str, Any] | None) -> Answer[Any]:
        """Gives a task to an agent that has no types here."""
        return await self._run(self._engine.perform(Call.of_agent(agent, task, given)))

    async def resume(self, error: Unsettled | PaymentRequired) -> Answer[Any]:
        """Goes on with a call whose outcome was not known, or that had to be paid first."""
        return await self._run(self._engine.perform(_call_of(error)))

    async def quote(self, bridge: str, /, **given: Any) -> Quote:
        """What a call would cost; nothing is paid."""
        return await self._run(self._engine.quote(Call.of_bridge(bridge, given)))

    async def quote_agent(self, agent: str, task: str | None = None, input: Mapping[str, Any] | None = None) -> Quote:
        """What a task would cost; nothing is paid."""
        return await self._run(self._engine.quote(Call.of_agent(agent, task, input)))

    async def balance(self) -> Balance:
        """Credit and earnings of the account."""
        return await self._run(self._balance())

    async def bridges(self) -> list[dict[str, Any]]:
        """Every bridge with price, schemas and examples."""
        return await self._run(self._bridges())

    async def keys(self) -> Keys:
        """The server's public keys that this client trusts; keep them for the next one."""
        return await self._run(self._trusted())

    async def verify(self, answer: Answer[Any], *, seal_only: bool = False) -> Verified:
        """Checks that the answer is the one that was sealed; see `Client.verify`."""
        return check(answer, await self.evidence(answer), await self.keys(), seal_only=seal_only)

    async def evidence(self, answer: Answer[Any]) -> Evidence:
        """What an answer can be checked with, for keeping."""
        return await self._run(self._evidence(answer))

    async def close(self) -> None:
        """Closes its connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        at: TracebackType | None) -> None:
        await self.close()

    async def _run(self, steps: Steps[T]) -> T:
        try:
            effect = next(steps)
            while True:
                try:
                    done = await self._do(effect)
                except Exception as error:
                    effect = steps.throw(error)
                else:
                    effect = steps.send(done)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _do(self, effect: Effect) -> Any:
        if isinstance(effect, Send):
            try:
                answer = await self._http.request(effect.method, effect.path, headers=effect.headers,
                                                  content=effect.body)
            except httpx.HTTPError as error:
                return _lost(error)
            return Reply(answer.status_code, answer.headers, answer.content)
        if isinstance(effect, Sleep):
            return await asyncio.sleep(effect.seconds)
        done = effect.payer.pay(effect.payment)
        return await done if isinstance(done, Awaitable) else done


def _lost(error: httpx.HTTPError) -> Lost:
    return Lost(f"{type(error).__name__}: {error}", not isinstance(error, _UNSENT))


def _call_of(error: Unsettled | PaymentRequired) -> Call:
    if error.call is None:
        raise ValueError("this error is of no call that can be resumed")
    return error.call
