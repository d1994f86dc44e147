//! Access to the console: single-use links, and the sessions that they open.
//!
//! Invariants: a link opens one session and expires after minutes; only digests of tokens
//! are stored; links and sessions end with the process.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tollbridge_operator::Actor;

/// Lifetime of a link.
const LINK_MS: u64 = 5 * 60 * 1000;
/// Lifetime of a session.
const SESSION_MS: u64 = 12 * 3600 * 1000;
/// Maximum number of unused links, and of sessions; the oldest is dropped for a new one.
const MAX: usize = 200;

type Key = [u8; 32];

/// Unused links, and open sessions.
#[derive(Default)]
pub struct Sessions {
    links: Mutex<HashMap<Key, (Actor, u64)>>,
    open: Mutex<HashMap<Key, Arc<Session>>>,
}

/// The session of a signed-in operator.
pub(crate) struct Session {
    pub(crate) actor: Actor,
    /// The token that every form of this session must send back.
    pub(crate) form_token: String,
    until_ms: u64,
    /// The outcome of the last form; `None` after a page has shown it.
    notice: Mutex<Option<String>>,
}

impl Session {
    /// Stores the outcome of a form for the next page.
    pub(crate) fn set_notice(&self, text: String) {
        *self.notice.lock() = Some(text);
    }

    /// Takes the stored outcome, so that it is shown once.
    pub(crate) fn take_notice(&self) -> Option<String> {
        self.notice.lock().take()
    }
}

impl Sessions {
    /// Creates a token that opens one session for an operator.
    ///
    /// # Errors
    ///
    /// Fails if the system has no randomness.
    pub fn link(&self, actor: Actor, now_ms: u64) -> Result<String, getrandom::Error> {
        let token = random()?;
        let mut links = self.links.lock();
        links.retain(|_, (_, until_ms)| *until_ms > now_ms);
        make_room(&mut links, |(_, until_ms)| *until_ms);
        links.insert(key(&token), (actor, now_ms.saturating_add(LINK_MS)));
        Ok(token)
    }

    /// Opens the session of a link and returns the cookie's value; `None` if the link is
    /// used, expired or unknown.
    ///
    /// # Errors
    ///
    /// Fails if the system has no randomness.
    pub(crate) fn enter(&self, link: &str, now_ms: u64) -> Result<Option<String>, getrandom::Error> {
        let found = self.links.lock().remove(&key(link)).filter(|(_, until_ms)| *until_ms > now_ms);
        let Some((actor, _)) = found else { return Ok(None) };
        let (token, form_token) = (random()?, random()?);
        let until_ms = now_ms.saturating_add(SESSION_MS);
        let session = Session { actor, form_token, until_ms, notice: Mutex::default() };
        let mut open = self.open.lock();
        open.retain(|_, session| session.until_ms > now_ms);
        make_room(&mut open, |session| session.until_ms);
        open.insert(key(&token), Arc::new(session));
        Ok(Some(token))
    }

    /// Returns the session that a cookie belongs to, unless it has expired.
    pub(crate) fn of(&self, cookie: &str, now_ms: u64) -> Option<Arc<Session>> {
        self.open.lock().get(&key(cookie)).filter(|session| session.until_ms > now_ms).cloned()
    }

    /// Ends the session that a cookie belongs to.
    pub(crate) fn end(&self, cookie: &str) {
        self.open.lock().remove(&key(cookie));
    }
}

fn make_room<T>(entries: &mut HashMap<Key, T>, until_ms: impl Fn(&T) -> u64) {
    if entries.len() < MAX {
        return;
    }
    let oldest = entries.iter().min_by_key(|(_, entry)| until_ms(entry)).map(|(key, _)| *key);
    if let Some(oldest) = oldest {
        entries.remove(&oldest);
    }
}

fn key(token: &str) -> Key {
    Sha256::digest(token.as_bytes()).into()
}

fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes)?;
    Ok(hex::encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollbridge_operator::Role;

    fn ada() -> Actor {
        Actor::new("ada", Role::Support).unwrap()
    }

    #[test]
    fn a_link_opens_one_session_in_time() {
        let sessions = Sessions::default();
        let link = sessions.link(ada(), 1_000).unwrap();
        assert!(sessions.enter("nothing", 1_000).unwrap().is_none());
        let cookie = sessions.enter(&link, 2_000).unwrap().unwrap();
        assert!(sessions.enter(&link, 2_000).unwrap().is_none(), "used twice");
        let late = sessions.link(ada(), 1_000).unwrap();
        assert!(sessions.enter(&late, 1_000 + LINK_MS).unwrap().is_none(), "used too late");
        assert_eq!(sessions.of(&cookie, 3_000).unwrap().actor, ada());
        assert!(sessions.of(&cookie, 2_000 + SESSION_MS).is_none() && sessions.of("x", 3_000).is_none());
        sessions.end(&cookie);
        assert!(sessions.of(&cookie, 3_000).is_none());
    }

    #[test]
    fn there_are_never_too_many() {
        let sessions = Sessions::default();
        let links: Vec<String> = (0..=300).map(|at| sessions.link(ada(), at).unwrap()).collect();
        assert!(sessions.enter(&links[0], 300).unwrap().is_none(), "the oldest made room");
        assert!(sessions.enter(links.last().unwrap(), 300).unwrap().is_some());
        assert!(sessions.links.lock().len() <= MAX);
    }
}
