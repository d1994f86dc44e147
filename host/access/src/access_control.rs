//! Access control: authentication, scopes and rate limits of calls.

use std::net::IpAddr;
use std::sync::Arc;

use tollbridge_core::fair_limiter::FairShare;
use tollbridge_store::Change;

use super::account::AccountError;
use super::call_slices::{CallSlices, MissingSlice};
use super::client::RateLimitKey;
use super::key::{ApiKey, KeyMode, KeyParseError};
use super::oauth::{ACCESS_TOKEN_PREFIX, TokenKey};
use super::principal_cache::{KeyState, Principal, PrincipalCache};
use super::rate_limiter::{RateLimitStatus, RateLimiter};
use super::scope::Scope;
use super::session::{self, OpenedSession, Session, SessionSubject, form_token};
use super::slice_supply::SliceSupply;
use super::tier::RateLimits;

/// The authentication that a route requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthRequirement {
    /// A key with this scope is required.
    Key(Scope),
    /// No key is required, but a key that is sent must be valid.
    Optional,
}

/// An admitted call.
#[derive(Clone, Debug)]
pub struct Admission {
    /// `None` when no key was sent.
    pub principal: Option<Arc<Principal>>,
    /// The client whose rate-limit windows the call counts against.
    pub rate_limit_key: RateLimitKey,
    /// The caller's rate limit after this call.
    pub rate_limit: RateLimitStatus,
}

/// A refused call. The rate limit is for the headers of the response.
#[derive(Debug)]
pub struct AccessDenied {
    /// The reason for the refusal.
    pub reason: AccessError,
    /// The caller's rate limit after this call.
    pub rate_limit: RateLimitStatus,
    /// The rate-limit slices that this host lacks, if that is the only reason for the
    /// refusal.
    pub(crate) lacks: Option<MissingSlice>,
}

/// The reason a call is refused. The messages may be shown to the caller, except that of
/// `LookupFailed`.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The route requires a key and none was sent.
    #[error("an API key is required; send it as `Authorization: Bearer tb_…`")]
    MissingKey,
    /// The key or token that was sent is not valid.
    #[error("the API key is not valid: {reason}")]
    InvalidCredential {
        /// The problem with the key or token.
        reason: InvalidCredential,
    },
    /// The account is suspended.
    #[error("this account is suspended; ask the operator of this server")]
    Suspended,
    /// The key lacks this scope.
    #[error("this key lacks the scope `{}`; use a key that has it", .0.as_str())]
    MissingScope(Scope),
    /// The client sent too many calls in this minute or hour.
    #[error("too many requests; try again in {} s", .0.retry_after_s.unwrap_or(1))]
    RateLimited(RateLimitStatus),
    /// The store failed while looking up the key; this error is for the operator.
    #[error("the key cannot be looked up: {0}")]
    LookupFailed(AccountError),
}

/// The problem with a key or token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCredential {
    /// The header does not consist of `Bearer` and a key.
    #[error("the Authorization header is not `Bearer` and a key")]
    NotBearer,
    /// The text is not a key of this server.
    #[error(transparent)]
    Malformed(KeyParseError),
    /// The key does not exist.
    #[error("there is no such key; it may belong to another server, or to a data folder that was deleted")]
    Unknown,
    /// The key was revoked.
    #[error("it was revoked; use another key, or create a new one")]
    Revoked,
    /// The key has expired.
    #[error("it has expired; use another key, or create a new one")]
    Expired,
    /// An OAuth token was sent to a route other than `/mcp`.
    #[error("it is a token for /mcp only; use an API key here")]
    TokenNotAccepted,
    /// The OAuth token is invalid, expired or revoked.
    #[error("the access token is invalid, has expired or was revoked; refresh it, or request consent again")]
    InvalidToken,
}

/// Number of requests that a client without a key may send for each call that it pays
/// for: the payment page, its form, some status checks, and the repeated call.
const PAYMENT_REQUESTS_PER_CALL: u32 = 10;

/// Admits or refuses calls.
pub struct AccessControl {
    mode: KeyMode,
    directory: PrincipalCache,
    limiter: Arc<RateLimiter>,
    tokens: Option<TokenKey>,
    /// The supply of window slices, if several hosts share the limits.
    slices: Option<Arc<SliceSupply>>,
}

impl AccessControl {
    /// Creates access control over a cache of principals. Keys of a mode (test or live)
    /// other than `mode` are refused.
    pub fn new(mode: KeyMode, directory: PrincipalCache) -> Self {
        Self { mode, directory, limiter: Arc::default(), tokens: None, slices: None }
    }

