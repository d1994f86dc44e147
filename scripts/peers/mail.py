"""E-mail addresses."""

from .tools import literals, report, source

PACKAGES = ["email-validator==2.3.0"]
SOURCES = PACKAGES


def addresses(ask, show):
    """Compares email_verification with email-validator, without DNS look-ups and with everything that the RFCs allow."""
    from email_validator import EmailNotValidError, validate_email
    tests = source("email_validator-2.3.0", "tests/test_syntax.py")
    texts = sorted({text for text in literals(tests, {"email_input"}) if text and len(text.encode()) <= 1000})

    def theirs(text):
        try:
            validate_email(text, check_deliverability=False, allow_quoted_local=True, allow_domain_literal=True)
            return True
        except EmailNotValidError:
            return False
    mine = {text: ask("email_verification", {"email": text}) for text in texts}
    report("email_verification", "email-validator", {text: bool(result and result["valid"]) for text, result in mine.items()},
           {text: theirs(text) for text in texts}, show)
