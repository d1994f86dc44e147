//! The door: who is calling, and may they, now?

use std::net::IpAddr;
use std::sync::Arc;

use super::account::AccountError;
use super::client::ClientId;
use super::directory::{Directory, KeyState, Principal};
use super::key::{ApiKey, KeyProblem, Mode};
use super::keyring::Scope;
use super::limit::{Limiter, Standing};
use super::oauth::{ACCESS_PREFIX, TokenKey};
use super::session::{Session, SessionToken, Sessions, form_token};
use super::tier::Limits;

/// What a route asks of its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Require {
    /// A key with this scope.
    Key(Scope),
    /// Nothing; but a key that is sent must be good.
    Optional,
}

/// A call that was let in.
#[derive(Clone, Debug)]
pub struct Admission {
    /// `None` when no key was sent.
    pub principal: Option<Arc<Principal>>,
    /// Whose windows the call was counted in.
    pub client: ClientId,
    pub standing: Standing,
}

/// A call that was not let in. The standing is for the headers of the answer.
#[derive(Debug)]
pub struct Denied {
    pub reason: AccessError,
    pub standing: Standing,
}

/// Why a call is not let in. The texts may be shown to the caller, except
/// that of `Broken`.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    #[error("this needs an API key; send it as `Authorization: Bearer tb_…`")]
    MissingKey,
    #[error("the API key is not valid: {hint}")]
    BadKey { hint: BadKey },
    #[error("this account is suspended; ask the operator of this server")]
    Suspended,
    #[error("this key lacks the scope `{}`; use a key that has it", .0.as_str())]
    LacksScope(Scope),
    #[error("too many requests; try again in {} s", .0.retry_after_s.unwrap_or(1))]
    Limited(Standing),
    /// For the operator: keys cannot be looked up.
    #[error("the key cannot be looked up: {0}")]
    Broken(AccountError),
}

/// What is wrong with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    #[error("the Authorization header is not `Bearer` and a key")]
    NotBearer,
    #[error(transparent)]
    Malformed(KeyProblem),
    #[error("there is no such key; it may be of another server, or was made in a data folder that is gone")]
    Unknown,
    #[error("it was revoked; use another key, or make a new one")]
    Revoked,
    #[error("it has expired; use another key, or make a new one")]
    Expired,
    #[error("it is a token for /mcp and opens nothing else; use an API key here")]
    TokenElsewhere,
    #[error("the access token is invalid, has expired or was ended; refresh it, or ask for consent again")]
    DeadToken,
}

/// Decides who is let in.
pub struct Access {
    mode: Mode,
    directory: Directory,
    limiter: Limiter,
    sessions: Sessions,
    tokens: Option<TokenKey>,
}

impl Access {
    pub fn new(mode: Mode, directory: Directory) -> Self {
        Self { mode, directory, limiter: Limiter::new(), sessions: Sessions::default(), tokens: None }
    }

    /// The same, knowing the tokens of a host.
    #[must_use]
    pub fn with_tokens(self, key: TokenKey) -> Self {
        Self { tokens: Some(key), ..self }
    }

    /// To tell of changes to accounts and keys.
    pub const fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Lets a call in or not, and counts it: against its key if that is good,
    /// else against its address. `authorization` is the header as it came;
    /// what is not text in it may be replaced by any other character.
    ///
    /// # Errors
    /// [`Denied`] tells why not, and where the caller stands.
    pub fn admit(
        &self,
        authorization: Option<&str>,
        client: IpAddr,
        now_ms: u64,
        require: Require,
    ) -> Result<Admission, Denied> {
        self.admit_as(self.identify(authorization, now_ms), client, now_ms, require)
    }

    /// The same for the one endpoint where OAuth tokens are as good as keys.
    ///
    /// # Errors
    /// As [`Access::admit`].
    pub fn admit_with_token(
        &self,
        authorization: Option<&str>,
        client: IpAddr,
        now_ms: u64,
        require: Require,
    ) -> Result<Admission, Denied> {
        let token = authorization.and_then(bearer).filter(|text| text.starts_with(ACCESS_PREFIX));
        let identified = match token {
            Some(token) => self.identify_token(token, now_ms).map(Some),
            None => self.identify(authorization, now_ms),
        };
        self.admit_as(identified, client, now_ms, require)
    }

