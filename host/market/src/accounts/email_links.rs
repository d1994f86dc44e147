//! Signing in by a link that is sent to an account's address, and what else the
//! holder of the address is told.
//!
//! Invariants: whether there is an account for an address shows neither in what is
//! answered nor in how long it takes, because the account is looked for after the
//! answer; nobody's mailbox is filled by others; a link is shown on a page only
//! where the configuration says that nobody but the operator looks.

use std::net::IpAddr;
use std::sync::Arc;

use tollbridge_access::{
    Account, AccountError, Email, EmailDigestKey, EmailError, EmailLinkQuota, EmailLinkQuotaError, SessionToken,
    find_account_by_email, find_email_link, issue_email_link, redeem_email_link,
};
use tollbridge_mail::{Letter, LetterKind, MailQueueFull, Mailer};
use tollbridge_store::{Db, Refusal, SubmitError};

use super::email_letters::{AccountNotice, link_letter, notice_letter};

/// How often the use of a link is tried while its account changes.
const USES_TRIED: usize = 5;

/// Links to sign in with.
pub struct EmailLinks {
    /// The data folder.
    pub db: Db,
    /// Makes digests of addresses.
    pub email_key: EmailDigestKey,
    /// How links reach people.
    pub delivery: LinkDelivery,
    /// Public address, without a slash at its end.
    pub base_url: String,
    /// Name of the site.
    pub display_name: String,
    /// Letters with links, of the last hour.
    pub quota: EmailLinkQuota,
    /// Letters that say what was done, likewise.
    pub notices: EmailLinkQuota,
}

/// How links reach people.
#[derive(Clone)]
pub enum LinkDelivery {
    /// By letter.
    Mail(Mailer),
    /// On the page that asks for one.
    Shown,
    /// Not at all.
    Off,
}

/// What became of the wish for a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskedLink {
    /// A letter is on its way, if an account has the address.
    Posted,
    /// The link itself; none where no account has the address.
    Shown(Option<String>),
}

/// Somebody who signed in by a link.
pub struct SignedInByEmail {
    /// Their account, with its address verified.
    pub account: Account,
    /// For the cookie.
    pub token: SessionToken,
}

