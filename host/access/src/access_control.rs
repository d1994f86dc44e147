//! Access control: who is calling, and may they, now?

use std::net::IpAddr;
use std::sync::Arc;

use super::account::AccountError;
use super::client::RateLimitKey;
use super::key::{ApiKey, KeyMode, KeyParseError};
use super::keyring::Scope;
use super::oauth::{ACCESS_TOKEN_PREFIX, TokenKey};
use super::principal_cache::{KeyState, Principal, PrincipalCache};
use super::rate_limiter::{RateLimitStatus, RateLimiter};
use super::session::{Session, SessionStore, SessionToken, form_token};
use super::tier::RateLimits;

/// What a route asks of its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthRequirement {
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
    pub rate_limit_key: RateLimitKey,
    /// Where the caller stands after this call.
    pub rate_limit: RateLimitStatus,
}

/// A call that was not let in. The standing is for the headers of the answer.
#[derive(Debug)]
pub struct AccessDenied {
    /// Why the call is refused.
    pub reason: AccessError,
    /// Where the caller stands after this call.
    pub rate_limit: RateLimitStatus,
}

/// Why a call is not let in. The texts may be shown to the caller, except
/// that of `Broken`.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The route needs a key and none was sent.
    #[error("this needs an API key; send it as `Authorization: Bearer tb_…`")]
    MissingKey,
    /// A key or token was sent that opens nothing.
    #[error("the API key is not valid: {reason}")]
    InvalidCredential {
        /// What is wrong with it.
        reason: InvalidCredential,
    },
    /// The account is suspended.
    #[error("this account is suspended; ask the operator of this server")]
    Suspended,
    /// The key lacks this scope.
    #[error("this key lacks the scope `{}`; use a key that has it", .0.as_str())]
    MissingScope(Scope),
    /// Too many calls in this minute or hour.
    #[error("too many requests; try again in {} s", .0.retry_after_s.unwrap_or(1))]
    RateLimited(RateLimitStatus),
    /// For the operator: keys cannot be looked up.
    #[error("the key cannot be looked up: {0}")]
    LookupFailed(AccountError),
}

/// What is wrong with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCredential {
    /// The header is not `Bearer` and a key.
    #[error("the Authorization header is not `Bearer` and a key")]
    NotBearer,
    /// The text is not a key of this server.
    #[error(transparent)]
    Malformed(KeyParseError),
    /// No such key.
    #[error("there is no such key; it may be of another server, or was made in a data folder that is gone")]
    Unknown,
    /// The key was revoked.
    #[error("it was revoked; use another key, or make a new one")]
    Revoked,
    /// The key has expired.
    #[error("it has expired; use another key, or make a new one")]
    Expired,
    /// An OAuth token outside of `/mcp`.
    #[error("it is a token for /mcp and opens nothing else; use an API key here")]
    TokenNotAccepted,
    /// The OAuth token is invalid, expired or revoked.
    #[error("the access token is invalid, has expired or was ended; refresh it, or ask for consent again")]
    InvalidToken,
}

/// Decides who is let in.
pub struct AccessControl {
    mode: KeyMode,
    directory: PrincipalCache,
    limiter: RateLimiter,
    sessions: SessionStore,
    tokens: Option<TokenKey>,
}

impl AccessControl {
    /// Access over a cache of principals; keys of another mode are refused.
    pub fn new(mode: KeyMode, directory: PrincipalCache) -> Self {
        Self { mode, directory, limiter: RateLimiter::new(), sessions: SessionStore::default(), tokens: None }
    }

    /// The same, knowing the tokens of a host.
    #[must_use]
    pub fn with_token_key(self, key: TokenKey) -> Self {
        Self { tokens: Some(key), ..self }
    }

    /// To tell of changes to accounts and keys.
    pub const fn directory(&self) -> &PrincipalCache {
        &self.directory
    }

    /// Lets a call in or not, and counts it: against its key if that is good,
    /// else against its address. `authorization` is the header as it came;
    /// what is not text in it may be replaced by any other character.
    ///
    /// # Errors
    /// [`AccessDenied`] tells why not, and where the caller stands.
    pub fn admit(
        &self,
        authorization: Option<&str>,
        client: IpAddr,
        now_ms: u64,
        require: AuthRequirement,
    ) -> Result<Admission, AccessDenied> {
        self.admit_authenticated(self.authenticate(authorization, now_ms), client, now_ms, require)
    }

