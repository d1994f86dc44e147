"""Verifies webhooks as a receiver would: with the library of Standard Webhooks,
and with ten lines of HMAC. Standard input is a JSON list of {headers, body}."""

import hashlib
import hmac
import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def signature(secret, body):
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def main():
    secret = sys.argv[1]
    standard = Webhook(secret if secret.startswith("whsec_") else secret.encode())
    hooks = json.load(sys.stdin)
    assert hooks, "no webhooks"
    for hook in hooks:
        body, headers = hook["body"].encode(), hook["headers"]
        assert hmac.compare_digest(signature(secret, body), headers["x-service-signature"]), "X-Service-Signature"
        parsed = standard.verify(body, headers)
        assert parsed == json.loads(body)
        try:
            standard.verify(body.replace(b"data", b"date"), headers)
        except WebhookVerificationError:
            continue
        raise AssertionError("a changed body verifies")


main()