    fn admit_as(
        &self,
        identified: Result<Option<Arc<Principal>>, AccessError>,
        client: IpAddr,
        now_ms: u64,
        require: Require,
    ) -> Result<Admission, Denied> {
        match identified {
            Ok(Some(principal)) => self.admit_key(principal, now_ms, require),
            Ok(None) => {
                let admission = self.take(None, ClientId::from(client), self.directory.free_limits(), now_ms)?;
                match require {
                    Require::Optional => Ok(admission),
                    Require::Key(_) => Err(admission.denied(AccessError::MissingKey)),
                }
            }
            // Counted against the address, so that guessing is limited.
            Err(reason @ AccessError::BadKey { .. }) => {
                let admission = self.take(None, ClientId::from(client), self.directory.free_limits(), now_ms)?;
                Err(admission.denied(reason))
            }
            Err(reason) => Err(Denied { reason, standing: self.standing_of_address(client, now_ms) }),
        }
    }

    /// Where a caller stands, for routes that are not counted.
    pub fn peek(&self, authorization: Option<&str>, client: IpAddr, now_ms: u64) -> Standing {
        match self.identify(authorization, now_ms) {
            Ok(Some(principal)) => self.limiter.peek(ClientId::from(&principal.digest), principal.limits, now_ms),
            _ => self.standing_of_address(client, now_ms),
        }
    }

    /// Opens a session for a key that was pasted into a page; it must be one
    /// that manages its account. Space around it is the clipboard's, not the
    /// caller's.
    ///
    /// # Errors
    /// As [`Access::admit`]; nothing is counted here, the door has done that.
    pub fn sign_in(&self, key: &str, now_ms: u64) -> Result<SessionToken, AccessError> {
        let header = format!("Bearer {}", key.trim());
        let principal = self.identify(Some(&header), now_ms)?.ok_or(AccessError::MissingKey)?;
        let principal = may_manage(principal)?;
        self.sessions.open(principal.digest, now_ms).map_err(|error| AccessError::Broken(error.into()))
    }

    /// Who a session's cookie speaks for; `None` when the session is over or
    /// its key is dead.
    ///
    /// # Errors
    /// A suspended account, or keys cannot be looked up.
    pub fn session(&self, cookie: &str, now_ms: u64) -> Result<Option<Session>, AccessError> {
        let Some(digest) = self.sessions.find(cookie, now_ms) else { return Ok(None) };
        let principal = self.directory.look_up(&digest).map_err(AccessError::Broken)?;
        match principal.filter(|principal| principal.key_state(now_ms) == KeyState::Live) {
            Some(principal) => Ok(Some(Session { principal: may_manage(principal)?, form_token: form_token(cookie) })),
            None => {
                self.sessions.close(cookie);
                Ok(None)
            }
        }
    }

    /// Ends a session.
    pub fn sign_out(&self, cookie: &str) {
        self.sessions.close(cookie);
    }

    fn admit_key(&self, principal: Arc<Principal>, now_ms: u64, require: Require) -> Result<Admission, Denied> {
        let (client, limits) = (ClientId::from(&principal.digest), principal.limits);
        let (suspended, scopes) = (principal.suspended, principal.scopes);
        let admission = self.take(Some(principal), client, limits, now_ms)?;
        match require {
            _ if suspended => Err(admission.denied(AccessError::Suspended)),
            Require::Key(scope) if !scopes.allow(scope) => Err(admission.denied(AccessError::LacksScope(scope))),
            _ => Ok(admission),
        }
    }

    fn take(
        &self,
        principal: Option<Arc<Principal>>,
        client: ClientId,
        limits: Limits,
        now_ms: u64,
    ) -> Result<Admission, Denied> {
        let standing = self.limiter.take(client, limits, now_ms);
        if standing.is_admitted() {
            return Ok(Admission { principal, client, standing });
        }
        Err(Denied { reason: AccessError::Limited(standing), standing })
    }

