//! Sign-in links in e-mails: opening a link signs in and verifies the account's address.
//!
//! A link is 256 random bits, of which only the digest is stored, in a row that expires
//! after 15 minutes. The change that opens the session also deletes the link's row, so
//! only one of several concurrent uses signs in. Merely viewing a link's page changes
//! nothing, because mail scanners open links before people do.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tollbridge_store::{Change, Collection, Expect, Put, Store};
use zeroize::Zeroizing;

use super::account::{Account, AccountError, StoredRow, read_row};
use super::email::{Email, EmailDigestKey};
use super::session::{self, OpenedSession, SessionSubject, VerifiedAccount, random_token};
use super::short_lived;
use crate::limits::EMAIL_LINK_MS;

/// The secret part of a link.
pub struct EmailLink(Zeroizing<String>);

/// A new link; valid once its change is durable.
pub struct IssuedEmailLink {
    /// The link to send by e-mail; it must not be stored or logged.
    pub link: EmailLink,
    /// The change that writes the link's row.
    pub change: Change,
}

/// A redeemed link. Once the session's change is durable, the link is used up and the
/// session is open.
pub struct RedeemedEmailLink {
    /// The account, with its address verified.
    pub account: Account,
    /// The session for the cookie, with the change to commit. The store refuses the
    /// change if the link was used or the account changed meanwhile.
    pub session: OpenedSession,
}

/// The row of a link.
#[derive(Serialize, Deserialize)]
struct LinkRow {
    /// The account id.
    account: String,
    /// The digest of the address that the link was sent to.
    email: String,
}

/// A valid link: its row and its account.
struct FoundLink {
    key: String,
    bytes: Vec<u8>,
    account: StoredRow<Account>,
}