    /// Shares the rate limits with other hosts through the counter `slices`.
    #[must_use]
    pub fn with_slices(self, slices: Arc<dyn CallSlices>) -> Self {
        Self { slices: Some(Arc::new(SliceSupply::new(slices))), ..self }
    }

    /// Runs `admit`, which admits or refuses a call through one of the functions below.
    /// If several hosts share the limits, fetches more slices of them and repeats `admit`
    /// while slices are missing.
    ///
    /// # Errors
    /// The error of `admit`.
    pub async fn admit_among_hosts(
        &self,
        admit: impl Fn() -> Result<Admission, AccessDenied>,
    ) -> Result<Admission, AccessDenied> {
        let Some(slices) = &self.slices else { return admit() };
        let attempt = || {
            let admitted = admit();
            let lacks = admitted.as_ref().err().and_then(|denied| denied.lacks);
            (admitted, lacks)
        };
        slices.attempt(&self.limiter, attempt).await
    }

    /// Enables OAuth tokens, which must be signed with this key.
    #[must_use]
    pub fn with_token_key(self, key: TokenKey) -> Self {
        Self { tokens: Some(key), ..self }
    }

    /// Returns the cache of principals; invalidate its entries after changing accounts or
    /// keys.
    pub const fn directory(&self) -> &PrincipalCache {
        &self.directory
    }

    /// Admits or refuses a call, and counts it: against the account if the key is valid,
    /// otherwise against the client's address. `authorization` is the raw header, in
    /// which bytes that are not valid UTF-8 may be replaced by any other character.
    ///
    /// # Errors
    /// [`AccessDenied`] with the reason and the caller's rate limit.
    pub fn admit(
        &self,
        authorization: Option<&str>,
        client: IpAddr,
        now_ms: u64,
        require: AuthRequirement,
    ) -> Result<Admission, AccessDenied> {
        self.admit_authenticated(self.authenticate(authorization, now_ms), client, now_ms, require)
    }

    /// Admits or refuses a request without a key that is part of paying for a call: it
    /// opens the payment page, pays, or repeats the call with the payment. Such requests
    /// have separate, larger windows, because the address's limit already counts the call
    /// itself.
    ///
    /// # Errors
    /// [`AccessDenied`] with the reason and the caller's rate limit.
    pub fn admit_payment(&self, client: IpAddr, now_ms: u64) -> Result<Admission, AccessDenied> {
        let key = RateLimitKey::from(client);
        let RateLimits { per_minute, per_hour } = self.directory.free_limits();
        let limits = RateLimits {
            per_minute: per_minute.saturating_mul(PAYMENT_REQUESTS_PER_CALL),
            per_hour: per_hour.saturating_mul(PAYMENT_REQUESTS_PER_CALL),
        };
        let counted = self.count(None, key.paying(), limits, now_ms)?;
        Ok(Admission { rate_limit_key: key, rate_limit: self.address_rate_limit(client, now_ms), ..counted })
    }