    /// The same for the one endpoint where OAuth tokens are as good as keys.
    ///
    /// # Errors
    /// As [`AccessControl::admit`].
    pub fn admit_token_or_key(
        &self,
        authorization: Option<&str>,
        client: IpAddr,
        now_ms: u64,
        require: AuthRequirement,
    ) -> Result<Admission, AccessDenied> {
        let token = authorization.and_then(bearer).filter(|text| text.starts_with(ACCESS_TOKEN_PREFIX));
        let authenticated = match token {
            Some(token) => self.authenticate_token(token, now_ms).map(Some),
            None => self.authenticate(authorization, now_ms),
        };
        self.admit_authenticated(authenticated, client, now_ms, require)
    }

    fn admit_authenticated(
        &self,
        authenticated: Result<Option<Arc<Principal>>, AccessError>,
        client: IpAddr,
        now_ms: u64,
        require: AuthRequirement,
    ) -> Result<Admission, AccessDenied> {
        match authenticated {
            Ok(Some(principal)) => self.admit_key(principal, now_ms, require),
            Ok(None) => {
                let admission = self.count(None, RateLimitKey::from(client), self.directory.free_limits(), now_ms)?;
                match require {
                    AuthRequirement::Optional => Ok(admission),
                    AuthRequirement::Key(_) => Err(admission.denied(AccessError::MissingKey)),
                }
            }
            // Counted against the address, so that guessing is limited.
            Err(reason @ AccessError::InvalidCredential { .. }) => {
                let admission = self.count(None, RateLimitKey::from(client), self.directory.free_limits(), now_ms)?;
                Err(admission.denied(reason))
            }
            Err(reason) => Err(AccessDenied { reason, rate_limit: self.address_rate_limit(client, now_ms) }),
        }
    }

    /// Where a caller stands, for routes that are not counted.
    pub fn rate_limit_status(&self, authorization: Option<&str>, client: IpAddr, now_ms: u64) -> RateLimitStatus {
        match self.authenticate(authorization, now_ms) {
            Ok(Some(principal)) => self.limiter.status(RateLimitKey::from(&principal.digest), principal.limits, now_ms),
            _ => self.address_rate_limit(client, now_ms),
        }
    }

    /// Opens a session for a key that was pasted into a page; it must be one
    /// that manages its account. Space around it is the clipboard's, not the
    /// caller's.
    ///
    /// # Errors
    /// As [`AccessControl::admit`]; nothing is counted here, the door has done that.
    pub fn sign_in(&self, key: &str, now_ms: u64) -> Result<SessionToken, AccessError> {
        let header = format!("Bearer {}", key.trim());
        let principal = self.authenticate(Some(&header), now_ms)?.ok_or(AccessError::MissingKey)?;
        let principal = require_manage_scope(principal)?;
        self.sessions.open(principal.digest, now_ms).map_err(|error| AccessError::LookupFailed(error.into()))
    }

