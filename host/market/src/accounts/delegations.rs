//! OAuth delegations: registration of clients, user consent, tokens and revocation.
//!
//! `access::oauth` computes the changes; this module writes them to disk. A token is
//! returned only after its grant is on disk.

use std::net::IpAddr;

use tollbridge_access::oauth::{
    CodeExchange, CodeExchangeError, Consent, GrantId, IssuedTokens, OauthClient, OauthGrant, RefreshError,
    RegistrationError, TokenKey, TokenKind, create_grant, find_client, issue_code, list_grants, redeem_code,
    refresh_tokens, register_client, revoke_grant,
};
use tollbridge_access::{AccountError, DailyQuota, DailyQuotaError};
use tollbridge_store::{Db, Refusal, SubmitError};

/// Maximum number of registrations from one client address per day.
const REGISTRATIONS_PER_ADDRESS_PER_DAY_MAX: u32 = 50;

/// The registered OAuth clients, and the grants that accounts gave to them.
pub struct Delegations {
    /// Handle on the data folder.
    db: Db,
    key: TokenKey,
    registrations: DailyQuota,
}

/// The reason a delegation is refused.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum DelegationError {
    #[error("too many registrations from this address today; try again tomorrow")]
    TooMany { retry_after_s: u32 },
    #[error(transparent)]
    Client(#[from] RegistrationError),
    #[error(transparent)]
    Code(#[from] CodeExchangeError),
    #[error(transparent)]
    Grant(#[from] RefreshError),
    #[error(transparent)]
    Row(#[from] AccountError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
    #[error("no randomness is available: {0}")]
    NoRandomness(#[from] getrandom::Error),
}

impl Delegations {
    /// Creates the service for the data folder `db`; access tokens are signed with `key`.
    pub fn new(db: Db, key: TokenKey) -> Self {
        let registrations = DailyQuota::new("registration", REGISTRATIONS_PER_ADDRESS_PER_DAY_MAX);
        Self { db, key, registrations }
    }

    /// Registers a client, up to a daily limit per IP address.
    pub async fn register(
        &self,
        name: &str,
        redirect_uris: Vec<String>,
        client: IpAddr,
        now_ms: u64,
    ) -> Result<OauthClient, DelegationError> {
        let counted = self.registrations.take(self.db.store(), client, now_ms).map_err(|error| match error {
            DailyQuotaError::Exceeded { retry_after_s } => DelegationError::TooMany { retry_after_s },
            DailyQuotaError::Row(error) => error.into(),
        })?;
        let mut registration = register_client(self.db.store(), name, redirect_uris, now_ms)?;
        registration.change.puts.push(counted);
        self.db.submit(registration.change).await?;
        Ok(registration.client)
    }

    /// Returns a registered client.
    pub fn client(&self, id: &str, now_ms: u64) -> Result<Option<OauthClient>, DelegationError> {
        Ok(find_client(self.db.store(), id, now_ms)?)
    }

    /// Issues an authorization code after a user has consented.
    pub async fn consent(&self, asked: Consent, now_ms: u64) -> Result<String, DelegationError> {
        let issued = issue_code(asked, now_ms)?;
        self.db.submit(issued.change).await?;
        Ok(issued.code)
    }

    /// Exchanges an authorization code for the first tokens of a grant.
    pub async fn exchange(&self, exchange: CodeExchange<'_>, now_ms: u64) -> Result<IssuedTokens, DelegationError> {
        let new = GrantId::random()?;
        let redeemed = match redeem_code(self.db.store(), exchange, new.0, now_ms) {
            Ok(redeemed) => redeemed,
            Err(CodeExchangeError::Used { account, grant }) => {
                self.db.submit(revoke_grant(&account, &hex::encode(grant))).await?;
                return Err(CodeExchangeError::Used { account, grant }.into());
            }
            Err(error) => return Err(error.into()),
        };
        match self.db.submit(redeemed.change).await {
            // A concurrent exchange used the code first. If the code is sent again, the
            // grant created by that exchange is revoked.
            Err(SubmitError::Refused(Refusal::Unexpected { .. })) => return Err(CodeExchangeError::Unknown.into()),
            written => drop(written?),
        }
        let asked = redeemed.outcome?;
        let issued = create_grant(self.db.store(), &self.key, new, asked, now_ms)?;
        self.db.submit(issued.change.clone()).await?;
        Ok(issued)
    }

    /// Exchanges a refresh token for the next tokens of its grant.
    pub async fn refresh(
        &self,
        token: &str,
        client: Option<&str>,
        resource: Option<&str>,
        now_ms: u64,
    ) -> Result<IssuedTokens, DelegationError> {
        match refresh_tokens(self.db.store(), &self.key, token, client, resource, now_ms) {
            Ok(issued) => {
                self.db.submit(issued.change.clone()).await?;
                Ok(issued)
            }
            Err(RefreshError::Used { change }) => {
                self.db.submit((*change).clone()).await?;
                tracing::warn!("a refresh token was used twice; its grant was revoked");
                Err(RefreshError::Used { change }.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Revokes the grant to which an access or refresh token belongs. An invalid token is
    /// not an error (RFC 7009, 2.2).
    pub async fn revoke(&self, token: &str) -> Result<(), DelegationError> {
        let read = [TokenKind::Access, TokenKind::Refresh].into_iter().find_map(|kind| self.key.verify(kind, token));
        if let Some(claims) = read {
            self.db.submit(revoke_grant(&claims.account, &hex::encode(claims.grant))).await?;
        }
        Ok(())
    }

    /// Returns the grants of an account, newest first.
    pub fn grants(&self, account: &str, now_ms: u64) -> Result<Vec<OauthGrant>, DelegationError> {
        Ok(list_grants(self.db.store(), account, now_ms)?)
    }

    /// Revokes a grant of an account.
    pub async fn end(&self, account: &str, id: &str) -> Result<(), DelegationError> {
        self.db.submit(revoke_grant(account, id)).await?;
        Ok(())
    }
}

impl DelegationError {
    /// Returns whether the error arose because two requests used the same token
    /// concurrently.
    pub const fn is_race(&self) -> bool {
        matches!(self, Self::Submit(SubmitError::Refused(Refusal::Unexpected { .. })))
    }
}
