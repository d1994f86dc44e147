"""Mean, minimum and maximum of a list of numbers."""

import math
from typing import TypedDict

from tollbridge import Call, invalid


class Input(TypedDict, total=False):
    """The format in schema/input.json."""

    values: list[float]
    resource_id: str


class Output(TypedDict):
    """The format in schema/output.json."""

    count: int
    mean: float
    min: float
    max: float


def handle(input: Input, call: Call) -> Output:
    """Answers one call. The result is sent to the caller as JSON; an error costs
    the caller nothing."""
    values = input["values"] if "values" in input else lines(input, call)
    if not values:
        raise invalid("/values", "give at least one number")
    try:
        mean = sum(values) / len(values)
    except OverflowError:
        mean = math.inf
    if not math.isfinite(mean):
        raise invalid("/values", "these numbers are too large to add up")
    return {"count": len(values), "mean": mean, "min": min(values), "max": max(values)}


def lines(input: Input, call: Call) -> list[float]:
    if "resource_id" not in input:
        raise invalid("/values", "give `values` or `resource_id`")
    return [number(at, line) for at, line in enumerate(call.stored_text().splitlines(), 1)]


def number(at: int, line: str) -> float:
    try:
        value = float(line)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise invalid("/resource_id", f"line {at} is not a number: {line}")
    return value
