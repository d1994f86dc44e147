"""The interface of a Python bridge to its host.

Written by `tollbridge plugin new`; `tollbridge plugin new --update-sdk .`
replaces this file and any changes in it.
"""

import json
import sys
import traceback
from dataclasses import dataclass
from typing import Any, Callable, Optional


@dataclass
class Stored:
    """A stored resource of the caller."""

    id: str
    content_type: str
    bytes: bytes


@dataclass
class Call:
    """The current call."""

    request_id: str
    """The id that operator and caller see in logs and headers."""
    deadline_ms: int
    """Time left, in milliseconds."""
    now_ms: int
    """Wall clock at the start of the call, Unix time in milliseconds."""
    caller: Optional[str]
    """A stable pseudonym of the paying account; None without a key."""
    resource: Optional[Stored]
    """The stored resource that the input's `resource_id` names."""

    def stored_text(self) -> str:
        """Returns the text of the stored resource; raises an invalid-input error if there is none."""
        if self.resource is None:
            raise invalid("/resource_id", "there is no such stored resource")
        try:
            return self.resource.bytes.decode()
        except UnicodeDecodeError:
            raise invalid("/resource_id", "the stored resource is not text in UTF-8") from None


class PluginError(Exception):
    """An answer that is an error. The caller is never charged for one."""

    def __init__(self, kind: str, message: str, field: str = "") -> None:
        super().__init__(message)
        self.kind, self.message, self.field = kind, message, field


def invalid(field: str, message: str) -> PluginError:
    """The caller's mistake: 400 E011. `field` is a JSON pointer, for example `/values/3`."""
    return PluginError("invalid-input", message, field)


def not_found(what: str) -> PluginError:
    """The requested item does not exist: 404 E012."""
    return PluginError("not-found", what)


def unavailable(what: str) -> PluginError:
    """Something this bridge needs is missing on this server: 503 E027."""
    return PluginError("unavailable", what)


def no_provider(message: str) -> PluginError:
    """Inference is needed, but no provider is configured: 503 E005. `message` is the error of `inference`."""
    return PluginError("no-provider", message)


def upstream(message: str) -> PluginError:
    """A service that this bridge called failed: 502 E017."""
    return PluginError("upstream", message)


def answer(handle: Callable[[Any, Call], Any], call: Any, data: bytes) -> bytes:
    """Carries out one call; every exception becomes a `PluginError`."""
    _seed_random()
    stored = call.resource and Stored(call.resource.id, call.resource.content_type, call.resource.bytes)
    known = Call(call.request_id, call.deadline_ms, call.now_ms, call.caller, stored)
    try:
        output = handle(json.loads(data), known)
        if not isinstance(output, dict):
            raise TypeError(f"handle must return a dict, not {type(output).__name__}")
        return json.dumps(output, ensure_ascii=False, allow_nan=False).encode()
    except PluginError:
        raise
    except Exception as error:
        # For the operator; never shown to the caller. The trace starts in the bridge, not here.
        begin = error.__traceback__ and error.__traceback__.tb_next
        told = traceback.format_exception(type(error), error, begin)
        raise PluginError("internal", "".join(told).rstrip()) from None


def _seed_random() -> None:
    """Seeds the generator: an instance starts from a snapshot made when the bridge
    was built, so every call would otherwise get the same numbers."""
    random = sys.modules.get("random")
    if random is not None:
        random.seed()
