#!/usr/bin/env python3
"""Checks an export or a proof document of a Tollbridge ledger.

A second implementation of docs/ledger-format.md that shares nothing with the
server. Needs Python 3.9 or newer and the package `cryptography`.

    verify.py export FILE [--key KEY]... [--since NOTE]
    verify.py proof FILE --key KEY [--key KEY]... [--record FILE] [--since NOTE]

Prints what was checked and exits 0, or names the first thing that is wrong and
exits 1. KEY looks like host/worm+1a2b3c4d+AQ...
"""

import argparse
import base64
import hashlib
import json
import re
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

SAFE = 2**53 - 1
LINE_MAX = 196_608
RECORD_MAX = 65_536
PARTY = re.compile(r"[A-Za-z0-9_-]{1,64}")
NAME = re.compile(r"[A-Za-z0-9_.:/-]{1,128}")
DIGITS = re.compile(r"[0-9]{1,128}")
DECIMAL = re.compile(r"(?=.{1,128}$)[0-9]+(\.[0-9]+)?")
PRODUCT = re.compile(r"(?=.{1,128}\Z)(credit|(agent|tier):[A-Za-z0-9_.:/-]*)")
VERSION = re.compile(r"[A-Za-z0-9_.:/+-]{1,128}")
OPEN = {"processor:clearing", "processor:fees", "wallet:clearing", "sandbox:grants", "write_off"}


class Wrong(Exception):
    """The first thing that is wrong."""


def need(condition, message):
    if not condition:
        raise Wrong(message)


def members(pairs):
    need(len({name for name, _ in pairs}) == len(pairs), "a member appears twice")
    return dict(pairs)


def refuse(text):
    raise Wrong(f"{text} is not an integer")