impl EmailLink {
    /// Returns the secret text of the link.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// Creates a link for an account; returns `None` if the account has no address.
///
/// # Errors
/// The operating system provides no randomness.
pub fn issue_email_link(
    email_key: &EmailDigestKey,
    account: &Account,
    now_ms: u64,
) -> Result<Option<IssuedEmailLink>, AccountError> {
    let Some(email) = digest_of(email_key, account) else { return Ok(None) };
    let link = EmailLink(random_token()?);
    let row = LinkRow { account: account.id.clone(), email };
    let until_ms = now_ms.saturating_add(EMAIL_LINK_MS);
    let put = short_lived::put(row_key(link.expose()), until_ms, &row, Expect::Absent)?;
    Ok(Some(IssuedEmailLink { link, change: Change { puts: vec![put], ..Change::default() } }))
}

/// Returns the account that a link signs in to. Returns `None` if the link was used, has
/// expired, or was sent to an address that the account no longer has.
///
/// # Errors
/// A row cannot be read.
pub fn find_email_link(
    store: &dyn Store,
    email_key: &EmailDigestKey,
    link: &str,
    now_ms: u64,
) -> Result<Option<Account>, AccountError> {
    Ok(find(store, email_key, link, now_ms)?.map(|found| found.account.row))
}

/// Redeems a link: returns the new session, and the account with its address verified.
///
/// # Errors
/// A row cannot be read, or the operating system provides no randomness.
pub fn redeem_email_link(
    store: &dyn Store,
    email_key: &EmailDigestKey,
    link: &str,
    now_ms: u64,
) -> Result<Option<RedeemedEmailLink>, AccountError> {
    let Some(mut found) = find(store, email_key, link, now_ms)? else { return Ok(None) };
    let account = &mut found.account.row;
    let verified_ms = *account.email_verified_ms.get_or_insert(now_ms);
    let subject = SessionSubject::Email(VerifiedAccount { id: account.id.clone(), verified_ms });
    let mut session = session::open(subject, now_ms)?;
    let used =
        Put { collection: Collection::ShortLived, key: found.key, value: None, expect: Expect::Exactly(found.bytes) };
    session.change.puts.extend([used, found.account.put()?]);
    Ok(Some(RedeemedEmailLink { account: found.account.row, session }))
}

fn find(
    store: &dyn Store,
    email_key: &EmailDigestKey,
    link: &str,
    now_ms: u64,
) -> Result<Option<FoundLink>, AccountError> {
    let key = row_key(link);
    let Some(found) = short_lived::find::<LinkRow>(store, &key, now_ms)? else { return Ok(None) };
    let account = read_row::<Account>(store, Collection::Accounts, &found.row.account)?;
    let account = account.filter(|account| digest_of(email_key, &account.row).as_ref() == Some(&found.row.email));
    Ok(account.map(|account| FoundLink { key, bytes: found.bytes, account }))
}

fn digest_of(email_key: &EmailDigestKey, account: &Account) -> Option<String> {
    let email: Email = account.email.as_deref()?.parse().ok()?;
    Some(email_key.digest(&email))
}

fn row_key(link: &str) -> String {
    let digest = Sha256::new().chain_update(b"tollbridge e-mail link v1 ").chain_update(link).finalize();
    format!("email-link/{}", hex::encode(digest))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::access_control::{AccessControl, AccessError};
    use super::super::account::{load_account, update_account};
    use super::super::key::KeyMode;
    use super::super::principal_cache::PrincipalCache;
    use super::super::signup::{SignUpRequest, change_email, sign_up};
    use super::super::testing::{MemoryStore, NOW, TestStore, tiers};
    use super::*;

    const EMAIL_KEY: EmailDigestKey = EmailDigestKey::new([7; 32]);

    fn house() -> (Arc<MemoryStore>, AccessControl, Account) {
        let store = Arc::new(MemoryStore::default());
        let request = SignUpRequest { email: Some("a@x.com".parse().unwrap()), ..SignUpRequest::default() };
        let opened = sign_up(&*store, &EMAIL_KEY, KeyMode::Test, request, NOW, |_| None).unwrap();
        store.apply(opened.change).unwrap();
        let access = AccessControl::new(KeyMode::Test, PrincipalCache::new(store.clone(), tiers()));
        (store, access, opened.account)
    }

    fn issued(store: &MemoryStore, account: &Account, now_ms: u64) -> String {
        let issued = issue_email_link(&EMAIL_KEY, account, now_ms).unwrap().unwrap();
        store.apply(issued.change).unwrap();
        issued.link.expose().to_owned()
    }

    fn redeem(store: &MemoryStore, link: &str, now_ms: u64) -> Option<String> {
        let redeemed = redeem_email_link(store, &EMAIL_KEY, link, now_ms).unwrap()?;
        store.apply(redeemed.session.change).unwrap();
        Some(redeemed.session.token.expose().to_owned())
    }

    #[test]
    fn a_link_opens_one_session_and_verifies_the_address() {
        let (store, access, account) = house();
        let link = issued(&store, &account, NOW);
        assert_eq!(link.len(), 43);
        assert!(!store.text_of(&[Collection::ShortLived]).contains(&link), "the link itself must not be stored");
        for _ in 0..3 {
            let found = find_email_link(&*store, &EMAIL_KEY, &link, NOW).unwrap().unwrap();
            assert_eq!(
                (found.id.as_str(), found.email_verified_ms),
                (account.id.as_str(), None),
                "looking changes nothing"
            );
        }
        let cookie = redeem(&store, &link, NOW + 1).unwrap();
        let session = access.session(&cookie, NOW + 2).unwrap().unwrap();
        assert_eq!((session.principal.account_id.as_str(), session.principal.by_email), (account.id.as_str(), true));
        assert_eq!(load_account(&*store, &account.id).unwrap().email_verified_ms, Some(NOW + 1));
        assert!(redeem(&store, &link, NOW + 2).is_none(), "the link is used up");
        assert!(find_email_link(&*store, &EMAIL_KEY, &link, NOW + 2).unwrap().is_none());
        // The second link keeps the verification time of the first, so both sessions
        // stay valid.
        let other = redeem(&store, &issued(&store, &account, NOW + 5), NOW + 6).unwrap();
        assert!(
            access.session(&cookie, NOW + 7).unwrap().is_some() && access.session(&other, NOW + 7).unwrap().is_some()
        );
    }

    #[test]
    fn an_invalid_link_opens_nothing() {
        let (store, access, account) = house();
        let link = issued(&store, &account, NOW);
        for bad in ["", "x", &link[1..], &format!("{link}A"), &link.to_lowercase()] {
            assert!(redeem(&store, bad, NOW).is_none(), "{bad}");
        }
        assert!(access.session(&link, NOW).unwrap().is_none(), "a link is not accepted as a cookie");
        assert!(redeem(&store, &link, NOW + EMAIL_LINK_MS).is_none(), "the link has expired");
        assert!(redeem(&store, &link, NOW + EMAIL_LINK_MS - 1).is_some());
    }

    #[test]
    fn of_two_uses_at_once_one_is_refused() {
        let (store, _, account) = house();
        let link = issued(&store, &account, NOW);
        let both = [1, 2].map(|later| redeem_email_link(&*store, &EMAIL_KEY, &link, NOW + later).unwrap().unwrap());
        let [first, second] = both.map(|redeemed| store.apply(redeemed.session.change).is_ok());
        assert!(first && !second);
    }

    #[test]
    fn another_address_ends_links_and_sessions() {
        let (store, access, account) = house();
        let (used, link) = (issued(&store, &account, NOW), issued(&store, &account, NOW));
        let cookie = redeem(&store, &used, NOW).unwrap();
        let changed = change_email(&*store, &EMAIL_KEY, &account.id, &"b@x.com".parse().unwrap()).unwrap();
        store.apply(changed.change).unwrap();
        assert!(redeem(&store, &link, NOW + 1).is_none(), "the link was sent to another address");
        assert!(access.session(&cookie, NOW + 1).unwrap().is_none());
        let link = issued(&store, &changed.account, NOW + 2);
        assert!(redeem(&store, &link, NOW + 2).is_some());
        assert!(access.session(&cookie, NOW + 3).unwrap().is_none(), "the link stays invalid");
    }

    #[test]
    fn a_suspended_account_has_no_session() {
        let (store, access, account) = house();
        let link = issued(&store, &account, NOW);
        store.apply(update_account(&*store, &account.id, |a| a.suspended = true).unwrap().0).unwrap();
        let cookie = redeem(&store, &link, NOW).unwrap();
        assert!(matches!(access.session(&cookie, NOW), Err(AccessError::Suspended)));
    }

    #[test]
    fn an_account_without_an_address_gets_no_link() {
        let account = Account { email: None, ..house().2 };
        assert!(issue_email_link(&EMAIL_KEY, &account, NOW).unwrap().is_none());
    }
}
