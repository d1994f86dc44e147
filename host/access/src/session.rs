//! Browser sessions, opened with an API key or by a link sent to the account's e-mail
//! address.
//!
//! A session is identified by a cookie of 256 random bits, of which only the digest is
//! stored. A session opened with a key has the rights of that key and ends when the key
//! is no longer valid. A session opened by e-mail ends when the account's address
//! changes. Sessions are rows, so they are valid on every host of a ledger and survive a
//! restart.
//!
//! Invariants: a session ends after an idle time-out and after a maximum lifetime; the
//! token that protects its forms is derived from the cookie, so it needs no storage and
//! is useless without the cookie.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tollbridge_store::{Change, Expect, Store};
use zeroize::Zeroizing;

use super::account::AccountError;
use super::key::KeyDigest;
use super::principal_cache::Principal;
use super::short_lived;
use crate::limits::SESSION_MS_MAX;

/// Maximum idle time of a session before the user must sign in again.
const SESSION_IDLE_MS_MAX: u64 = 60 * 60 * 1000;

/// Maximum number of times that the row of a session is extended within one idle
/// time-out.
const EXTENSIONS: u64 = 30;

/// The value of a session's cookie.
pub struct SessionToken(Zeroizing<String>);

/// An open session with its principal.
#[derive(Clone, Debug)]
pub struct Session {
    /// The principal of the key that signed in, or of the account that signed in by
    /// e-mail.
    pub principal: Arc<Principal>,
    /// The token that forms of this session must carry.
    pub form_token: String,
    /// The change that extends the session; `None` if it was extended recently.
    pub extension: Option<Change>,
}

/// A new session; open once its change is durable.
pub struct OpenedSession {
    /// The token for the cookie.
    pub token: SessionToken,
    /// The change that writes the session's row.
    pub change: Change,
}

/// The row of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SessionRow {
    /// The digest of the session's key; empty for a session by e-mail, so that older
    /// versions of the host refuse such a session.
    key: String,
    /// The account, with its verified address, of a session opened by e-mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_email: Option<VerifiedAccount>,
    /// The time at which the session was opened, in Unix milliseconds.
    started_ms: u64,
}

/// An account together with the time at which its address was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct VerifiedAccount {
    pub(super) id: String,
    /// The time of the verification in Unix milliseconds.
    pub(super) verified_ms: u64,
}

/// The key or account whose rights a session has.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SessionSubject {
    Key(KeyDigest),
    Email(VerifiedAccount),
}

/// A session that was read from the store and is still open.
pub(super) struct FoundSession {
    pub(super) subject: SessionSubject,
    /// The change that extends the session; `None` if it was extended recently.
    pub(super) extension: Option<Change>,
}

impl SessionToken {
    /// Returns the text for the cookie; it must not be stored or logged.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Session {
    /// Returns whether a form was sent from a page of this session.
    pub fn accepts_form_token(&self, form_token: &str) -> bool {
        self.form_token.as_bytes().ct_eq(form_token.as_bytes()).into()
    }
}

/// Opens a session for a key, or for an account that signed in by e-mail.
pub(super) fn open(subject: SessionSubject, now_ms: u64) -> Result<OpenedSession, AccountError> {
    let token = SessionToken(random_token()?);
    let (key, by_email) = match subject {
        SessionSubject::Key(key) => (key.to_string(), None),
        SessionSubject::Email(account) => (String::new(), Some(account)),
    };
    let session = SessionRow { key, by_email, started_ms: now_ms };
    let change = written(row_key(token.expose()), &session, now_ms, Expect::Absent)?;
    Ok(OpenedSession { token, change })
}

/// Returns the session of a cookie, if it is still open.
pub(super) fn find(store: &dyn Store, cookie: &str, now_ms: u64) -> Result<Option<FoundSession>, AccountError> {
    let row_key = row_key(cookie);
    let Some(found) = short_lived::find::<SessionRow>(store, &row_key, now_ms)? else { return Ok(None) };
    let subject = match (&found.row.by_email, found.row.key.parse()) {
        (Some(account), _) => SessionSubject::Email(account.clone()),
        (None, Ok(key)) => SessionSubject::Key(key),
        (None, Err(_)) => return Ok(None),
    };
    // Using a session restarts its idle time-out; to save writes, not every page
    // extends the row.
    let gained_ms = ends_ms(&found.row, now_ms).saturating_sub(found.until_ms);
    let extension = match gained_ms >= SESSION_IDLE_MS_MAX / EXTENSIONS {
        true => Some(written(row_key, &found.row, now_ms, Expect::Exactly(found.bytes))?),
        false => None,
    };
    Ok(Some(FoundSession { subject, extension }))
}

/// Returns the change that ends a session; it has no effect if the session is not open.
pub(super) fn close(cookie: &str) -> Change {
    Change { puts: vec![short_lived::remove(row_key(cookie))], ..Change::default() }
}

fn written(key: String, session: &SessionRow, now_ms: u64, expect: Expect) -> Result<Change, AccountError> {
    let put = short_lived::put(key, ends_ms(session, now_ms), session, expect)?;
    Ok(Change { puts: vec![put], ..Change::default() })
}

