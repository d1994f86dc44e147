//! The service for sign-in links, with e-mail delivery as configured.

use anyhow::{Context, Result};
use tollbridge_access::EmailLinkQuota;
use tollbridge_mail::Mailer;
use tollbridge_market::accounts::{EmailLinks, LinkDelivery};

use super::base::{Base, ledger_host};

/// Builds the service for sign-in links. Connects to no mail server yet.
pub(super) fn links(base: &Base, base_url: String) -> Result<EmailLinks> {
    let config = &base.config.email;
    let delivery = match &config.smtp {
        Some(smtp) => LinkDelivery::Mail(
            Mailer::new(smtp, &ledger_host(&base.config)).context("cannot send e-mail as configured")?,
        ),
        None if config.show_links => LinkDelivery::Shown,
        None => LinkDelivery::Off,
    };
    Ok(EmailLinks {
        db: base.db.clone(),
        email_key: base.accounts.email_key.clone(),
        delivery,
        base_url,
        display_name: base.config.server.display_name.clone(),
        quota: EmailLinkQuota::default(),
        notices: EmailLinkQuota::default(),
    })
}
