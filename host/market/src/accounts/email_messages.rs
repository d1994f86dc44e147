//! Texts of e-mails that are sent to account holders.

use std::time::Duration;

use tollbridge_access::limits::EMAIL_LINK_MS;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::{DAY_MS, rfc3339};
use tollbridge_mail::{EmailKind, EmailMessage, Paragraph};

/// An event about which the account holder is notified by e-mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccountNotice {
    /// An API key that can manage the account was created after a sign-in by e-mail.
    KeyCreated {
        /// Unix milliseconds from which earnings can be withdrawn again.
        withdrawals_from_ms: u64,
    },
    /// A withdrawal of earnings was started.
    Withdrawal {
        /// Amount withdrawn.
        amount: Millipence,
    },
    /// The account's e-mail address was changed.
    AddressChanged,
}

/// Returns the e-mail that contains a sign-in or confirmation link.
pub(super) fn link_email(kind: EmailKind, site: &str, to: String, url: String) -> EmailMessage {
    let (subject, why, label) = match kind {
        EmailKind::Confirm => (
            format!("Confirm your address for {site}"),
            format!(
                "An account at {site} was opened with this address. Confirm that it is yours: if you ever lose your \
                     key, you can sign in by e-mail and create another."
            ),
            "Confirm and sign in",
        ),
        EmailKind::SignIn | EmailKind::Notice => (
            format!("Sign in to {site}"),
            format!("Someone, probably you, asked to sign in to {site} with this address."),
            "Sign in",
        ),
    };
    let minutes = EMAIL_LINK_MS / 60_000;
    let rest = format!(
        "The link works once, within {minutes} minutes. If it was not you, do nothing: no one can sign in without this \
         e-mail. Never forward it."
    );
    let paragraphs =
        vec![Paragraph::Text(why), Paragraph::Link { label: label.to_owned(), url }, Paragraph::Text(rest)];
    EmailMessage { kind, to, subject, paragraphs, good_for: Duration::from_millis(EMAIL_LINK_MS) }
}

/// Returns the e-mail that notifies an account holder of an event.
pub(super) fn notice_email(notice: &AccountNotice, site: &str, to: String, base_url: &str) -> EmailMessage {
    let keys = format!("{base_url}/account/keys");
    let (subject, what, next) = match notice {
        AccountNotice::KeyCreated { withdrawals_from_ms } => (
            format!("A new key for your account at {site}"),
            format!(
                "Someone signed in to your account at {site} by e-mail and created an API key. Earnings cannot be \
                 withdrawn before {}.",
                rfc3339(*withdrawals_from_ms)
            ),
            Paragraph::Link { label: "If it was not you, revoke the key".to_owned(), url: keys },
        ),
        AccountNotice::Withdrawal { amount } => (
            format!("A withdrawal from your account at {site}"),
            format!("{} of your earnings at {site} are being withdrawn.", amount.display_gbp()),
            Paragraph::Link { label: "If it was not you, revoke your keys".to_owned(), url: keys },
        ),
        AccountNotice::AddressChanged => (
            format!("Your account at {site} has a new address"),
            format!("The account at {site} that used this e-mail address now has another one."),
            Paragraph::Text("If it was not you, write to the operator of the site at once.".to_owned()),
        ),
    };
    let paragraphs = vec![Paragraph::Text(what), next];
    EmailMessage { kind: EmailKind::Notice, to, subject, paragraphs, good_for: Duration::from_millis(DAY_MS) }
}