def utf16_sorted(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return {name: utf16_sorted(value[name]) for name in names}
    if isinstance(value, list):
        return [utf16_sorted(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        need(abs(value) <= SAFE, f"{value} is not exact for everyone")
    return value


def canonical(text):
    """The value of a JSON text, which must be in canonical form."""
    try:
        value = json.loads(text, object_pairs_hook=members, parse_float=refuse, parse_constant=refuse)
        again = json.dumps(utf16_sorted(value), ensure_ascii=False, separators=(",", ":"))
        same = again.encode() == text.encode()
    except (ValueError, RecursionError) as error:
        raise Wrong(f"not canonical JSON: {error}") from None
    need(same, "not in canonical form")
    return value


def shape(value, what, **kinds):
    """Checks that an object has exactly these members; a name that ends in _ is optional."""
    need(isinstance(value, dict), f"{what} is not an object")
    known = {name.rstrip("_"): (kind, name.endswith("_")) for name, kind in kinds.items()}
    for name in value:
        need(name in known, f"{what} has a member {name!r}")
    for name, (kind, optional) in known.items():
        if name not in value:
            need(optional, f"{what} lacks {name!r}")
            continue
        item = value[name]
        if kind is int:
            good = isinstance(item, int) and not isinstance(item, bool)
        elif isinstance(kind, type):
            good = isinstance(item, kind)
        elif isinstance(kind, int):
            good = isinstance(item, str) and re.fullmatch(f"[0-9a-f]{{{kind}}}", item)
        elif isinstance(kind, set):
            good = isinstance(item, str) and item in kind
        else:
            good = isinstance(item, str) and kind.fullmatch(item)
        need(good, f"{what} has a wrong {name!r}")


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def leaf_hash(record):
    return sha(b"\0", record)


def inner(left, right):
    return sha(b"\1", left, right)


class Tree:
    """The right edge of a growing tree."""

    def __init__(self):
        self.size, self.edge = 0, []

    def add(self, leaf):
        index = self.size
        while index & 1:
            leaf, index = inner(self.edge.pop(), leaf), index >> 1
        self.edge.append(leaf)
        self.size += 1

    def root(self):
        if not self.edge:
            return sha()
        joined = self.edge[-1]
        for left in reversed(self.edge[:-1]):
            joined = inner(left, joined)
        return joined


def split(count):
    return 1 << ((count - 1).bit_length() - 1)


def root_of_path(leaf, index, size, path):
    """The root that an audit path leads to, by the recursion of section 2.1.1."""
    if size == 1:
        need(not path, "the path is too long")
        return leaf
    need(path, "the path is too short")
    left = split(size)
    if index < left:
        return inner(root_of_path(leaf, index, left, path[:-1]), path[-1])
    return inner(path[-1], root_of_path(leaf, index - left, size - left, path[:-1]))


def roots_of_consistency(old, new, path, old_root, whole=True):
    """Old and new root that a consistency proof leads to, by the recursion of section 2.1.2."""
    if old == new:
        if whole:
            need(not path, "the proof is too long")
            return old_root, old_root
        need(len(path) == 1, "the proof has the wrong length")
        return path[0], path[0]
    need(path, "the proof is too short")
    left = split(new)
    if old <= left:
        before, after = roots_of_consistency(old, left, path[:-1], old_root, whole)
        return before, inner(after, path[-1])
    before, after = roots_of_consistency(old - left, new - left, path[:-1], old_root, False)
    return inner(path[-1], before), inner(path[-1], after)


def b64(text):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        raise Wrong("not base64") from None
    need(base64.b64encode(data).decode() == text, "not base64 in its only form")
    return data


class Key:
    def __init__(self, text):
        parts = text.split("+", 2)
        need(len(parts) == 3, f"{text!r} is not a key")
        data = b64(parts[2])
        self.text, self.name, self.id = text, parts[0], sha(parts[0].encode(), b"\n", data)[:4]
        need(data[:1] == b"\1" and len(data) == 33 and self.id.hex() == parts[1], f"{text!r} is not a key")
        self.public = Ed25519PublicKey.from_public_bytes(data[1:])


class Checkpoint:
    def __init__(self, note):
        self.text, gap, tail = note.rpartition("\n\n")
        lines = self.text.split("\n")
        need(gap and tail.endswith("\n") and len(lines) == 3, "not a checkpoint")
        self.origin, size, root = lines
        need(re.fullmatch(r"0|[1-9][0-9]{0,18}", size), "the size of the checkpoint is not a number")
        self.size, self.root, self.signatures = int(size), b64(root), []
        need(len(self.root) == 32, "the root of the checkpoint is not a hash")
        for line in tail[:-1].split("\n"):
            found = re.fullmatch("\u2014 ([^\\s+]+) ([A-Za-z0-9+/=]+)", line)
            need(found, "a signature line is not well formed")
            data = b64(found[2])
            need(len(data) > 4, "a signature is too short")
            self.signatures.append((found[1], data[:4], data[4:]))

    def verify(self, keys):
        """The first of the keys that signed; a known key must verify, others are ignored."""
        signer = None
        for name, key_id, signature in self.signatures:
            key = next((key for key in keys if (key.name, key.id) == (name, key_id)), None)
            if key is None:
                continue
            try:
                key.public.verify(signature, (self.text + "\n").encode())
            except InvalidSignature:
                raise Wrong(f"the signature of {name} does not match the checkpoint") from None
            signer = signer or key
        need(signer, "no trusted key has signed the checkpoint")
        need(signer.name == self.origin, "the checkpoint is of another ledger")
        return signer


def payer(body):
    value = body["payer"]
    if "intent" in value:
        shape(value, "payer", intent=PARTY)
        return "unearned:" + value["intent"]
    if "task" in value:
        shape(value, "payer", task=dict)
        shape(value["task"], "payer", account=PARTY, task=PARTY)
        return "held:" + value["task"]["task"]
    shape(value, "payer", account=PARTY)
    return "credit:" + value["account"]


def transfer(source, target, amount):
    need(amount > 0, "the amount is not positive")
    return [(source, -amount), (target, amount)]


PLUGIN_KINDS = {"bridge", "agent"}
PLUGIN_ACTS = {"activate", "approve", "pin", "unpin", "rollback", "yank", "unyank", "disable", "enable", "canary", "end_canary"}
BODIES = {
    "policy": dict(mode={"sandbox", "live"}, display_name=str, developer=int, platform=int, treasury=int, floor=int),
    "payment": dict(intent=PARTY, bridge=NAME, account_=PARTY, processor=NAME, reference_=NAME, token_=dict,
                    amount_millipence=int),
    "grant": dict(account=PARTY, amount_millipence=int),
    "goodwill": dict(account=PARTY, reason=NAME, source={"grant", "platform", "deposit"}, amount_millipence=int),
    "topup": dict(intent=PARTY, account=PARTY, amount_millipence=int),
    "refund": dict(payer=dict, stage={"owed", "paid", "returned", "failed"}, reason=NAME, reference_=NAME, amount_millipence=int),
    "route": dict(plugin=NAME, plugin_kind=PLUGIN_KINDS, version=VERSION, component_sha256=64, payer=dict, owner=PARTY,
                  earnings={"available", "pending"}, gross_millipence=int, inference_millipence_=int, shares=dict, policy=64,
                  request_id=NAME, salt=32, request_sha256=64, answer_sha256=64, nested_=list, task_=dict),
    "nested": dict(plugin=NAME, plugin_kind=PLUGIN_KINDS, version=VERSION, component_sha256=64, owner=PARTY,
                   earnings={"available", "pending"}, policy=64, request_id=NAME, nested=list,
                   gross_millipence_=int, inference_millipence_=int, payer_=dict),
    "task": dict(task=PARTY, account=PARTY, agent=NAME, amount_millipence=int,
                 stage={"held", "failed", "refused", "canceled"}),
    "inference": dict(account=PARTY, amount_millipence=int, cached_tokens=int, estimated=bool, input_tokens=int,
                      model=NAME, output_tokens=int, provider=NAME, request_id=NAME, wallet_=dict),
    "plugin": dict(act=PLUGIN_ACTS, plugin=NAME, plugin_kind=PLUGIN_KINDS, version_=VERSION, component_sha256_=64,
                   publisher_=NAME, by=NAME),
    "publisher": dict(act={"trust", "revoke"}, publisher=NAME, public_key_=64, by=NAME),
    "event": dict(event=NAME, data=dict),
    "earn_budget": dict(source={"grant", "platform", "deposit"}, amount_millipence=int),
    "earn": dict(account=PARTY, task=PARTY, salt=32, result_sha256=64, amount_millipence=int),
    "transfer": dict(purpose={"a2a", "memory"}, account=PARTY, from_agent_=NAME, agent=NAME, owner=PARTY,
                     earnings={"available", "pending"}, gross_millipence=int, shares=dict, policy=64, salt=32,
                     request_sha256=64),
    "purchase": dict(intent=PARTY, account=PARTY, product=PRODUCT, processor=NAME, reference_=NAME, token_=dict,
                     amount_millipence=int),
    "fee": dict(processor=NAME, reference=NAME, amount_millipence=int),
    "withdraw": dict(account=PARTY, withdrawal=PARTY, stage={"reserved", "settled", "failed", "rejected", "returned"},
                     reason_=NAME, reference_=NAME, amount_millipence=int),
    "dispute": dict(dispute=NAME, payer=dict, stage={"opened", "relieved", "won"}, amount_millipence=int,
                    recovered_millipence=int, credit_=dict, held_=list),
    "release": dict(below=int, accounts=list),
}


CALL = dict(plugin=NAME, plugin_kind=PLUGIN_KINDS, version=VERSION, component_sha256=64, owner=PARTY,
            failed_=bool, gross_millipence=int, inference_millipence_=int, parent=int, shares=dict)
FACTS = dict(started_ms=int, finished_ms=int, input_sha256=64, output_sha256=64)


NOTHING = {"developer_millipence": 0, "platform_millipence": 0, "treasury_millipence": 0}


def models_of(call, gross):
    """What models took of a call."""
    models = call.get("inference_millipence", 0)
    need(0 <= models <= gross, "models took more than the gross amount")
    need(models or "inference_millipence" not in call, "models took nothing and it is written")
    return models


class Books:
    def __init__(self):
        self.rules, self.rules_seal, self.balances, self.txs = None, None, {}, set()

    def enter(self, record, seal):
        kind, body = record["kind"], record["body"]
        need(record["tx"] not in self.txs, "the transaction was sealed before")
        self.txs.add(record["tx"])
        need(kind in BODIES, f"kind {kind!r} is unknown")
        shape(body, "body", **BODIES[kind])
        if kind == "policy":
            self.check_policy(body)
            self.rules, self.rules_seal = body, seal
        need(self.rules, "the first record is not a policy")
        expected, found = self.postings(kind, body), []
        for leg in record["postings"]:
            shape(leg, "posting", account=str, amount_millipence=int)
            found.append((leg["account"], leg["amount_millipence"]))
        need(sum(amount for _, amount in found) == 0, "the postings do not sum to zero")
        need(found == [leg for leg in expected if leg[1]], "the postings are not those that the body calls for")
        for account, amount in found:
            self.balances[account] = self.balances.get(account, 0) + amount
        for account, _ in found:
            balance = self.balances.get(account, 0)
            need(account in OPEN or balance >= 0, f"account {account} falls to {balance}")
            if balance == 0:
                self.balances.pop(account, None)

    def check_policy(self, body):
        shares = [body[name] for name in ("developer", "platform", "treasury")]
        need(all(share >= 0 for share in shares) and sum(shares) == 1000, "the shares do not sum to 100 %")
        need(0 <= body["floor"] <= body["developer"], "the developer's share is below its floor")
        need(not self.rules or self.rules["mode"] == body["mode"], "the mode changes")
        name = body["display_name"]
        plain = not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in name)
        need(1 <= len(name.encode()) <= 128 and plain, "the display name is not well formed")

    def clearing(self, body):
        """Where money comes from that was paid in a token, or in pounds."""
        token, sandbox = body.get("token"), self.rules["mode"] == "sandbox"
        if token is not None:
            shape(token, "token", amount=DIGITS, asset=NAME, network=NAME, rate=DECIMAL, rate_as_of_s=int, rate_source=NAME)
        in_tokens = token is not None
        need(sandbox or (body["processor"] == "x402") == in_tokens, "tokens are paid by x402, and nothing else is")
        return "wallet:clearing" if in_tokens else "processor:clearing"

    def house(self, body):
        """Where money comes from that the house spends."""
        sandbox = self.rules["mode"] == "sandbox"
        need(body["source"] != ("deposit" if sandbox else "grant"), "the source of the money is not one of this mode")
        return {"grant": "sandbox:grants", "platform": "platform", "deposit": "processor:clearing"}[body["source"]]

    def postings(self, kind, body):
        amount, sandbox = body.get("amount_millipence"), self.rules["mode"] == "sandbox"
        if kind == "payment":
            need((body["processor"] == "sandbox") == sandbox, "the processor is not one of this mode")
            return transfer(self.clearing(body), "unearned:" + body["intent"], amount)
        if kind == "grant":
            need(sandbox, "test credit in a ledger of real money")
            return transfer("sandbox:grants", "credit:" + body["account"], amount)
        if kind == "goodwill":
            return transfer(self.house(body), "credit:" + body["account"], amount)
        if kind == "topup":
            return transfer("unearned:" + body["intent"], "credit:" + body["account"], amount)
        if kind == "refund":
            source = payer(body)
            if body["stage"] == "owed":
                return transfer(source, "refunds", amount)
            if body["stage"] == "failed":
                return transfer("refunds", source, amount)
            if body["stage"] == "returned":
                return transfer("processor:clearing", "refunds", amount)
            return transfer("refunds", "processor:clearing", amount)
        if kind == "inference":
            need(min(body["input_tokens"], body["cached_tokens"], body["output_tokens"]) >= 0, "tokens are negative")
            wallet = body.get("wallet")
            if wallet is None:
                return transfer("credit:" + body["account"], "providers", amount)
            shape(wallet, "wallet", intent=PARTY, processor=NAME, reference=NAME, token=dict)
            sandbox = self.rules["mode"] == "sandbox"
            need((wallet["processor"] == "sandbox") == sandbox, "the processor is not one of this mode")
            return transfer(self.clearing(wallet), "providers", amount)
        if kind == "earn_budget":
            return transfer(self.house(body), "earn_budget", amount)
        if kind == "earn":
            return transfer("earn_budget", "dev:" + body["account"] + ":available", amount)
        if kind == "transfer":
            need(body["gross_millipence"] > 0, "the amount is not positive")
            return self.calls(body, body["gross_millipence"], body["shares"], "credit:" + body["account"])
        if kind == "purchase":
            need((body["processor"] == "sandbox") == sandbox, "the processor is not one of this mode")
            tier = body["product"].startswith("tier:")
            return transfer(self.clearing(body), "platform" if tier else "credit:" + body["account"], amount)
        if kind == "fee":
            fees = ("processor:fees", "processor:clearing")
            return transfer(*fees, amount) if amount > 0 else transfer(*reversed(fees), -amount)[::-1]
        if kind == "withdraw":
            return self.withdraw(body["account"], body["withdrawal"], body["stage"], amount)
        if kind == "dispute":
            return self.dispute(payer(body), amount, body)
        if kind == "release":
            return self.release(body["accounts"], body["below"])
        if kind == "task":
            need(amount >= 0, "the amount is negative")
            credit, held = "credit:" + body["account"], "held:" + body["task"]
            return [(credit, -amount), (held, amount)] if body["stage"] == "held" else [(held, -amount), (credit, amount)]
        if kind == "nested":
            gross, paid = body.get("gross_millipence", 0), "payer" in body
            need(paid == (gross > 0), "it has a payer of nothing, or a gross that nobody pays")
            need(paid or "gross_millipence" not in body, "nothing was paid and it is written")
            need(body["nested"] or "inference_millipence" in body, "it lists no call")
            return self.calls(body, gross, NOTHING, payer(body) if paid else None)
        if kind == "route":
            if "task" in body:
                shape(body["task"], "task", **FACTS)
                need(min(body["task"]["started_ms"], body["task"]["finished_ms"]) >= 0, "a time is negative")
            return self.calls(body, body["gross_millipence"], body["shares"], payer(body))
        return []

    @staticmethod
    def withdraw(account, withdrawal, stage, amount):
        available, transit = f"dev:{account}:available", f"in_transit:{withdrawal}"
        if stage == "reserved":
            return transfer(available, transit, amount)
        if stage == "settled":
            return transfer(transit, "processor:clearing", amount)
        return transfer("processor:clearing" if stage == "returned" else transit, available, amount)

    @staticmethod
    def dispute(source, amount, body):
        recovered, credit, held = body["recovered_millipence"], body.get("credit"), body.get("held")
        need(amount > 0 and recovered >= 0, "the amounts of the dispute cannot be")
        need(held is None or 1 <= len(held) <= 30, "it takes from nobody's earnings, or too many")
        borne = [(source, recovered)]
        if credit is not None:
            shape(credit, "credit", account=PARTY, amount_millipence=int)
            need(source.startswith("unearned:"), "only an intent's money can have become credit")
            need(credit["amount_millipence"] > 0, "it takes no credit")
            borne.append(("credit:" + credit["account"], credit["amount_millipence"]))
        for one in held or []:
            shape(one, "held", account=PARTY, amount_millipence=int)
            need(one["amount_millipence"] > 0, "it takes nothing of somebody's earnings")
            borne.append((f"dev:{one['account']}:pending", one["amount_millipence"]))
        names = [one["account"] for one in held or []]
        need(names == sorted(set(names)), "the accounts that it takes from are not in order")
        if body["stage"] == "relieved":
            need(recovered == amount and credit is None, "all that relieves a dispute is the payer's")
            back = borne[1:]
            written_off = amount - sum(part for _, part in back)
            need(written_off >= 0, "more is given back than came back")
            return [("refunds", -amount)] + back + [("write_off", written_off)]
        lost = amount - sum(part for _, part in borne)
        need(lost >= 0, "more is taken than is disputed")
        sign = 1 if body["stage"] == "opened" else -1
        return [(name, -sign * part) for name, part in borne + [("write_off", lost), ("processor:clearing", -amount)]]

    @staticmethod
    def release(accounts, below):
        need(below >= 0 and 1 <= len(accounts) <= 40, "a release of nothing, or of too much")
        legs = []
        for one in accounts:
            shape(one, "release", account=PARTY, amount_millipence=int)
            name = one["account"]
            legs += transfer(f"dev:{name}:pending", f"dev:{name}:available", one["amount_millipence"])
        names = [one["account"] for one in accounts]
        need(names == sorted(set(names)), "the accounts of a release are not in order")
        return legs

    def calls(self, body, gross, shares, source):
        """Postings of a call and of those below it: everyone's margin, split."""
        need(body["policy"] == self.rules_seal, "the call names a policy that is not in force")
        nested = body.get("nested")
        need(nested is None or nested or body.get("shares") is None, "a list of nested calls is empty")
        need(len(nested or []) <= 32, "there are too many nested calls")
        tree = [(body["owner"], gross, shares)]
        margins, models = [gross - models_of(body, gross)], models_of(body, gross)
        for place, call in enumerate(nested or []):
            shape(call, "nested call", **CALL)
            need(call.get("failed", True), "a call that did not fail is marked")
            need(0 <= call["parent"] <= place, "a nested call stands before the one that made it")
            tree.append((call["owner"], call["gross_millipence"], call["shares"]))
            took = models_of(call, call["gross_millipence"])
            margins.append(call["gross_millipence"] - took)
            models += took
            margins[call["parent"]] -= call["gross_millipence"]
        need(all(own >= 0 for _, own, _ in tree), "a gross amount is negative")
        sums = {"providers": models} if models else {}
        for (owner, _, found), margin in zip(tree, margins):
            need(found is None or found == self.shares(margin), "the shares are not those of the policy in force")
            if margin < 0:
                legs = {f"credit:{owner}": margin}
            else:
                split = list(self.shares(margin).values())
                legs = dict(zip([f"dev:{owner}:{body['earnings']}", "platform", "treasury"], split))
            for account, amount in legs.items():
                sums[account] = sums.get(account, 0) + amount
        first = [(source, sums.pop(source, 0) - gross)] if source else []
        return first + sorted(sums.items())

    def shares(self, margin):
        gross = max(margin, 0)
        developer = gross * self.rules["developer"] // 1000
        treasury = gross * self.rules["treasury"] // 1000
        platform = gross - developer - treasury
        return {"developer_millipence": developer, "platform_millipence": platform, "treasury_millipence": treasury}


class Export:
    def __init__(self, pinned, since):
        self.pinned, self.since, self.header = pinned, since, None
        self.tree, self.books = Tree(), Books()
        self.prev, self.time, self.newest, self.checkpoints = "0" * 64, 0, None, 0
        self.used, self.listed, self.listed_count, self.ended, self.since_seen = set(), "", 0, False, False

    def line(self, value):
        need(not self.ended, "something follows the last line")
        if self.header is None:
            return self.read_header(value)
        complete = self.tree.size == self.header["size"]
        if "record" in value:
            shape(value, "line", record=str)
            need(not complete, "there are more records than the header says")
            return self.read_record(value["record"])
        if "checkpoint" in value:
            shape(value, "line", checkpoint=str)
            need(not self.listed, "a checkpoint stands among the balances")
            return self.read_checkpoint(Checkpoint(value["checkpoint"]))
        need(complete, "there are fewer records than the header says")
        if "end" in value:
            shape(value, "line", end=dict)
            return self.read_end(value["end"])
        shape(value, "line", account=str, millipence=int)
        account, amount = value["account"], value["millipence"]
        good = account > self.listed and amount and self.books.balances.get(account) == amount
        need(good, f"the balance of {account} is another, or the balances are not sorted")
        self.listed, self.listed_count = account, self.listed_count + 1
        return None

    def read_header(self, value):
        shape(value, "header", format=str, keys=list, origin=str, size=int, v=int)
        need(value["format"] == "tollbridge-ledger" and value["v"] == 1, "the format is another")
        need(value["size"] >= 0 and all(isinstance(key, str) for key in value["keys"]), "the header is not well formed")
        self.header, self.keys = value, [Key(text) for text in value["keys"]]
        need(all(key.name == value["origin"] for key in self.keys), "a key is of another ledger")
        if self.since:
            self.since.verify(self.pinned + self.keys)
            need(self.since.origin == value["origin"], "the older checkpoint is of another ledger")
            need(self.since.size <= value["size"], "the ledger was cut or set back: the older checkpoint covers more")
        self.check_since()

    def read_record(self, text):
        raw = text.encode()
        need(len(raw) <= RECORD_MAX, "the record is too long")
        record = canonical(text)
        shape(record, "record", body=dict, kind=str, postings=list, prev=64, seq=int, time_ms=int, tx=64, v=int)
        need(record["v"] == 1, "the record is of another version")
        need(record["seq"] == self.tree.size, f"record {record['seq']} stands where {self.tree.size} belongs")
        need(record["prev"] == self.prev, "the record does not follow the one before")
        need(record["time_ms"] >= self.time, "the record is older than the one before")
        self.time, self.prev = record["time_ms"], sha(raw).hex()
        self.books.enter(record, self.prev)
        self.tree.add(leaf_hash(raw))
        self.check_since()

    def read_checkpoint(self, checkpoint):
        key = checkpoint.verify(self.keys)
        need(checkpoint.origin == self.header["origin"], "the checkpoint is of another ledger")
        repeated = self.newest and self.newest[0].size >= checkpoint.size
        need(checkpoint.size == self.tree.size and not repeated, "the checkpoint stands in the wrong place")
        need(checkpoint.root == self.tree.root(), "the root is not the signed one: a record was changed")
        self.used.add(key.text)
        self.checkpoints, self.newest = self.checkpoints + 1, (checkpoint, key)

    def read_end(self, counts):
        found = {"accounts": len(self.books.balances), "checkpoints": self.checkpoints, "records": self.tree.size}
        need(counts == found, f"the file says {counts}, it has {found}")
        # Sorted and each of them good: as many as there are means all of them.
        need(self.listed_count == len(self.books.balances), "an account is not listed")
        need(self.used == {key.text for key in self.keys}, "a key is listed but signed nothing")
        if self.pinned:
            good = self.newest and self.newest[1].text in {key.text for key in self.pinned}
            need(good, "the newest checkpoint has another key, or there is none")
        self.ended = True

    def check_since(self):
        if self.since and not self.since_seen and self.since.size == self.tree.size:
            self.since_seen = True
            need(self.since.root == self.tree.root(), "the ledger was rewritten since the older checkpoint")

    def summary(self):
        need(self.ended, "the file ends before its last line")
        covered = self.newest[0].size if self.newest else 0
        key = f"{self.newest[1].text} ({'pinned' if self.pinned else 'NOT pinned'})" if self.newest else "none"
        lines = [f"good: {self.tree.size} records of {self.header['origin']}, {self.checkpoints} checkpoints",
                 f"covered by the newest checkpoint: {covered}, not covered yet: {self.tree.size - covered}",
                 f"root {self.tree.root().hex()}", f"newest seal {self.prev}", f"key {key}"]
        if self.since:
            lines.append(f"grown from the older checkpoint of {self.since.size} records")
        return "\n".join(lines)


def check_export(path, keys, since):
    export, number = Export(keys, since), 0
    with open(path, "rb") as file:
        while raw := file.readline(LINE_MAX + 2):
            number += 1
            try:
                need(len(raw) <= LINE_MAX + 1 and raw.endswith(b"\n"), "the line is too long or not ended")
                value = canonical(raw[:-1].decode())
                need(isinstance(value, dict), "the line is not an object")
                export.line(value)
            except UnicodeDecodeError:
                raise Wrong(f"line {number}: not UTF-8") from None
            except Wrong as wrong:
                raise Wrong(f"line {number} (record {export.tree.size}): {wrong}") from None
    return export.summary()


def check_proof(path, keys, record_path, since):
    with open(path, encoding="utf-8") as file:
        proof = json.load(file, object_pairs_hook=members, parse_float=refuse, parse_constant=refuse)
    shape(proof, "proof", seal=64, seq=int, leaf_hash=64, tree_size=int, root=64, inclusion=list, checkpoint=str,
          consistency_=dict)
    checkpoint = Checkpoint(proof["checkpoint"])
    key = checkpoint.verify(keys)
    size, root, seq = proof["tree_size"], bytes.fromhex(proof["root"]), proof["seq"]
    need((checkpoint.size, checkpoint.root) == (size, root), "the checkpoint is of another tree")
    need(0 <= seq < size, "the record is not in the tree")
    leaf = bytes.fromhex(proof["leaf_hash"])
    need(root_of_path(leaf, seq, size, hashes(proof["inclusion"])) == root, "the path does not lead to the root")
    lines = [f"good: record {seq} is one of the {size} of {checkpoint.origin}", f"key {key.text}"]
    if record_path:
        with open(record_path, "rb") as file:
            raw = file.read(RECORD_MAX + 1)
        need(sha(raw).hex() == proof["seal"] and leaf_hash(raw) == leaf, "the record is not the one of the proof")
        need(canonical(raw.decode())["seq"] == seq, "the record is not the one of the proof")
        lines.append("the record at hand is that record")
    else:
        lines.append("that the record has this seal is the host's word: give --record to check it")
    if since:
        since.verify(keys)
        need(since.origin == checkpoint.origin, "the older checkpoint is of another ledger")
        check_grown(since, proof, size, root)
        lines.append(f"grown from the older checkpoint of {since.size} records")
    return "\n".join(lines)


def check_grown(since, proof, size, root):
    shown = proof.get("consistency")
    if since.size in (0, size):
        return need(since.root == (root if since.size else sha()), "the ledger was rewritten")
    need(shown, "the document has no consistency proof; ask for one")
    shape(shown, "consistency", **{"from": int, "hashes": list})
    need(shown["from"] == since.size < size, "the consistency proof is from another size; ask for one")
    before, after = roots_of_consistency(since.size, size, hashes(shown["hashes"]), since.root)
    need(before == since.root and after == root, "the ledger was rewritten since the older checkpoint")


def hashes(values):
    need(len(values) <= 128, "the path is too long")
    for value in values:
        need(isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value), "a hash is not well formed")
    return [bytes.fromhex(value) for value in values]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["export", "proof"])
    parser.add_argument("file")
    parser.add_argument("--key", action="append", default=[], help="a key you trust; may be repeated")
    parser.add_argument("--since", help="file with an older checkpoint")
    parser.add_argument("--record", help="file with the bytes of the record (proof only)")
    options = parser.parse_args()
    try:
        keys = [Key(text) for text in options.key]
        since = None
        if options.since:
            with open(options.since, encoding="utf-8", newline="") as file:
                since = Checkpoint(file.read())
        if options.what == "export":
            print(check_export(options.file, keys, since))
        else:
            need(keys, "a proof needs a key that you trust: --key")
            print(check_proof(options.file, keys, options.record, since))
    except (Wrong, OSError, ValueError) as wrong:
        print(f"WRONG: {wrong}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
