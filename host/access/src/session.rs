//! Sessions of people in browsers, opened by showing an API key once.
//!
//! A session is known by a cookie of 256 random bits, of which only the digest
//! is kept, and speaks for the key that opened it: when that key dies, so does
//! the session. Sessions live in memory; a restart signs everybody out, which
//! costs a paste and saves a table of secrets.
//!
//! Invariants: a session ends after a time of rest and after a time at all; the
//! token that protects its forms follows from the cookie, so it needs no
//! keeping and is no use without it; the number of sessions is bounded.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tollbridge_core::limits::{SESSION_MS_MAX, SESSION_REST_MS_MAX, SESSIONS_MAX};
use zeroize::Zeroizing;

use super::bounded::GenerationalMap;
use super::key::KeyDigest;
use super::principal_cache::Principal;

/// The value of a session's cookie.
pub struct SessionToken(Zeroizing<String>);

/// Somebody who signed in.
#[derive(Clone, Debug)]
pub struct Session {
    /// The key that signed in.
    pub principal: Arc<Principal>,
    /// What the forms of this session carry.
    pub form_token: String,
}

/// The sessions that are open.
pub struct SessionStore {
    open: Mutex<GenerationalMap<[u8; 32], OpenSession>>,
}

#[derive(Clone, Copy)]
struct OpenSession {
    key: KeyDigest,
    /// Unix milliseconds.
    started_ms: u64,
    last_seen_ms: u64,
}

impl SessionToken {
    /// For the cookie, which is the only place where it may go.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Session {
    /// Whether a form was sent from a page of this session.
    pub fn accepts_form_token(&self, form_token: &str) -> bool {
        self.form_token.as_bytes().ct_eq(form_token.as_bytes()).into()
    }
}

impl Default for SessionStore {
    fn default() -> Self {
        Self { open: Mutex::new(GenerationalMap::new(SESSIONS_MAX)) }
    }
}

impl SessionStore {
    /// Opens a session that speaks for a key.
    pub(super) fn open(&self, key: KeyDigest, now_ms: u64) -> Result<SessionToken, getrandom::Error> {
        let mut random = Zeroizing::new([0_u8; 32]);
        getrandom::fill(random.as_mut())?;
        let token = SessionToken(Zeroizing::new(URL_SAFE_NO_PAD.encode(random.as_ref())));
        let open = OpenSession { key, started_ms: now_ms, last_seen_ms: now_ms };
        self.open.lock().entry(digest(b"session", token.expose()), || open);
        Ok(token)
    }

    /// The key that a cookie speaks for, if its session is still open.
    pub(super) fn find(&self, cookie: &str, now_ms: u64) -> Option<KeyDigest> {
        let key = digest(b"session", cookie);
        let mut sessions = self.open.lock();
        let open = sessions.get(&key)?;
        let fresh = now_ms.saturating_sub(open.last_seen_ms) < SESSION_REST_MS_MAX
            && now_ms.saturating_sub(open.started_ms) < SESSION_MS_MAX;
        if !fresh {
            sessions.remove(&key);
            return None;
        }
        open.last_seen_ms = now_ms;
        Some(open.key)
    }

    /// Ends a session; one that is not open is left so.
    pub fn close(&self, cookie: &str) {
        self.open.lock().remove(&digest(b"session", cookie));
    }
}

/// What the forms of a session carry.
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
    use super::*;

    fn key() -> KeyDigest {
        ApiKey::generate(KeyMode::Test).unwrap().digest()
    }

    #[test]
    fn a_session_speaks_for_its_key_until_it_is_closed() {
        let sessions = SessionStore::default();
        let (one, other) = (key(), key());
        let (first, second) = (sessions.open(one, 0).unwrap(), sessions.open(other, 0).unwrap());
        assert_eq!(first.expose().len(), 43);
        assert_eq!(sessions.find(first.expose(), 1), Some(one));
        assert_eq!(sessions.find(second.expose(), 1), Some(other));
        assert_eq!(sessions.find("", 1), None);
        assert_eq!(sessions.find(&form_token(first.expose()), 1), None, "a form's token opens nothing");
        sessions.close(first.expose());
        assert_eq!(sessions.find(first.expose(), 1), None);
        assert_eq!(sessions.find(second.expose(), 1), Some(other));
    }

    #[test]
    fn rest_and_age_end_it() {
        let sessions = SessionStore::default();
        let token = sessions.open(key(), 0).unwrap();
        assert!(sessions.find(token.expose(), SESSION_REST_MS_MAX - 1).is_some());
        assert!(sessions.find(token.expose(), 2 * SESSION_REST_MS_MAX - 2).is_some(), "use keeps it open");
        assert!(sessions.find(token.expose(), 3 * SESSION_REST_MS_MAX).is_none());
        assert!(sessions.find(token.expose(), 0).is_none(), "it does not come back");
        let token = sessions.open(key(), 0).unwrap();
        let mut now = 0;
        while now + SESSION_REST_MS_MAX / 2 < SESSION_MS_MAX {
            now += SESSION_REST_MS_MAX / 2;
            assert!(sessions.find(token.expose(), now).is_some());
        }
        assert!(sessions.find(token.expose(), SESSION_MS_MAX).is_none());
    }

    #[test]
    fn memory_is_bounded() {
        let sessions = SessionStore::default();
        let one = key();
        for _ in 0..3 * SESSIONS_MAX {
            sessions.open(one, 0).unwrap();
        }
        assert!(sessions.open.lock().len() <= SESSIONS_MAX);
    }

    #[test]
    fn tokens_of_forms_differ_by_session() {
        assert_ne!(form_token("a"), form_token("b"));
        assert_eq!(form_token("a").len(), 64);
    }
}