    fn standing_of_address(&self, client: IpAddr, now_ms: u64) -> Standing {
        self.limiter.peek(ClientId::from(client), self.directory.free_limits(), now_ms)
    }

    /// The principal of a live key; `None` when no key was sent.
    fn identify(&self, authorization: Option<&str>, now_ms: u64) -> Result<Option<Arc<Principal>>, AccessError> {
        let Some(header) = authorization else {
            return Ok(None);
        };
        let bad = |hint| AccessError::BadKey { hint };
        let text = bearer(header).ok_or(bad(BadKey::NotBearer))?;
        if text.starts_with(ACCESS_PREFIX) {
            return Err(bad(BadKey::TokenElsewhere));
        }
        let key = ApiKey::parse(self.mode, text).map_err(|problem| bad(BadKey::Malformed(problem)))?;
        let principal = self.directory.look_up(&key.digest()).map_err(AccessError::Broken)?;
        let principal = principal.ok_or(bad(BadKey::Unknown))?;
        match principal.key_state(now_ms) {
            KeyState::Live => Ok(Some(self.directory.at(principal, now_ms))),
            KeyState::Expired => Err(bad(BadKey::Expired)),
            KeyState::Revoked => Err(bad(BadKey::Revoked)),
        }
    }

    /// Whom an access token speaks for.
    fn identify_token(&self, token: &str, now_ms: u64) -> Result<Arc<Principal>, AccessError> {
        let found = match &self.tokens {
            Some(key) => self.directory.grantee(key, token, now_ms).map_err(AccessError::Broken)?,
            None => None,
        };
        found.map(Arc::new).ok_or(AccessError::BadKey { hint: BadKey::DeadToken })
    }
}

/// A principal whose key may change its account.
fn may_manage(principal: Arc<Principal>) -> Result<Arc<Principal>, AccessError> {
    match principal.suspended {
        true => Err(AccessError::Suspended),
        false if principal.scopes.allow(Scope::Manage) => Ok(principal),
        false => Err(AccessError::LacksScope(Scope::Manage)),
    }
}

impl Admission {
    fn denied(self, reason: AccessError) -> Denied {
        Denied { reason, standing: self.standing }
    }
}

