"""The clients against a strict stand-in of the server that injects faults."""

from __future__ import annotations

import asyncio
import pathlib
import sys
import unittest
from typing import Any
from unittest import mock

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / "src"), str(HERE.parents[2])]

import tollbridge  # noqa: E402
from fake import KEY, PENNY, Fake  # noqa: E402
from tollbridge import AsyncClient, Client, _sending  # noqa: E402

VALUES = [1, 2, 3]


class Awaited:
    """An `AsyncClient` with the face of a `Client`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.inner = AsyncClient(*args, **options)
        self.loop = asyncio.new_event_loop()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)
        if name == "budget":
            return found
        return lambda *args, **more: self.loop.run_until_complete(found(*args, **more))

    def close(self) -> None:
        self.loop.run_until_complete(self.inner.close())
        self.loop.close()


class Sync(unittest.TestCase):
    make: Any = Client

    def setUp(self) -> None:
        self.fake = Fake()
        self.addCleanup(self.fake.close)
        quick = mock.patch.object(_sending.random, "uniform", return_value=0.001)
        quick.start()
        self.addCleanup(quick.stop)

    def tearDown(self) -> None:
        self.assertEqual(self.fake.wrong, [])

    def client(self, key: str | None = KEY, budget: str = "1.00", **options: Any) -> Any:
        client = self.make(self.fake.url, key, budget, **options)
        self.addCleanup(client.close)
        return client

    def money(self, client: Any, spent: int, held: int = 0) -> None:
        """What the client counts, in pence."""
        self.assertEqual((client.budget.spent, client.budget.held), (spent * PENNY, held * PENNY))

    def raises(self, kind: Any, call: Any) -> Any:
        with self.assertRaises(kind) as caught:
            call()
        self.assertIs(type(caught.exception), kind)
        return caught.exception

    def test_credit(self) -> None:
        client = self.client()
        answer = client.call("forecast", values=VALUES)
        self.assertEqual(answer.result, {"points": VALUES})
        self.assertEqual((answer.charged, answer.charged_gbp, len(answer.seal)), (40 * PENNY, "0.40", 64))
        self.assertTrue(answer.transaction.startswith("tx_") and b"points" in answer.raw)
        client.call("forecast", values=VALUES)
        self.money(client, 80)
        self.assertEqual(self.fake.state()["charged"], 80 * PENNY)
        error = self.raises(tollbridge.BudgetExceeded, lambda: client.call("forecast", values=VALUES))
        self.assertEqual((error.over_by, error.needed), (20 * PENNY, 40 * PENNY))
        self.assertEqual(self.fake.state()["charges"], 2)
        self.assertEqual(client.balance().credit, 920 * PENNY)

    def test_agent(self) -> None:
        client = self.client()
        self.fake.faults = ["task"]
        answer = client.agent_any("work:er", "hello", {"a": 1})
        self.assertEqual(answer.result, {"task": "hello", "input": {"a": 1}})
        self.assertEqual(answer.name, "work-er")
        self.money(client, 40)
        self.raises(tollbridge.AccessDenied, lambda: self.client(None).agent_any("worker", "hello", None))

    def test_every_fault_is_charged_once(self) -> None:
        for faults in (["lost-before"], ["lost-after"], ["lost-after", "lost-before", "409"], ["503"], ["429"],
                       ["502"], ["fail-after"], ["409"] * 7, ["lost-after", "503", "429", "502"]):
            for key in (KEY, None):
                with self.subTest(faults=faults, key=key):
                    before, client = self.fake.state(), self.client(key)
                    self.fake.faults = list(faults)
                    answer = client.call("forecast", values=VALUES)
                    self.assertEqual(answer.result, {"points": VALUES})
                    self.assertEqual(answer.charged, 40 * PENNY)
                    self.assertEqual(answer.replayed, "lost-after" in faults or "fail-after" in faults)
                    self.money(client, 40)
                    after = self.fake.state()
                    self.assertEqual(after["charges"] - before["charges"], 1)
                    self.assertEqual(after["paid"] - before["paid"], 0 if key else 40 * PENNY)

    def test_unsettled_is_held_and_resumed(self) -> None:
        client = self.client()
        self.fake.faults = ["lost-after"] + ["lost-before"] * 4
        error = self.raises(tollbridge.Unsettled, lambda: client.call("forecast", values=VALUES))
        self.money(client, 0, held=40)
        self.fake.faults = ["unauthorized"]
        error = self.raises(tollbridge.Unsettled, lambda: client.resume(error))
        self.money(client, 0, held=40)
        answer = client.resume(error)
        self.assertTrue(answer.replayed)
        self.money(client, 40)
        self.assertEqual(self.fake.state()["charges"], 1)

    def test_refusals_cost_nothing(self) -> None:
        client = self.client()
        client.call("forecast", values=VALUES)
        for faults, kind, code in ((["503"] * 5, tollbridge.Unavailable, "E024"), (["429"] * 5, tollbridge.RateLimited, "E002"),
                                   (["unauthorized"], tollbridge.AccessDenied, "E001"), (["E017 0"], tollbridge.CallFailed, "E017")):
            self.fake.faults = list(faults)
            error = self.raises(kind, lambda: client.call("forecast", values=VALUES))
            self.assertEqual((error.code, error.request_id), (code, "req_1"))
            self.money(client, 40)
        error = self.raises(tollbridge.InvalidRequest, lambda: client.call("forecast", values=[]))
        self.assertEqual((error.field, error.status), ("/values", 400))
        self.fake.faults = ["429 500"]
        self.assertEqual(self.raises(tollbridge.RateLimited, lambda: client.call("forecast", values=VALUES)).retry_after, 500)
        self.money(client, 40)

    def test_wrong_input_is_told_before_it_is_paid(self) -> None:
        error = self.raises(tollbridge.InvalidRequest, lambda: self.client().call("forecast"))
        self.assertEqual(error.field, "/values")
        self.assertEqual(self.fake.state()["charges"], 0)

    def test_a_failure_that_was_charged(self) -> None:
        client = self.client()
        self.fake.faults = ["E017 7"]
        self.assertEqual(self.raises(tollbridge.CallFailed, lambda: client.call("forecast", values=VALUES)).charged, 7 * PENNY)
        self.money(client, 7)

    def test_prices_that_change(self) -> None:
        client = self.client()
        self.fake.faults = ["price 45"]
        self.assertEqual(client.call("forecast", values=VALUES).charged, 45 * PENNY)
        self.fake.faults = ["price 30"]
        self.assertEqual(client.call("forecast", values=VALUES).charged, 30 * PENNY)
        self.money(client, 75)
        self.fake.price = 26 * PENNY
        self.raises(tollbridge.BudgetExceeded, lambda: client.call("forecast", values=VALUES))
        self.money(client, 75)
        self.fake.price = 25 * PENNY
        self.assertEqual(client.call("forecast", values=VALUES).charged, 25 * PENNY)
        self.money(client, 100)
        self.assertEqual(self.fake.state()["charged"], 100 * PENNY)

    def test_too_dear_is_never_sent_paid(self) -> None:
        for key in (KEY, None):
            client = self.client(key, "0.39999")
            error = self.raises(tollbridge.BudgetExceeded, lambda: client.call("forecast", values=VALUES))
            self.assertEqual(error.over_by, 1)
            self.money(client, 0)
        self.assertEqual(self.fake.state()["requests"], ["POST /v1/oracle/forecast"] * 2)

    def test_intents_serve_until_they_are_used_up(self) -> None:
        client = self.client(None)
        for _ in range(2):
            self.assertEqual(client.call_any("pack", {"values": VALUES}).charged, 40 * PENNY)
            self.money(client, 100)
        self.raises(tollbridge.BudgetExceeded, lambda: client.call_any("pack", {"values": VALUES}))
        self.assertEqual(self.fake.state()["paid"], 100 * PENNY)

    def test_what_a_failure_leaves_of_an_intent_is_used(self) -> None:
        client = self.client(None, "1.40")
        self.fake.faults = ["E017 0.5"]
        error = self.raises(tollbridge.CallFailed, lambda: client.call_any("pack", {"values": VALUES}))
        self.assertEqual(error.charged, 500)
        self.money(client, 100)
        self.assertEqual(client.call_any("pack", {"values": VALUES}).charged, 40 * PENNY)
        self.assertEqual(client.call_any("pack", {"values": VALUES}).charged, 40 * PENNY)
        self.money(client, 100)

    def test_credit_that_is_used_up(self) -> None:
        self.fake.credit = 39 * PENNY
        client = self.client()
        self.assertEqual(client.call("forecast", values=VALUES).charged, 40 * PENNY)
        self.money(client, 40)
        self.assertEqual((self.fake.credit, self.fake.state()["paid"]), (39 * PENNY, 40 * PENNY))

    def test_a_payment_whose_reply_is_lost(self) -> None:
        client = self.client(None)
        self.fake.faults = ["pay-lost"]
        self.assertEqual(client.call("forecast", values=VALUES).charged, 40 * PENNY)
        self.money(client, 40)
        self.fake.faults = ["pay-lost"] * 5
        self.assertEqual(client.call("forecast", values=VALUES).charged, 40 * PENNY)
        self.money(client, 80)
        self.assertEqual(self.fake.state()["paid"], 80 * PENNY)

    def test_answers_that_look_like_errors(self) -> None:
        client = self.client()
        answer = client.agent_any("worker", None, {"code": "E024", "details": [1]})
        self.assertEqual(answer.result["input"]["code"], "E024")
        self.money(client, 40)

    def test_wallets(self) -> None:
        self.fake.sandbox = False
        seen: list[Any] = []

        def wallet(payment: Any) -> None:
            seen.append(payment)
            self.fake.intents[payment.id]["state"] = "paid"

        client = self.client(None, wallet=wallet)
        self.assertEqual(client.call("forecast", values=VALUES).charged, 40 * PENNY)
        self.assertEqual((seen[0].charge_gbp, seen[0].link), ("0.40", f"{self.fake.url}/pay/pt_pi_0"))
        self.money(client, 40)

        def broken(payment: Any) -> None:
            raise RuntimeError("no")

        client = self.client(None, wallet=broken)
        self.raises(tollbridge.PaymentRequired, lambda: client.call("forecast", values=VALUES))
        self.money(client, 0)

    def test_another_rail(self) -> None:
        class Signer:
            def pay(self, payment: Any) -> dict[str, str]:
                return {"X-Test-Signature": payment.raw["payment"]["payment_intent_id"]}

        client = self.client(None, payer=Signer())
        self.fake.faults = ["lost-after", "503"]
        self.assertEqual(client.call("forecast", values=VALUES).charged, 40 * PENNY)
        self.money(client, 40)
        self.fake.faults = ["E017 0"]
        self.raises(tollbridge.CallFailed, lambda: client.call("forecast", values=VALUES))
        self.money(client, 40)

    def test_payment_required_is_resumed(self) -> None:
        self.fake.sandbox = False
        client = self.client(None)
        error = self.raises(tollbridge.PaymentRequired, lambda: client.call("forecast", values=VALUES))
        self.assertEqual((error.payment.amount, error.payment.id, error.code), (40 * PENNY, "pi_0", "E003"))
        self.money(client, 0)
        error = self.raises(tollbridge.PaymentRequired, lambda: client.resume(error))
        self.fake.intents[error.payment.id]["state"] = "paid"
        self.assertEqual(client.resume(error).charged, 40 * PENNY)
        self.money(client, 40)
        self.assertEqual(self.fake.state()["paid"], 40 * PENNY)

    def test_quotes_pay_nothing(self) -> None:
        client = self.client()
        self.assertEqual(client.quote("forecast", values=VALUES).amount_gbp, "0.40")
        self.assertEqual(client.quote_agent("worker", "hello").amount, 40 * PENNY)
        self.assertEqual(self.fake.state()["charged"], 0)

    def test_nobody_there(self) -> None:
        client = self.make("http://127.0.0.1:9", KEY)
        self.addCleanup(client.close)
        self.raises(tollbridge.Unreachable, lambda: client.call("forecast", values=VALUES))
        self.money(client, 0)


class Async(Sync):
    make = Awaited

    def test_calls_at_once_stay_within_the_budget(self) -> None:
        client = self.client()

        async def many() -> list[Any]:
            calls = [client.inner.call("forecast", values=VALUES) for _ in range(6)]
            return await asyncio.gather(*calls, return_exceptions=True)

        outcomes = client.loop.run_until_complete(many())
        refused = [one for one in outcomes if isinstance(one, tollbridge.BudgetExceeded)]
        self.assertEqual((len(outcomes), len(refused)), (6, 4))
        self.money(client, 80)


if __name__ == "__main__":
    unittest.main()