/// Returns the time at which a session ends if it is not used after `now_ms`.
fn ends_ms(session: &SessionRow, now_ms: u64) -> u64 {
    let rests = now_ms.saturating_add(SESSION_IDLE_MS_MAX);
    rests.min(session.started_ms.saturating_add(SESSION_MS_MAX))
}

fn row_key(cookie: &str) -> String {
    format!("session/{}", hex::encode(digest(b"session", cookie)))
}

/// Returns 256 random bits as text.
pub(super) fn random_token() -> Result<Zeroizing<String>, getrandom::Error> {
    let mut random = Zeroizing::new([0_u8; 32]);
    getrandom::fill(random.as_mut())?;
    Ok(Zeroizing::new(URL_SAFE_NO_PAD.encode(random.as_ref())))
}

/// Derives the form token from the cookie.
pub(super) fn form_token(cookie: &str) -> String {
    hex::encode(digest(b"form", cookie))
}

fn digest(purpose: &[u8], cookie: &str) -> [u8; 32] {
    let hash = Sha256::new().chain_update(b"tollbridge session v1 ").chain_update(purpose);
    hash.chain_update([0]).chain_update(cookie).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::super::key::{ApiKey, KeyMode};
    use super::super::testing::{MemoryStore, TestStore};
    use super::*;

    fn key() -> KeyDigest {
        ApiKey::generate(KeyMode::Test).unwrap().digest()
    }

    fn opened(store: &MemoryStore, key: &KeyDigest, now_ms: u64) -> String {
        let opened = open(SessionSubject::Key(*key), now_ms).unwrap();
        store.apply(opened.change).unwrap();
        opened.token.expose().to_owned()
    }

    /// Looks up a session as a page would; returns its key if the session is open.
    fn used(store: &MemoryStore, cookie: &str, now_ms: u64) -> Option<KeyDigest> {
        let found = find(store, cookie, now_ms).unwrap()?;
        found.extension.into_iter().for_each(|change| store.apply(change).map(drop).unwrap());
        match found.subject {
            SessionSubject::Key(key) => Some(key),
            SessionSubject::Email(account) => panic!("{account:?}"),
        }
    }

    #[test]
    fn a_session_by_e_mail_speaks_for_its_account() {
        let store = MemoryStore::default();
        let account = VerifiedAccount { id: "acct_x".to_owned(), verified_ms: 7 };
        let opened = open(SessionSubject::Email(account.clone()), 0).unwrap();
        store.apply(opened.change).unwrap();
        let found = find(&store, opened.token.expose(), 1).unwrap().unwrap();
        assert_eq!(found.subject, SessionSubject::Email(account));
    }

    /// Rows of version 0.1.0 lack the member `by_email`.
    #[test]
    fn a_session_of_an_older_version_continues() {
        let (store, key) = (MemoryStore::default(), key());
        let row =
            std::collections::BTreeMap::from([("key", serde_json::json!(key.to_string())), ("started_ms", 0.into())]);
        let put = short_lived::put(row_key("cookie"), 1_000, &row, Expect::Absent).unwrap();
        store.apply(Change { puts: vec![put], ..Change::default() }).unwrap();
        assert_eq!(used(&store, "cookie", 1), Some(key));
    }

    #[test]
    fn a_session_speaks_for_its_key_until_it_is_closed() {
        let store = MemoryStore::default();
        let (one, other) = (key(), key());
        let (first, second) = (opened(&store, &one, 0), opened(&store, &other, 0));
        assert_eq!(first.len(), 43);
        assert_eq!(used(&store, &first, 1), Some(one));
        assert_eq!(used(&store, &second, 1), Some(other));
        assert_eq!(used(&store, "", 1), None);
        assert_eq!(used(&store, &form_token(&first), 1), None, "a form token is not accepted as a cookie");
        store.apply(close(&first)).unwrap();
        assert_eq!(used(&store, &first, 1), None);
        assert_eq!(used(&store, &second, 1), Some(other));
    }

    #[test]
    fn rest_and_age_end_it() {
        let store = MemoryStore::default();
        let token = opened(&store, &key(), 0);
        assert!(used(&store, &token, SESSION_IDLE_MS_MAX - 1).is_some());
        assert!(used(&store, &token, 2 * SESSION_IDLE_MS_MAX - 2).is_some(), "using a session extends it");
        assert!(used(&store, &token, 3 * SESSION_IDLE_MS_MAX).is_none());
        let token = opened(&store, &key(), 0);
        let mut now = 0;
        while now + SESSION_IDLE_MS_MAX / 2 < SESSION_MS_MAX {
            now += SESSION_IDLE_MS_MAX / 2;
            assert!(used(&store, &token, now).is_some());
        }
        assert!(used(&store, &token, SESSION_MS_MAX).is_none());
    }

    #[test]
    fn a_page_a_second_does_not_write_each_time() {
        let store = MemoryStore::default();
        let token = opened(&store, &key(), 0);
        let writes = (1..600).filter(|second| {
            let extension = find(&store, &token, second * 1_000).unwrap().unwrap().extension;
            extension.is_some_and(|change| store.apply(change).is_ok())
        });
        assert!((3..=6).contains(&writes.count()));
    }

    #[test]
    fn tokens_of_forms_differ_by_session() {
        assert_ne!(form_token("a"), form_token("b"));
        assert_eq!(form_token("a").len(), 64);
    }
}
