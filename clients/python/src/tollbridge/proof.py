"""Checks, without the server, that an answer is the one that was sealed.

A reading of the server's docs/ledger-format.md (sections 4 to 6) and docs/proofs.md.
Needs the extra `verify` (the package `cryptography`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Mapping

from ._call import Answer
from .errors import VerificationFailed

TASK_DOMAIN = "tollbridge task proof v1"


@dataclass(frozen=True)
class Keys:
    """Public keys of a server that are trusted."""

    checkpoints: tuple[str, ...]
    """Those that sign the ledger's checkpoints, like `host/worm+1a2b3c4d+AQ…`."""
    proofs: tuple[str, ...]
    """Those that sign proofs of tasks: 32 bytes, hex."""

    @classmethod
    def of_jwks(cls, jwks: Mapping[str, Any]) -> Keys:
        """Those of `/.well-known/jwks.json`."""
        by = {purpose: [key for key in jwks["keys"] if key.get("purpose") == purpose]
              for purpose in ("checkpoints", "proofs")}
        return cls(tuple(key["verifier_key"] for key in by["checkpoints"]),
                   tuple(base64.urlsafe_b64decode(key["x"] + "=").hex() for key in by["proofs"]))


@dataclass(frozen=True)
class Evidence:
    """What an answer is checked with."""

    proof: Mapping[str, Any]
    """The document of `/v1/ledger/proof/{seal}`."""
    record: str | None
    """The sealed record, exactly; only the account that paid can read it."""


@dataclass(frozen=True)
class Verified:
    """What was found to hold."""

    seal: str
    seq: int
    """Place of the record in the ledger."""
    tree_size: int
    """Records that the signed checkpoint covers."""
    origin: str
    checkpoint: str
    """The signed note: kept, it shows later that the ledger was not rewritten."""
    record: Mapping[str, Any] | None


def check(answer: Answer[Any], evidence: Evidence, keys: Keys, *, seal_only: bool = False) -> Verified:
    """Checks an answer, or raises `VerificationFailed` with the first thing that is wrong."""
    try:
        return _check(answer, evidence, keys, seal_only)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise VerificationFailed(f"the evidence is not well formed: {error!r}") from error


