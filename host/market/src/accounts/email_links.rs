//! Sign-in by a link sent to an account's e-mail address, and notices to the account
//! holder.
//!
//! Invariants: neither the answer to a request nor its timing reveals whether an address
//! has an account, because the account is looked up after the answer was sent; a rate
//! limit prevents others from filling a mailbox; a link is shown on a page only if the
//! configuration states that only the operator uses the site.

use std::net::IpAddr;
use std::sync::Arc;

use tollbridge_access::{
    Account, AccountError, Email, EmailDigestKey, EmailError, EmailLinkQuota, EmailLinkQuotaError, SessionToken,
    find_account_by_email, find_email_link, issue_email_link, redeem_email_link,
};
use tollbridge_mail::{EmailKind, EmailMessage, MailQueueFull, Mailer};
use tollbridge_store::{Db, Refusal, SubmitError};

use super::email_messages::{AccountNotice, link_email, notice_email};

/// Maximum number of attempts to redeem a link if its account is changed concurrently.
const REDEEM_ATTEMPTS_MAX: usize = 5;

/// The service for sign-in links.
pub struct EmailLinks {
    /// Handle on the data folder.
    pub db: Db,
    /// Key for the digests under which e-mail addresses are stored.
    pub email_key: EmailDigestKey,
    /// Method by which links reach users.
    pub delivery: LinkDelivery,
    /// Public base URL, without a trailing slash.
    pub base_url: String,
    /// Name of the site, used in e-mails.
    pub display_name: String,
    /// Hourly limit on e-mails that contain links.
    pub quota: EmailLinkQuota,
    /// Hourly limit on e-mails that contain notices.
    pub notices: EmailLinkQuota,
}

/// The method by which sign-in links reach users.
#[derive(Clone)]
pub enum LinkDelivery {
    /// Links are sent by e-mail.
    Mail(Mailer),
    /// A link is shown on the page on which it is requested.
    Shown,
    /// Sign-in links are disabled.
    Off,
}

/// The outcome of requesting a sign-in link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestedLink {
    /// If an account has the address, an e-mail is being sent.
    Posted,
    /// The link, to be shown to the user; `None` if no account has the address.
    Shown(Option<String>),
}

/// A completed sign-in by link.
pub struct SignedInByEmail {
    /// The account, whose e-mail address is now verified.
    pub account: Account,
    /// Token for the session cookie.
    pub token: SessionToken,
}

/// The reason a link was not issued or cannot be used to sign in.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
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
    #[error("this link was used, has expired, or belongs to another server; request a new one")]
    Unknown,
    #[error("this account is suspended; contact the operator of this server")]
    Suspended,
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

impl EmailLinks {
    /// Requests a sign-in link for an e-mail address. `next` is the page to show after
    /// the sign-in, encoded for the query of a URL.
    pub async fn request(
        self: &Arc<Self>,
        email: &str,
        next: Option<String>,
        client: IpAddr,
        now_ms: u64,
    ) -> Result<RequestedLink, EmailLinksError> {
        let email: Email = email.parse()?;
        self.issue(EmailKind::SignIn, email, next, client, now_ms).await
    }

    /// Requests a link that an account holder opens to confirm the account's e-mail
    /// address.
    pub async fn confirm(
        self: &Arc<Self>,
        account: &Account,
        client: IpAddr,
        now_ms: u64,
    ) -> Result<RequestedLink, EmailLinksError> {
        let email: Email = account.email.as_deref().ok_or(EmailLinksError::NoAddress)?.parse()?;
        self.issue(EmailKind::Confirm, email, None, client, now_ms).await
    }

    /// Notifies the account holder of an event by e-mail. Does nothing if the account has
    /// no verified address, or if e-mail is not configured.
    pub fn notify(&self, account: &Account, notice: &AccountNotice, client: IpAddr, now_ms: u64) {
        let (LinkDelivery::Mail(mailer), Some(to), Some(_)) =
            (&self.delivery, account.email.clone(), account.email_verified_ms)
        else {
            return;
        };
        let posted = match self.notices.take(&account.id, client, now_ms) {
            Ok(()) => {
                let message = notice_email(notice, &self.display_name, to, &self.base_url);
                mailer.post(async move { Some(message) }).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        if let Err(why) = posted {
            tracing::warn!(account = account.id, why, "could not notify an account holder of a change");
        }
    }

    /// Returns the account that a link would sign in to. Changes nothing.
    pub fn find_account(&self, link: &str, now_ms: u64) -> Result<Option<Account>, EmailLinksError> {
        Ok(find_email_link(self.db.store(), &self.email_key, link, now_ms)?)
    }

    /// Redeems a link, which signs the user in.
    pub async fn redeem(&self, link: &str, now_ms: u64) -> Result<SignedInByEmail, EmailLinksError> {
        let mut refused = None;
        for _ in 0..REDEEM_ATTEMPTS_MAX {
            let redeemed = redeem_email_link(self.db.store(), &self.email_key, link, now_ms)?;
            let redeemed = redeemed.ok_or(EmailLinksError::Unknown)?;
            if redeemed.account.suspended {
                return Err(EmailLinksError::Suspended);
            }
            match self.db.submit(redeemed.session.change).await {
                Ok(_) => return Ok(SignedInByEmail { account: redeemed.account, token: redeemed.session.token }),
                // A concurrent request used the link or changed the account; the next
                // attempt reads the current state.
                Err(error @ SubmitError::Refused(Refusal::Unexpected { .. })) => refused = Some(error),
                Err(error) => return Err(error.into()),
            }
        }
        Err(refused.map_or(EmailLinksError::Unknown, EmailLinksError::Submit))
    }

    async fn issue(
        self: &Arc<Self>,
        kind: EmailKind,
        email: Email,
        next: Option<String>,
        client: IpAddr,
        now_ms: u64,
    ) -> Result<RequestedLink, EmailLinksError> {
        if matches!(self.delivery, LinkDelivery::Off) {
            return Err(EmailLinksError::Off);
        }
        self.quota.take(&self.email_key.digest(&email), client, now_ms)?;
        let LinkDelivery::Mail(mailer) = &self.delivery else {
            let found = self.link(&email, next.as_deref(), now_ms).await?;
            return Ok(RequestedLink::Shown(found.map(|(_, url)| url)));
        };
        let this = self.clone();
        mailer.post(async move { this.message_to(kind, &email, next.as_deref(), now_ms).await })?;
        Ok(RequestedLink::Posted)
    }

    /// Returns the e-mail to send to an address; `None` if no account has the address.
    async fn message_to(
        &self,
        kind: EmailKind,
        email: &Email,
        next: Option<&str>,
        now_ms: u64,
    ) -> Option<EmailMessage> {
        match self.link(email, next, now_ms).await {
            Ok(found) => found.map(|(to, url)| link_email(kind, &self.display_name, to, url)),
            Err(error) => {
                tracing::error!(%error, "could not create a sign-in link");
                None
            }
        }
    }

    /// Creates a sign-in link for an account, and returns it with the address as stored
    /// in the account. `None` for a suspended account.
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