    /// Admits or refuses a call to `/mcp`, which accepts OAuth tokens as well as
    /// keys.
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
            // An invalid key is counted against the address, so that guessing is
            // limited.
            Err(reason @ AccessError::InvalidCredential { .. }) => {
                let admission = self.count(None, RateLimitKey::from(client), self.directory.free_limits(), now_ms)?;
                Err(admission.denied(reason))
            }
            Err(reason) => {
                Err(AccessDenied { reason, rate_limit: self.address_rate_limit(client, now_ms), lacks: None })
            }
        }
    }

    /// Returns the caller's rate limit without counting a call, for routes that are not
    /// limited.
    pub fn rate_limit_status(&self, authorization: Option<&str>, client: IpAddr, now_ms: u64) -> RateLimitStatus {
        match self.authenticate(authorization, now_ms) {
            Ok(Some(principal)) => self.limiter.status(principal.rate_limit_key, principal.limits, now_ms),
            _ => self.address_rate_limit(client, now_ms),
        }
    }

    /// Returns whether the key in the header has a daily spending limit.
    pub fn has_daily_limit(&self, authorization: Option<&str>) -> bool {
        let principal = self.key_sent(authorization).and_then(|key| self.directory.look_up(&key.digest()).ok()?);
        principal.is_some_and(|principal| principal.max_spend_per_day.is_some())
    }

    /// Returns whether the key in the header does not exist or belongs to a suspended
    /// account.
    pub fn refuses_key(&self, authorization: Option<&str>) -> bool {
        let Some(key) = self.key_sent(authorization) else { return false };
        let principal = self.directory.look_up(&key.digest());
        principal.is_ok_and(|principal| principal.is_none_or(|principal| principal.suspended))
    }

    fn key_sent(&self, authorization: Option<&str>) -> Option<ApiKey> {
        ApiKey::parse(self.mode, authorization.and_then(bearer)?).ok()
    }

    /// Opens a session for a key that was pasted into a page; the key needs the scope to
    /// manage its account. White space around the key, which often comes with the
    /// clipboard, is ignored.
    ///
    /// # Errors
    /// As [`AccessControl::admit`]; the request is not counted here, because the
    /// admission middleware has counted it.
    pub fn sign_in(&self, key: &str, now_ms: u64) -> Result<OpenedSession, AccessError> {
        let header = format!("Bearer {}", key.trim());
        let principal = self.authenticate(Some(&header), now_ms)?.ok_or(AccessError::MissingKey)?;
        let principal = require_manage_scope(principal)?;
        session::open(SessionSubject::Key(principal.digest), now_ms).map_err(AccessError::LookupFailed)
    }

    /// Returns the session of a cookie. Returns `None` if the session has ended, if its
    /// key is no longer valid, or if it was opened by e-mail and the account's address
    /// has changed.
    ///
    /// # Errors
    /// The account is suspended, or keys cannot be looked up.
    pub fn session(&self, cookie: &str, now_ms: u64) -> Result<Option<Session>, AccessError> {
        let found = session::find(self.directory.store(), cookie, now_ms).map_err(AccessError::LookupFailed)?;
        let Some(found) = found else { return Ok(None) };
        let principal = match found.subject {
            SessionSubject::Key(key) => self.directory.look_up(&key),
            SessionSubject::Email(account) => {
                self.directory.principal_by_email(&account.id, account.verified_ms).map(|found| found.map(Arc::new))
            }
        };
        let alive = principal
            .map_err(AccessError::LookupFailed)?
            .filter(|principal| principal.key_state(now_ms) == KeyState::Active);
        let session = alive.map(|principal| {
            let (form_token, extension) = (form_token(cookie), found.extension);
            Ok(Session { principal: require_manage_scope(principal)?, form_token, extension })
        });
        session.transpose()
    }

    /// Returns the change that ends a session when committed.
    pub fn sign_out(&self, cookie: &str) -> Change {
        session::close(cookie)
    }

    fn admit_key(
        &self,
        principal: Arc<Principal>,
        now_ms: u64,
        require: AuthRequirement,
    ) -> Result<Admission, AccessDenied> {
        let (client, limits) = (principal.rate_limit_key, principal.limits);
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
        let hosts = self.slices.as_ref().map_or(1, |slices| slices.hosts());
        let (rate_limit, lacks) = self.limiter.try_acquire_among(hosts, client, limits, now_ms);
        if rate_limit.is_allowed() {
            return Ok(Admission { principal, rate_limit_key: client, rate_limit });
        }
        Err(AccessDenied { reason: AccessError::RateLimited(rate_limit), rate_limit, lacks })
    }

    fn address_rate_limit(&self, client: IpAddr, now_ms: u64) -> RateLimitStatus {
        self.limiter.status(RateLimitKey::from(client), self.directory.free_limits(), now_ms)
    }

    /// Returns the principal of a valid key; `None` if no key was sent.
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

    /// Returns the principal of an OAuth access token.
    fn authenticate_token(&self, token: &str, now_ms: u64) -> Result<Arc<Principal>, AccessError> {
        let principal = match &self.tokens {
            Some(key) => self.directory.principal_of_token(key, token, now_ms).map_err(AccessError::LookupFailed)?,
            None => None,
        };
        principal.map(Arc::new).ok_or(AccessError::InvalidCredential { reason: InvalidCredential::InvalidToken })
    }
}

/// Returns the principal if the account is not suspended and the key may manage it.
fn require_manage_scope(principal: Arc<Principal>) -> Result<Arc<Principal>, AccessError> {
    match principal.suspended {
        true => Err(AccessError::Suspended),
        false if principal.scopes.allow(Scope::Manage) => Ok(principal),
        false => Err(AccessError::MissingScope(Scope::Manage)),
    }
}

impl Admission {
    /// Returns the fair share from which the call's slots are taken.
    pub fn share(&self) -> FairShare {
        self.principal.as_ref().map_or_else(|| self.rate_limit_key.share(), |principal| principal.share())
    }

    fn denied(self, reason: AccessError) -> AccessDenied {
        AccessDenied { reason, rate_limit: self.rate_limit, lacks: None }
    }
}

/// Returns the text after `Bearer` and one space; further white space is kept,
/// so that parsing the key reports it.
fn bearer(header: &str) -> Option<&str> {
    let (scheme, rest) = header.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !rest.is_empty()).then_some(rest)
}

#[cfg(test)]
#[path = "access_control_tests.rs"]
mod tests;