/// What follows `Bearer` and one space; further white space is left in, so
/// that the caller is told of it.
fn bearer(header: &str) -> Option<&str> {
    let (scheme, rest) = header.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::super::account::update_account;
    use super::super::keyring::{NewKey, Scopes, create_key, revoke_key};
    use super::super::testing::{MemoryStore, NOW, a_signed_up_account, tiers};
    use super::*;
    use proptest::prelude::*;

    struct House {
        store: Arc<MemoryStore>,
        access: Access,
        account: String,
        key: ApiKey,
    }

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const CALL: Require = Require::Key(Scope::Call);

    fn house() -> House {
        let store = Arc::new(MemoryStore::default());
        let (account, key) = a_signed_up_account(&store);
        let access = Access::new(Mode::Test, Directory::new(store.clone(), tiers()));
        House { store, access, account: account.id, key }
    }

    impl House {
        fn header(&self) -> String {
            format!("Bearer {}", self.key.expose())
        }

        fn admit(&self, header: Option<&str>, require: Require) -> Result<Admission, Denied> {
            self.access.admit(header, HERE, NOW, require)
        }

        fn hint(&self, header: &str) -> BadKey {
            match self.admit(Some(header), Require::Optional) {
                Err(Denied { reason: AccessError::BadKey { hint }, .. }) => hint,
                other => panic!("{header}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_good_key_is_let_in_and_counted_by_itself() {
        let house = house();
        for header in [house.header(), house.header().replace("Bearer", "bEARER")] {
            for require in [CALL, Require::Key(Scope::Manage), Require::Optional] {
                let admission = house.admit(Some(&header), require).unwrap();
                assert_eq!(admission.principal.unwrap().account_id, house.account);
                assert_eq!(admission.client, ClientId::from(&house.key.digest()));
            }
        }
        assert_eq!(house.access.peek(Some(&house.header()), HERE, NOW).remaining_minute, 94);
        assert_eq!(house.access.peek(None, HERE, NOW).remaining_minute, 100, "the address was not charged");
    }

    #[test]
    fn no_key_is_counted_by_address() {
        let house = house();
        let admission = house.admit(None, Require::Optional).unwrap();
        assert!(admission.principal.is_none());
        assert_eq!((admission.client, admission.standing.remaining_minute), (ClientId::from(HERE), 99));
        let denied = house.admit(None, CALL).unwrap_err();
        assert!(matches!(denied.reason, AccessError::MissingKey));
        assert_eq!(denied.standing.remaining_minute, 98);
    }

    #[test]
    fn bad_keys_are_told_why() {
        let house = house();
        let key = house.key.expose();
        let stranger = ApiKey::generate(Mode::Test).unwrap();
        for (header, expect) in [
            (format!("Basic {key}"), BadKey::NotBearer),
            (key.to_owned(), BadKey::NotBearer),
            ("Bearer".to_owned(), BadKey::NotBearer),
            ("Bearer ".to_owned(), BadKey::NotBearer),
            (String::new(), BadKey::NotBearer),
            (format!("Bearer  {key}"), BadKey::Malformed(KeyProblem::Space)),
            (format!("Bearer {key} "), BadKey::Malformed(KeyProblem::Space)),
            (format!("Bearer {key}\u{feff}"), BadKey::Malformed(KeyProblem::Length)),
            ("Bearer x".to_owned(), BadKey::Malformed(KeyProblem::NotAKey(Mode::Test))),
            (format!("Bearer {}", stranger.expose()), BadKey::Unknown),
        ] {
            assert_eq!(house.hint(&header), expect, "{header:?}");
        }
        let message = AccessError::BadKey { hint: BadKey::Malformed(KeyProblem::Space) }.to_string();
        assert!(message.contains("white space") && !message.contains("tb_"), "{message}");
    }

    #[test]
    fn dead_keys_are_told_apart() {
        let house = house();
        let new = NewKey { expires_ms: Some(NOW + 1000), ..NewKey::default() };
        let issued = create_key(&*house.store, Mode::Test, &house.account, new, NOW).unwrap();
        house.store.apply(issued.change).unwrap();
        let header = format!("Bearer {}", issued.key.expose());
        assert!(house.admit(Some(&header), CALL).is_ok());
        let late = house.access.admit(Some(&header), HERE, NOW + 1000, CALL).unwrap_err().reason;
        assert!(matches!(late, AccessError::BadKey { hint: BadKey::Expired }), "{late:?}");

        assert!(house.admit(Some(&house.header()), CALL).is_ok());
        let revoked = revoke_key(&*house.store, &house.account, &house.key.digest().id(), NOW).unwrap();
        house.store.apply(revoked.change).unwrap();
        house.access.directory().forget_key(&revoked.digest);
        assert_eq!(house.hint(&house.header()), BadKey::Revoked);
    }

    #[test]
    fn a_pasted_key_opens_a_session_that_ends_with_it() {
        let house = house();
        let session = |cookie: &str| house.access.session(cookie, NOW).unwrap();
        let token = house.access.sign_in(&format!(" {}\n", house.key.expose()), NOW).unwrap();
        let open = session(token.expose()).unwrap();
        assert_eq!(open.principal.account_id, house.account);
        assert!(open.made(&open.form_token) && !open.made("") && !open.made(token.expose()));
        assert!(session("x").is_none());
        house.access.sign_out(token.expose());
        assert!(session(token.expose()).is_none());

        let new = NewKey { scopes: Scopes::CALL, ..NewKey::default() };
        let issued = create_key(&*house.store, Mode::Test, &house.account, new, NOW).unwrap();
        house.store.apply(issued.change).unwrap();
        let denied = house.access.sign_in(issued.key.expose(), NOW).map(|_| ()).unwrap_err();
        assert!(matches!(denied, AccessError::LacksScope(Scope::Manage)), "{denied:?}");
        for bad in ["", "tb_test_x", ApiKey::generate(Mode::Test).unwrap().expose()] {
            assert!(matches!(house.access.sign_in(bad, NOW).map(|_| ()), Err(AccessError::BadKey { .. })), "{bad}");
        }

        let token = house.access.sign_in(house.key.expose(), NOW).unwrap();
        let revoked = revoke_key(&*house.store, &house.account, &house.key.digest().id(), NOW).unwrap();
        house.store.apply(revoked.change).unwrap();
        house.access.directory().forget_key(&revoked.digest);
        assert!(session(token.expose()).is_none(), "the key is dead");
    }

    #[test]
    fn a_suspended_account_cannot_sign_in() {
        let house = house();
        let token = house.access.sign_in(house.key.expose(), NOW).unwrap();
        let (change, _) = update_account(&*house.store, &house.account, |a| a.suspended = true).unwrap();
        house.store.apply(change).unwrap();
        house.access.directory().forget_account(&house.account);
        assert!(matches!(house.access.session(token.expose(), NOW), Err(AccessError::Suspended)));
        assert!(matches!(house.access.sign_in(house.key.expose(), NOW).map(|_| ()), Err(AccessError::Suspended)));
    }

    #[test]
    fn guessing_is_limited_by_address() {
        let house = house();
        let guess = || format!("Bearer {}", ApiKey::generate(Mode::Test).unwrap().expose());
        for _ in 0..100 {
            assert_eq!(house.hint(&guess()), BadKey::Unknown);
        }
        let denied = house.admit(Some(&guess()), CALL).unwrap_err();
        assert!(matches!(denied.reason, AccessError::Limited(_)) && !denied.standing.is_admitted());
        assert!(house.admit(None, Require::Optional).is_err(), "nor may the address do anything else");
        assert!(house.admit(Some(&house.header()), CALL).is_ok(), "good keys behind it are not harmed");
    }

    #[test]
    fn the_limit_of_a_key_is_its_tier_s() {
        let house = house();
        for left in (0..100).rev() {
            assert_eq!(house.admit(Some(&house.header()), CALL).unwrap().standing.remaining_minute, left);
        }
        let denied = house.admit(Some(&house.header()), CALL).unwrap_err();
        assert!(matches!(denied.reason, AccessError::Limited(standing) if standing == denied.standing));
        assert!(house.admit(None, Require::Optional).is_ok(), "the address has its own");
    }

    #[test]
    fn scope_and_suspension() {
        let house = house();
        let new = NewKey { scopes: Scopes::CALL, ..NewKey::default() };
        let issued = create_key(&*house.store, Mode::Test, &house.account, new, NOW).unwrap();
        house.store.apply(issued.change).unwrap();
        let header = format!("Bearer {}", issued.key.expose());
        let denied = house.admit(Some(&header), Require::Key(Scope::Manage)).unwrap_err();
        assert!(matches!(denied.reason, AccessError::LacksScope(Scope::Manage)));
        assert_eq!(denied.standing.remaining_minute, 99, "it is counted all the same");
        assert!(house.admit(Some(&header), CALL).is_ok());

        let (change, _) = update_account(&*house.store, &house.account, |a| a.suspended = true).unwrap();
        house.store.apply(change).unwrap();
        house.access.directory().forget_account(&house.account);
        for require in [CALL, Require::Optional] {
            let denied = house.admit(Some(&header), require).unwrap_err();
            assert!(matches!(denied.reason, AccessError::Suspended));
        }
    }

    #[test]
    fn a_broken_store_lets_nobody_in() {
        let house = house();
        house.store.break_reads();
        let denied = house.admit(Some(&house.header()), Require::Optional).unwrap_err();
        assert!(matches!(denied.reason, AccessError::Broken(_)));
    }

    proptest! {
        #[test]
        fn no_header_panics_or_opens(header in "(Bearer )?(tb_test_)?\\PC{0,50}") {
            let house = house();
            prop_assert!(house.admit(Some(&header), Require::Optional).is_err());
            house.access.peek(Some(&header), HERE, NOW);
        }
    }
}
