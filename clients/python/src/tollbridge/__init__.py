"""Calls bridges and agents of a Tollbridge server, pays for them, and checks the answers."""

from ._call import Answer, Balance, Payer, Payment, Quote
from .client import AsyncClient, Client
from .errors import (
    AccessDenied,
    BudgetExceeded,
    CallFailed,
    Conflict,
    InvalidRequest,
    NotFound,
    PaymentRequired,
    RateLimited,
    ServerFault,
    TollbridgeError,
    Unavailable,
    Unreachable,
    Unsettled,
    VerificationFailed,
)
from .money import Budget, millipence, pounds
from .proof import Evidence, Keys, Verified, check

__version__ = "0.1.0"

__all__ = [
    "AccessDenied", "Answer", "AsyncClient", "Balance", "Budget", "BudgetExceeded", "CallFailed", "Client",
    "Conflict", "Evidence", "InvalidRequest", "Keys", "NotFound", "Payer", "Payment", "PaymentRequired", "Quote",
    "RateLimited", "ServerFault", "TollbridgeError", "Unavailable", "Unreachable", "Unsettled",
    "VerificationFailed", "Verified", "check", "millipence", "pounds",
]