/// Why there is no link, or none that signs in.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what is wrong")]
pub enum EmailLinksError {
    #[error("sign-in by e-mail is not set up on this server; use an API key")]
    Off,
    #[error(transparent)]
    Email(#[from] EmailError),
    #[error("the account has no e-mail address")]
    NoAddress,
    #[error(transparent)]
    Quota(#[from] EmailLinkQuotaError),
    #[error(transparent)]
    Busy(#[from] MailQueueFull),
    #[error("this link was used, has expired, or is of another server; ask for a new one")]
    Unknown,
    #[error("this account is suspended; ask the operator of this server")]
    Suspended,
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

impl EmailLinks {
    /// Asks for a link for whoever has an address. `next` is where to go after it, as
    /// it stands in the query of an address.
    pub async fn ask(
        self: &Arc<Self>,
        email: &str,
        next: Option<String>,
        client: IpAddr,
        now_ms: u64,
    ) -> Result<AskedLink, EmailLinksError> {
        let email: Email = email.parse()?;
        self.give(LetterKind::SignIn, email, next, client, now_ms).await
    }

    /// Asks for a link by which an account confirms its own address.
    pub async fn confirm(
        self: &Arc<Self>,
        account: &Account,
        client: IpAddr,
        now_ms: u64,
    ) -> Result<AskedLink, EmailLinksError> {
        let email: Email = account.email.as_deref().ok_or(EmailLinksError::NoAddress)?.parse()?;
        self.give(LetterKind::Confirm, email, None, client, now_ms).await
    }

    /// Tells the holder of an account what was done, at an address that is known to be
    /// theirs. Where there is no such, or no letter goes out, nobody is told.
    pub fn tell(&self, account: &Account, notice: &AccountNotice, client: IpAddr, now_ms: u64) {
        let (LinkDelivery::Mail(mailer), Some(to), Some(_)) =
            (&self.delivery, account.email.clone(), account.email_verified_ms)
        else {
            return;
        };
        let posted = match self.notices.take(&account.id, client, now_ms) {
            Ok(()) => {
                let letter = notice_letter(notice, &self.display_name, to, &self.base_url);
                mailer.post(async move { Some(letter) }).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        if let Err(why) = posted {
            tracing::warn!(account = account.id, why, "the holder of an account was not told of a change");
        }
    }

    /// The account that a link signs in to. Changes nothing.
    pub fn look(&self, link: &str, now_ms: u64) -> Result<Option<Account>, EmailLinksError> {
        Ok(find_email_link(self.db.store(), &self.email_key, link, now_ms)?)
    }

    /// Uses a link.
    pub async fn redeem(&self, link: &str, now_ms: u64) -> Result<SignedInByEmail, EmailLinksError> {
        let mut refused = None;
        for _ in 0..USES_TRIED {
            let redeemed = redeem_email_link(self.db.store(), &self.email_key, link, now_ms)?;
            let redeemed = redeemed.ok_or(EmailLinksError::Unknown)?;
            if redeemed.account.suspended {
                return Err(EmailLinksError::Suspended);
            }
            match self.db.submit(redeemed.session.change).await {
                Ok(_) => return Ok(SignedInByEmail { account: redeemed.account, token: redeemed.session.token }),
                // Somebody else used it, or the account was changed: the next look tells.
                Err(error @ SubmitError::Refused(Refusal::Unexpected { .. })) => refused = Some(error),
                Err(error) => return Err(error.into()),
            }
        }
        Err(refused.map_or(EmailLinksError::Unknown, EmailLinksError::Submit))
    }

    async fn give(
        self: &Arc<Self>,
        kind: LetterKind,
        email: Email,
        next: Option<String>,
        client: IpAddr,
        now_ms: u64,
    ) -> Result<AskedLink, EmailLinksError> {
        if matches!(self.delivery, LinkDelivery::Off) {
            return Err(EmailLinksError::Off);
        }
        self.quota.take(&self.email_key.digest(&email), client, now_ms)?;
        let LinkDelivery::Mail(mailer) = &self.delivery else {
            let found = self.link(&email, next.as_deref(), now_ms).await?;
            return Ok(AskedLink::Shown(found.map(|(_, url)| url)));
        };
        let this = self.clone();
        mailer.post(async move { this.letter(kind, &email, next.as_deref(), now_ms).await })?;
        Ok(AskedLink::Posted)
    }

    /// The letter to an address, if an account has it.
    async fn letter(&self, kind: LetterKind, email: &Email, next: Option<&str>, now_ms: u64) -> Option<Letter> {
        match self.link(email, next, now_ms).await {
            Ok(found) => found.map(|(to, url)| link_letter(kind, &self.display_name, to, url)),
            Err(error) => {
                tracing::error!(%error, "a link to sign in with was not made");
                None
            }
        }
    }

    /// The address as the account has it, and a new link for it. A suspended account
    /// has none.
    async fn link(
        &self,
        email: &Email,
        next: Option<&str>,
        now_ms: u64,
    ) -> Result<Option<(String, String)>, EmailLinksError> {
        let account = find_account_by_email(self.db.store(), &self.email_key, email)?;
        let Some(account) = account.filter(|account| !account.suspended) else { return Ok(None) };
        let Some(issued) = issue_email_link(&self.email_key, &account, now_ms)? else { return Ok(None) };
        self.db.submit(issued.change).await?;
        let next = next.map(|next| format!("&next={next}")).unwrap_or_default();
        let url = format!("{}/account/email?link={}{next}", self.base_url, issued.link.expose());
        Ok(account.email.map(|to| (to, url)))
    }
}
