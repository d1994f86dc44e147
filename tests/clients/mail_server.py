"""A mail server that is not ours (aiosmtpd), for a Tollbridge that sends letters.

usage: mail_server.py CERTIFICATE KEY USER PASSWORD

Listens on a free port of this machine and prints it. Takes letters after STARTTLS and a login alone, and prints each
as a line of JSON: who logged in and how, the envelope, and what Python's own parser reads from the message. Ends with
its standard input.
"""

import asyncio
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


class Handler:
    """Prints letters."""

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        text, html = message.get_body(("plain",)), message.get_body(("html",))
        letter = {
            "login": session.auth_data,
            "tls": session.ssl is not None,
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "headers": {name: str(message[name]) for name in message},
            "from_name": message["from"].addresses[0].display_name,
            "type": message.get_content_type(),
            "text": text and text.get_content(),
            "html": html and html.get_content(),
            "defects": [str(defect) for part in message.walk() for defect in part.defects],
            "longest_line": max(map(len, envelope.content.split(b"\r\n"))),
        }
        print(json.dumps(letter), flush=True)
        return "250 2.0.0 taken"


def authenticator(user, password):
    def check(server, session, envelope, mechanism, data):
        is_it = isinstance(data, LoginPassword) and (data.login, data.password) == (user.encode(), password.encode())
        told = {"mechanism": mechanism, "user": user}
        return AuthResult(success=is_it, handled=False, auth_data=told if is_it else None)

    return check


async def main():
    certificate, key, user, password = sys.argv[1:]
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate, key)
    options = {
        "require_starttls": True,
        "auth_required": True,
        "auth_require_tls": True,
        "tls_context": tls,
        "authenticator": authenticator(user, password),
    }
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Handler(), loop=loop, **options), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