    /// Who a session's cookie speaks for; `None` when the session is over or
    /// its key is dead.
    ///
    /// # Errors
    /// A suspended account, or keys cannot be looked up.
    pub fn session(&self, cookie: &str, now_ms: u64) -> Result<Option<Session>, AccessError> {
        let Some(digest) = self.sessions.find(cookie, now_ms) else { return Ok(None) };
        let principal = self.directory.look_up(&digest).map_err(AccessError::LookupFailed)?;
        match principal.filter(|principal| principal.key_state(now_ms) == KeyState::Active) {
            Some(principal) => {
                Ok(Some(Session { principal: require_manage_scope(principal)?, form_token: form_token(cookie) }))
            }
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

    fn admit_key(
        &self,
        principal: Arc<Principal>,
        now_ms: u64,
        require: AuthRequirement,
    ) -> Result<Admission, AccessDenied> {
        let (client, limits) = (RateLimitKey::from(&principal.digest), principal.limits);
        let (suspended, scopes) = (principal.suspended, principal.scopes);
        let admission = self.count(Some(principal), client, limits, now_ms)?;
        match require {
            _ if suspended => Err(admission.denied(AccessError::Suspended)),
            AuthRequirement::Key(scope) if !scopes.allow(scope) => {
                Err(admission.denied(AccessError::MissingScope(scope)))
            }
            _ => Ok(admission),
        }
    }

    fn count(
        &self,
        principal: Option<Arc<Principal>>,
        client: RateLimitKey,
        limits: RateLimits,
        now_ms: u64,
    ) -> Result<Admission, AccessDenied> {
        let rate_limit = self.limiter.try_acquire(client, limits, now_ms);
        if rate_limit.is_allowed() {
            return Ok(Admission { principal, rate_limit_key: client, rate_limit });
        }
        Err(AccessDenied { reason: AccessError::RateLimited(rate_limit), rate_limit })
    }

    fn address_rate_limit(&self, client: IpAddr, now_ms: u64) -> RateLimitStatus {
        self.limiter.status(RateLimitKey::from(client), self.directory.free_limits(), now_ms)
    }

    /// The principal of a live key; `None` when no key was sent.
    fn authenticate(&self, authorization: Option<&str>, now_ms: u64) -> Result<Option<Arc<Principal>>, AccessError> {
        let Some(header) = authorization else {
            return Ok(None);
        };
        let bad = |reason| AccessError::InvalidCredential { reason };
        let text = bearer(header).ok_or(bad(InvalidCredential::NotBearer))?;
        if text.starts_with(ACCESS_TOKEN_PREFIX) {
            return Err(bad(InvalidCredential::TokenNotAccepted));
        }
        let key = ApiKey::parse(self.mode, text).map_err(|problem| bad(InvalidCredential::Malformed(problem)))?;
        let principal = self.directory.look_up(&key.digest()).map_err(AccessError::LookupFailed)?;
        let principal = principal.ok_or(bad(InvalidCredential::Unknown))?;
        match principal.key_state(now_ms) {
            KeyState::Active => Ok(Some(self.directory.effective_at(principal, now_ms))),
            KeyState::Expired => Err(bad(InvalidCredential::Expired)),
            KeyState::Revoked => Err(bad(InvalidCredential::Revoked)),
        }
    }

    /// Whom an access token speaks for.
    fn authenticate_token(&self, token: &str, now_ms: u64) -> Result<Arc<Principal>, AccessError> {
        let found = match &self.tokens {
            Some(key) => self.directory.principal_of_token(key, token, now_ms).map_err(AccessError::LookupFailed)?,
            None => None,
        };
        found.map(Arc::new).ok_or(AccessError::InvalidCredential { reason: InvalidCredential::InvalidToken })
    }
}

/// A principal whose key may change its account.
fn require_manage_scope(principal: Arc<Principal>) -> Result<Arc<Principal>, AccessError> {
    match principal.suspended {
        true => Err(AccessError::Suspended),
        false if principal.scopes.allow(Scope::Manage) => Ok(principal),
        false => Err(AccessError::MissingScope(Scope::Manage)),
    }
}

impl Admission {
    fn denied(self, reason: AccessError) -> AccessDenied {
        AccessDenied { reason, rate_limit: self.rate_limit }
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
        access: AccessControl,
        account: String,
        key: ApiKey,
    }

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const CALL: AuthRequirement = AuthRequirement::Key(Scope::Call);

    fn house() -> House {
        let store = Arc::new(MemoryStore::default());
        let (account, key) = a_signed_up_account(&store);
        let access = AccessControl::new(KeyMode::Test, PrincipalCache::new(store.clone(), tiers()));
        House { store, access, account: account.id, key }
    }

    impl House {
        fn header(&self) -> String {
            format!("Bearer {}", self.key.expose())
        }

        fn admit(&self, header: Option<&str>, require: AuthRequirement) -> Result<Admission, AccessDenied> {
            self.access.admit(header, HERE, NOW, require)
        }

        fn reason(&self, header: &str) -> InvalidCredential {
            match self.admit(Some(header), AuthRequirement::Optional) {
                Err(AccessDenied { reason: AccessError::InvalidCredential { reason }, .. }) => reason,
                other => panic!("{header}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_good_key_is_let_in_and_counted_by_itself() {
        let house = house();
        for header in [house.header(), house.header().replace("Bearer", "bEARER")] {
            for require in [CALL, AuthRequirement::Key(Scope::Manage), AuthRequirement::Optional] {
                let admission = house.admit(Some(&header), require).unwrap();
                assert_eq!(admission.principal.unwrap().account_id, house.account);
                assert_eq!(admission.rate_limit_key, RateLimitKey::from(&house.key.digest()));
            }
        }
        assert_eq!(house.access.rate_limit_status(Some(&house.header()), HERE, NOW).remaining_minute, 94);
        assert_eq!(
            house.access.rate_limit_status(None, HERE, NOW).remaining_minute,
            100,
            "the address was not charged"
        );
    }

    #[test]
    fn no_key_is_counted_by_address() {
        let house = house();
        let admission = house.admit(None, AuthRequirement::Optional).unwrap();
        assert!(admission.principal.is_none());
        assert_eq!((admission.rate_limit_key, admission.rate_limit.remaining_minute), (RateLimitKey::from(HERE), 99));
        let denied = house.admit(None, CALL).unwrap_err();
        assert!(matches!(denied.reason, AccessError::MissingKey));
        assert_eq!(denied.rate_limit.remaining_minute, 98);
    }

    #[test]
    fn bad_keys_are_told_why() {
        let house = house();
        let key = house.key.expose();
        let stranger = ApiKey::generate(KeyMode::Test).unwrap();
        for (header, expect) in [
            (format!("Basic {key}"), InvalidCredential::NotBearer),
            (key.to_owned(), InvalidCredential::NotBearer),
            ("Bearer".to_owned(), InvalidCredential::NotBearer),
            ("Bearer ".to_owned(), InvalidCredential::NotBearer),
            (String::new(), InvalidCredential::NotBearer),
            (format!("Bearer  {key}"), InvalidCredential::Malformed(KeyParseError::Space)),
            (format!("Bearer {key} "), InvalidCredential::Malformed(KeyParseError::Space)),
            (format!("Bearer {key}\u{feff}"), InvalidCredential::Malformed(KeyParseError::Length)),
            ("Bearer x".to_owned(), InvalidCredential::Malformed(KeyParseError::NotAKey(KeyMode::Test))),
            (format!("Bearer {}", stranger.expose()), InvalidCredential::Unknown),
        ] {
            assert_eq!(house.reason(&header), expect, "{header:?}");
        }
        let message =
            AccessError::InvalidCredential { reason: InvalidCredential::Malformed(KeyParseError::Space) }.to_string();
        assert!(message.contains("white space") && !message.contains("tb_"), "{message}");
    }

    #[test]
    fn dead_keys_are_told_apart() {
        let house = house();
        let new = NewKey { expires_ms: Some(NOW + 1000), ..NewKey::default() };
        let issued = create_key(&*house.store, KeyMode::Test, &house.account, new, NOW).unwrap();
        house.store.apply(issued.change).unwrap();
        let header = format!("Bearer {}", issued.key.expose());
        assert!(house.admit(Some(&header), CALL).is_ok());
        let late = house.access.admit(Some(&header), HERE, NOW + 1000, CALL).unwrap_err().reason;
        assert!(matches!(late, AccessError::InvalidCredential { reason: InvalidCredential::Expired }), "{late:?}");

        assert!(house.admit(Some(&house.header()), CALL).is_ok());
        let revoked = revoke_key(&*house.store, &house.account, &house.key.digest().id(), NOW).unwrap();
        house.store.apply(revoked.change).unwrap();
        house.access.directory().invalidate_key(&revoked.digest);
        assert_eq!(house.reason(&house.header()), InvalidCredential::Revoked);
    }

    #[test]
    fn a_pasted_key_opens_a_session_that_ends_with_it() {
        let house = house();
        let session = |cookie: &str| house.access.session(cookie, NOW).unwrap();
        let token = house.access.sign_in(&format!(" {}\n", house.key.expose()), NOW).unwrap();
        let open = session(token.expose()).unwrap();
        assert_eq!(open.principal.account_id, house.account);
        assert!(
            open.accepts_form_token(&open.form_token)
                && !open.accepts_form_token("")
                && !open.accepts_form_token(token.expose())
        );
        assert!(session("x").is_none());
        house.access.sign_out(token.expose());
        assert!(session(token.expose()).is_none());

        let new = NewKey { scopes: Scopes::CALL, ..NewKey::default() };
        let issued = create_key(&*house.store, KeyMode::Test, &house.account, new, NOW).unwrap();
        house.store.apply(issued.change).unwrap();
        let denied = house.access.sign_in(issued.key.expose(), NOW).map(|_| ()).unwrap_err();
        assert!(matches!(denied, AccessError::MissingScope(Scope::Manage)), "{denied:?}");
        for bad in ["", "tb_test_x", ApiKey::generate(KeyMode::Test).unwrap().expose()] {
            assert!(
                matches!(house.access.sign_in(bad, NOW).map(|_| ()), Err(AccessError::InvalidCredential { .. })),
                "{bad}"
            );
        }

        let token = house.access.sign_in(house.key.expose(), NOW).unwrap();
        let revoked = revoke_key(&*house.store, &house.account, &house.key.digest().id(), NOW).unwrap();
        house.store.apply(revoked.change).unwrap();
        house.access.directory().invalidate_key(&revoked.digest);
        assert!(session(token.expose()).is_none(), "the key is dead");
    }

    #[test]
    fn a_suspended_account_cannot_sign_in() {
        let house = house();
        let token = house.access.sign_in(house.key.expose(), NOW).unwrap();
        let (change, _) = update_account(&*house.store, &house.account, |a| a.suspended = true).unwrap();
        house.store.apply(change).unwrap();
        house.access.directory().invalidate_account(&house.account);
        assert!(matches!(house.access.session(token.expose(), NOW), Err(AccessError::Suspended)));
        assert!(matches!(house.access.sign_in(house.key.expose(), NOW).map(|_| ()), Err(AccessError::Suspended)));
    }

    #[test]
    fn guessing_is_limited_by_address() {
        let house = house();
        let guess = || format!("Bearer {}", ApiKey::generate(KeyMode::Test).unwrap().expose());
        for _ in 0..100 {
            assert_eq!(house.reason(&guess()), InvalidCredential::Unknown);
        }
        let denied = house.admit(Some(&guess()), CALL).unwrap_err();
        assert!(matches!(denied.reason, AccessError::RateLimited(_)) && !denied.rate_limit.is_allowed());
        assert!(house.admit(None, AuthRequirement::Optional).is_err(), "nor may the address do anything else");
        assert!(house.admit(Some(&house.header()), CALL).is_ok(), "good keys behind it are not harmed");
    }

    #[test]
    fn the_limit_of_a_key_is_its_tier_s() {
        let house = house();
        for left in (0..100).rev() {
            assert_eq!(house.admit(Some(&house.header()), CALL).unwrap().rate_limit.remaining_minute, left);
        }
        let denied = house.admit(Some(&house.header()), CALL).unwrap_err();
        assert!(matches!(denied.reason, AccessError::RateLimited(rate_limit) if rate_limit == denied.rate_limit));
        assert!(house.admit(None, AuthRequirement::Optional).is_ok(), "the address has its own");
    }

    #[test]
    fn scope_and_suspension() {
        let house = house();
        let new = NewKey { scopes: Scopes::CALL, ..NewKey::default() };
        let issued = create_key(&*house.store, KeyMode::Test, &house.account, new, NOW).unwrap();
        house.store.apply(issued.change).unwrap();
        let header = format!("Bearer {}", issued.key.expose());
        let denied = house.admit(Some(&header), AuthRequirement::Key(Scope::Manage)).unwrap_err();
        assert!(matches!(denied.reason, AccessError::MissingScope(Scope::Manage)));
        assert_eq!(denied.rate_limit.remaining_minute, 99, "it is counted all the same");
        assert!(house.admit(Some(&header), CALL).is_ok());

        let (change, _) = update_account(&*house.store, &house.account, |a| a.suspended = true).unwrap();
        house.store.apply(change).unwrap();
        house.access.directory().invalidate_account(&house.account);
        for require in [CALL, AuthRequirement::Optional] {
            let denied = house.admit(Some(&header), require).unwrap_err();
            assert!(matches!(denied.reason, AccessError::Suspended));
        }
    }

    #[test]
    fn a_broken_store_lets_nobody_in() {
        let house = house();
        house.store.break_reads();
        let denied = house.admit(Some(&house.header()), AuthRequirement::Optional).unwrap_err();
        assert!(matches!(denied.reason, AccessError::LookupFailed(_)));
    }

    proptest! {
        #[test]
        fn no_header_panics_or_opens(header in "(Bearer )?(tb_test_)?\\PC{0,50}") {
            let house = house();
            prop_assert!(house.admit(Some(&header), AuthRequirement::Optional).is_err());
            house.access.rate_limit_status(Some(&header), HERE, NOW);
        }
    }
}
