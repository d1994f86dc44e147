"""Amounts, and the budget of a client: whole thousandths of a penny, never floats."""

from __future__ import annotations

import re
import threading
from decimal import Decimal

from .errors import BudgetExceeded

PER_PENNY = 1_000
PER_POUND = 100 * PER_PENNY
_POUNDS = re.compile(r"£?([0-9]{1,10})(?:\.([0-9]+))?")


def millipence(pounds: str | int | Decimal) -> int:
    """Pounds, like `"0.40"` or `"£12.34"`, in thousandths of a penny; floats are refused."""
    if isinstance(pounds, (bool, float)) or not isinstance(pounds, (str, int, Decimal)):
        raise TypeError(f"an amount is a string like '1.00', not {pounds!r}: floats are not exact")
    text = format(pounds, "f") if isinstance(pounds, Decimal) else str(pounds)
    found = _POUNDS.fullmatch(text)
    fraction = (found[2] or "").rstrip("0") if found else ""
    if found is None or len(fraction) > 5:
        raise ValueError(f"{text!r} is not an amount in pounds, exact to a thousandth of a penny")
    return int(found[1]) * PER_POUND + int(fraction.ljust(5, "0"))


def pounds(amount: int) -> str:
    """Thousandths of a penny as pounds: two digits after the point, or as many more as there are."""
    whole, rest = divmod(abs(amount), PER_POUND)
    digits = f"{rest:05}"
    sign = "-" if amount < 0 else ""
    return f"{sign}{whole}.{digits[:2]}{digits[2:].rstrip('0')}"


class Budget:
    """What a client may still spend. Amounts are thousandths of a penny.

    A paid call first holds the most that it may cost. Its outcome turns the hold into
    what was charged; while the outcome is unknown, the hold stays.
    """

    def __init__(self, limit: str | int | Decimal) -> None:
        self.limit = millipence(limit)
        self._spent = 0
        self._held = 0
        self._lock = threading.Lock()

    @property
    def spent(self) -> int:
        """Charged so far."""
        return self._spent

    @property
    def held(self) -> int:
        """Set aside for calls that run, or whose outcome is not known."""
        return self._held

    @property
    def remaining(self) -> int:
        """What new calls may cost together."""
        with self._lock:
            return self.limit - self._spent - self._held

    def hold(self, amount: int) -> None:
        """Sets an amount aside, or raises `BudgetExceeded`."""
        with self._lock:
            over = self._spent + self._held + amount - self.limit
            if over > 0:
                raise BudgetExceeded(needed=amount, over_by=over)
            self._held += amount

    def settle(self, held: int, charged: int) -> None:
        """Ends a hold with what was charged."""
        with self._lock:
            self._held -= held
            self._spent += charged