def canonical(value: Any) -> str:
    """A JSON value in the canonical form of RFC 8785."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(float(value))
    return json.dumps(value, ensure_ascii=False)


def _check(answer: Answer[Any], evidence: Evidence, keys: Keys, seal_only: bool) -> Verified:
    _need(answer.seal, "the answer has no seal: it cost nothing")
    proof = evidence.proof
    _need(proof["seal"] == answer.seal, "the proof is of another seal")
    leaf, seq, size, root = bytes.fromhex(proof["leaf_hash"]), proof["seq"], proof["tree_size"], proof["root"]
    _need(isinstance(seq, int) and isinstance(size, int) and 0 <= seq < size, "the record is not in the tree")
    origin = _check_checkpoint(proof["checkpoint"], size, root, keys)
    path = [bytes.fromhex(step) for step in proof["inclusion"]]
    _need(all(len(step) == 32 for step in [leaf, *path]) and len(path) <= 64, "a hash is not well formed")
    _need(_root(leaf, seq, size, path).hex() == root, "the path does not lead to the root")
    record = None
    if evidence.record is not None:
        raw = evidence.record.encode()
        _need(_sha(raw).hex() == answer.seal, "the record is not the one with this seal")
        _need(_sha(b"\0", raw) == leaf, "the record is not the one of the proof")
        record = json.loads(raw)
        _need(record["seq"] == seq, "the record is in another place")
        _check_record(answer, record)
    else:
        _need(seal_only, "without its record only the seal can be checked: use a key, or seal_only")
    if answer.is_agent:
        _check_task(answer, record, keys)
    return Verified(str(answer.seal), seq, size, origin, proof["checkpoint"], record)


def _check_checkpoint(note: str, size: int, root: str, keys: Keys) -> str:
    """Its origin; a known key must verify, and unknown ones are passed over."""
    text, gap, tail = note.rpartition("\n\n")
    origin, signed_size, signed_root = text.split("\n")
    _need(gap and tail.endswith("\n"), "not a checkpoint")
    _need(signed_size == str(size) and _base64(signed_root).hex() == root, "the checkpoint is of another tree")
    signed = False
    for line in tail[:-1].split("\n"):
        found = re.fullmatch("\u2014 ([^\\s+]+) ([A-Za-z0-9+/=]+)", line)
        _need(found, "a signature line is not well formed")
        assert found is not None
        signature = _base64(found[2])
        for key in keys.checkpoints:
            name, _, data = key.split("+", 2)
            public = _base64(data)
            key_id = _sha(name.encode(), b"\n", public)[:4]
            if (name, key_id) == (found[1], signature[:4]):
                _need(public[:1] == b"\1", "the key is of another kind")
                _verify(public[1:], signature[4:], (text + "\n").encode(), "the signature of the checkpoint")
                signed |= name == origin
    _need(signed, "no trusted key has signed the checkpoint")
    return origin


def _check_record(answer: Answer[Any], record: Mapping[str, Any]) -> None:
    body = record["body"]
    kind = "agent" if answer.is_agent else "bridge"
    _need(record["kind"] == "route" and body["plugin_kind"] == kind, "the record is not one of a call")
    _need(body["plugin"] == answer.name, "the record is of another bridge or agent")
    _need(f"tx_{record['tx']}" == answer.transaction, "the record is of another transaction")
    _need(body["gross_millipence"] == answer.charged, "the record takes another amount")
    if answer.is_agent:
        return
    salt = bytes.fromhex(body["salt"])
    _need(_sha(salt, answer.request).hex() == body["request_sha256"], "the record is of another request")
    _need(_sha(salt, answer.raw).hex() == body["answer_sha256"], "the answer is not the one that was sealed")
    said = json.loads(answer.raw)
    _need(answer.result == (said if answer.result == said else said["result"]), "the result was changed")


def _check_task(answer: Answer[Any], record: Mapping[str, Any] | None, keys: Keys) -> None:
    """The signed statement in an agent's answer, against answer, request and record."""
    body, request = json.loads(answer.raw), json.loads(answer.request)
    proof = body["proof"]
    signed, public = base64.b64decode(proof["signed"], validate=True), proof["public_key"]
    _need(public in keys.proofs, "the proof is signed by a key that is not trusted")
    _verify(bytes.fromhex(public), bytes.fromhex(proof["signature"]), signed, "the signature of the proof")
    said = json.loads(signed)
    _need(said["domain"] == TASK_DOMAIN and said == proof["statement"], "the statement is not the one that was signed")
    _need(said["task_id"] == proof["task_id"] == body["task_id"], "the proof is of another task")
    _need(said["worm_seal"] == answer.seal and said["slug"] == answer.name, "the proof is of another call")
    _need(body["output"] == answer.result, "the result was changed")
    output = _sha(canonical(body["output"]).encode()).hex()
    _need(output == said["output_sha256"], "the output is not the one that was proven")
    asked = {name: request[name] for name in ("input", "task") if request.get(name) not in (None, "")}
    # A task that is itself the text of a JSON object counts as input too.
    if "input" not in asked and (counted := _object(asked.get("task"))) is not None:
        asked["input"] = counted
    _need(_sha(canonical(asked).encode()).hex() == said["input_sha256"], "the proof is of another task")
    if record is not None:
        facts = record["body"]["task"]
        same = all(facts[name] == said[name] for name in ("input_sha256", "output_sha256"))
        _need(same, "record and proof do not say the same")


def _need(condition: object, message: str) -> None:
    if not condition:
        raise VerificationFailed(message)


def _verify(public: bytes, signature: bytes, signed: bytes, what: str) -> None:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise VerificationFailed("checking needs `pip install tollbridge[verify]`") from error
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed)
    except InvalidSignature:
        raise VerificationFailed(f"{what} does not hold") from None


def _sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def _root(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """The root that an audit path leads to: RFC 6962, section 2.1.1."""
    if size == 1:
        _need(not path, "the path is too long")
        return leaf
    _need(path, "the path is too short")
    left = 1 << ((size - 1).bit_length() - 1)
    if index < left:
        return _sha(b"\1", _root(leaf, index, left, path[:-1]), path[-1])
    return _sha(b"\1", path[-1], _root(leaf, index - left, size - left, path[:-1]))


def _base64(text: str) -> bytes:
    data = base64.b64decode(text, validate=True)
    _need(base64.b64encode(data).decode() == text, "not base64 in its only form")
    return data


def _object(text: Any) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _number(value: float) -> str:
    """A number as JavaScript writes it."""
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError("not a number of JSON")
    if value == 0:
        return "0"
    sign, text = ("-" if value < 0 else ""), repr(abs(value))
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if point > 0 else '-'}{abs(point - 1)}"
