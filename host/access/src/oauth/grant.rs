//! Grants: a user's permission for a client, valid until the user or the client ends it.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;
use tollbridge_store::{Change, Collection, Expect, Put, Store};

use super::super::account::{AccountError, new_row, read_row};
use super::client;
use super::code::Consent;
use super::token::{TokenClaims, TokenKey, TokenKind};

/// Lifetime of an access token.
const ACCESS_TOKEN_MS_MAX: u64 = 60 * 60 * 1000;
/// Lifetime of a grant since its last use.
const GRANT_MS_MAX: u64 = 30 * DAY_MS;
/// Maximum number of programs that may act for one account at a time.
const GRANTS_PER_ACCOUNT_MAX: usize = 50;

/// A row of [`Collection::OauthGrants`], under account and id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OauthGrant {
    /// The id: 32 hexadecimal digits.
    pub id: String,
    /// The account id.
    pub account: String,
    /// The client id.
    pub client: String,
    /// The name of the client as shown on the consent page.
    pub client_name: String,
    /// The resource for which the tokens are valid.
    pub resource: String,
    /// The spending limit of the grant's tokens per day.
    pub max_spend_per_day: Option<Millipence>,
    /// The number of refreshes; only the refresh token with this number is valid.
    pub generation: u64,
    /// The time of creation in Unix milliseconds.
    pub created_ms: u64,
    /// The time of the last refresh in Unix milliseconds.
    pub used_ms: u64,
    /// The expiry in Unix milliseconds.
    pub expires_ms: u64,
}

/// New tokens; valid once `change` is committed.
#[derive(Debug)]
pub struct IssuedTokens {
    /// The change to commit.
    pub change: Change,
    /// The access token.
    pub access: String,
    /// The refresh token.
    pub refresh: String,
    /// The lifetime of the access token in seconds.
    pub seconds: u64,
}

/// The id of a grant that is about to be created.
#[derive(Clone, Copy, Debug)]
pub struct GrantId(pub [u8; 16]);

/// The reason a refresh token is refused.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// The token does not exist, or belongs to another client.
    #[error("the refresh token is unknown, expired or belongs to another client")]
    Unknown,
    /// The refresh token was used before; committing `change` ends the grant.
    #[error("the refresh token was used before; the grant is revoked")]
    Used {
        /// The change to commit.
        change: Box<Change>,
    },
    /// The resource differs from that of the consent.
    #[error("resource differs from that of the consent")]
    Resource,
    /// A row cannot be read.
    #[error(transparent)]
    Row(#[from] AccountError),
}

impl GrantId {
    /// Generates a random grant id.
    ///
    /// # Errors
    /// The operating system provides no randomness.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut id = [0; 16];
        getrandom::fill(&mut id)?;
        Ok(Self(id))
    }
}

impl OauthGrant {
    fn tokens(&self, key: &TokenKey, now_ms: u64) -> Result<(String, String), AccountError> {
        let mut grant = [0; 16];
        let none = || AccountError::UnknownAccount(self.account.clone());
        hex::decode_to_slice(&self.id, &mut grant).map_err(|_| none())?;
        let claims = |number| TokenClaims { account: self.account.clone(), grant, number };
        let access = key.encode(TokenKind::Access, &claims(now_ms.saturating_add(ACCESS_TOKEN_MS_MAX)));
        let refresh = key.encode(TokenKind::Refresh, &claims(self.generation));
        access.zip(refresh).ok_or_else(none)
    }

    fn issued(&self, key: &TokenKey, puts: Vec<Put>, now_ms: u64) -> Result<IssuedTokens, AccountError> {
        let (access, refresh) = self.tokens(key, now_ms)?;
        Ok(IssuedTokens {
            change: Change { puts, ..Change::default() },
            access,
            refresh,
            seconds: ACCESS_TOKEN_MS_MAX / 1000,
        })
    }
}

/// Creates the grant for a consent and its first tokens. If the account has its maximum
/// number of grants, the least recently used one ends.
///
/// # Errors
/// The store fails.
pub fn create_grant(
    store: &dyn Store,
    key: &TokenKey,
    new: GrantId,
    consent: Consent,
    now_ms: u64,
) -> Result<IssuedTokens, AccountError> {
    let grant = OauthGrant {
        id: hex::encode(new.0),
        account: consent.account,
        client: consent.client,
        client_name: consent.client_name,
        resource: consent.resource,
        max_spend_per_day: consent.max_spend_per_day,
        generation: 0,
        created_ms: now_ms,
        used_ms: now_ms,
        expires_ms: now_ms.saturating_add(GRANT_MS_MAX),
    };
    let mut puts = vec![new_row(Collection::OauthGrants, row_key(&grant.account, &grant.id), &grant)?];
    puts.extend(client::extend_expiry(store, &grant.client, grant.expires_ms)?);
    let (mut live, dead): (Vec<OauthGrant>, Vec<OauthGrant>) =
        all(store, &grant.account)?.into_iter().partition(|grant| now_ms < grant.expires_ms);
    live.sort_by_key(|grant| std::cmp::Reverse(grant.used_ms));
    let over = live.into_iter().skip(GRANTS_PER_ACCOUNT_MAX - 1);
    puts.extend(dead.into_iter().chain(over).map(|old| delete_put(&old.account, &old.id)));
    grant.issued(key, puts, now_ms)
}

/// Exchanges a refresh token for the grant's next tokens.
///
/// # Errors
/// [`RefreshError`]; the caller must commit the change in [`RefreshError::Used`] too,
/// because it ends the grant.
pub fn refresh_tokens(
    store: &dyn Store,
    key: &TokenKey,
    token: &str,
    client: Option<&str>,
    resource: Option<&str>,
    now_ms: u64,
) -> Result<IssuedTokens, RefreshError> {
    let claims = key.verify(TokenKind::Refresh, token).ok_or(RefreshError::Unknown)?;
    let row = row_key(&claims.account, &hex::encode(claims.grant));
    let mut stored = read_row::<OauthGrant>(store, Collection::OauthGrants, &row)?.ok_or(RefreshError::Unknown)?;
    let grant = &mut stored.row;
    if now_ms >= grant.expires_ms || client.is_some_and(|client| client != grant.client) {
        return Err(RefreshError::Unknown);
    }
    if claims.number != grant.generation {
        let puts = vec![delete_put(&grant.account, &grant.id)];
        return Err(RefreshError::Used { change: Box::new(Change { puts, ..Change::default() }) });
    }
    if resource.is_some_and(|resource| resource != grant.resource) {
        return Err(RefreshError::Resource);
    }
    grant.generation += 1;
    grant.used_ms = now_ms;
    grant.expires_ms = now_ms.saturating_add(GRANT_MS_MAX);
    let mut puts = vec![stored.put()?];
    puts.extend(client::extend_expiry(store, &stored.row.client, stored.row.expires_ms)?);
    Ok(stored.row.issued(key, puts, now_ms)?)
}

/// Returns the valid grants of an account, newest first.
///
/// # Errors
/// The store fails.
pub fn list_grants(store: &dyn Store, account: &str, now_ms: u64) -> Result<Vec<OauthGrant>, AccountError> {
    let mut live = all(store, account)?;
    live.retain(|grant| now_ms < grant.expires_ms);
    live.sort_by_key(|grant| std::cmp::Reverse(grant.created_ms));
    Ok(live)
}

/// Returns the change that ends a grant; the grant need not exist.
pub fn revoke_grant(account: &str, id: &str) -> Change {
    Change { puts: vec![delete_put(account, id)], ..Change::default() }
}

/// Returns the grant of an access token, if the token and the grant are valid.
pub(crate) fn find_by_access_token(
    store: &dyn Store,
    key: &TokenKey,
    token: &str,
    now_ms: u64,
) -> Result<Option<OauthGrant>, AccountError> {
    let Some(claims) = key.verify(TokenKind::Access, token) else { return Ok(None) };
    if now_ms >= claims.number {
        return Ok(None);
    }
    let row = row_key(&claims.account, &hex::encode(claims.grant));
    let stored_grant = read_row::<OauthGrant>(store, Collection::OauthGrants, &row)?;
    Ok(stored_grant.map(|stored| stored.row).filter(|grant| now_ms < grant.expires_ms))
}

fn all(store: &dyn Store, account: &str) -> Result<Vec<OauthGrant>, AccountError> {
    let prefix = format!("{account}/");
    let rows = store.list(Collection::OauthGrants, &prefix, 4 * GRANTS_PER_ACCOUNT_MAX)?;
    let of_account = rows.into_iter().take_while(|(key, _)| key.starts_with(&prefix));
    of_account
        .map(|(key, value)| serde_json::from_slice(&value).map_err(|source| AccountError::Row { key, source }))
        .collect()
}

fn row_key(account: &str, id: &str) -> String {
    format!("{account}/{id}")
}

fn delete_put(account: &str, id: &str) -> Put {
    Put { collection: Collection::OauthGrants, key: row_key(account, id), value: None, expect: Expect::Any }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{MemoryStore, NOW, TestStore};
    use super::*;

    const KEY: TokenKey = TokenKey::new([3; 32]);
    const ACCOUNT: &str = "acct_0123456789abcdef";

    fn consent() -> Consent {
        Consent {
            account: ACCOUNT.to_owned(),
            client: "client_1".to_owned(),
            client_name: "one".to_owned(),
            redirect_uri: String::new(),
            challenge: String::new(),
            resource: "https://here.example/mcp".to_owned(),
            max_spend_per_day: None,
        }
    }

    fn started(store: &MemoryStore, now: u64) -> IssuedTokens {
        let issued = create_grant(store, &KEY, GrantId::random().unwrap(), consent(), now).unwrap();
        store.apply(issued.change.clone()).unwrap();
        issued
    }

    fn again(store: &MemoryStore, token: &str, now: u64) -> Result<IssuedTokens, RefreshError> {
        let issued = refresh_tokens(store, &KEY, token, Some("client_1"), None, now);
        match &issued {
            Ok(issued) => store.apply(issued.change.clone()).map(drop).unwrap(),
            Err(RefreshError::Used { change }) => store.apply((**change).clone()).map(drop).unwrap(),
            Err(_) => {}
        }
        issued
    }

    #[test]
    fn tokens_count_until_they_end_or_are_ended() {
        let store = MemoryStore::default();
        let first = started(&store, NOW);
        let stored_grant = |token: &str, now| find_by_access_token(&store, &KEY, token, now).unwrap();
        assert_eq!(stored_grant(&first.access, NOW).unwrap().account, ACCOUNT);
        assert!(stored_grant(&first.refresh, NOW).is_none(), "a refresh token gives no access");
        assert!(stored_grant(&first.access, NOW + ACCESS_TOKEN_MS_MAX).is_none());
        let second = again(&store, &first.refresh, NOW + 1).unwrap();
        assert!(stored_grant(&second.access, NOW + 2).is_some());
        let id = list_grants(&store, ACCOUNT, NOW).unwrap()[0].id.clone();
        store.apply(revoke_grant(ACCOUNT, &id)).unwrap();
        assert!(stored_grant(&second.access, NOW + 2).is_none());
        assert!(matches!(again(&store, &second.refresh, NOW + 2), Err(RefreshError::Unknown)));
    }

    #[test]
    fn a_refresh_token_that_is_used_twice_ends_everything() {
        let store = MemoryStore::default();
        let first = started(&store, NOW);
        let second = again(&store, &first.refresh, NOW).unwrap();
        assert!(matches!(again(&store, &first.refresh, NOW), Err(RefreshError::Used { .. })));
        assert!(matches!(again(&store, &second.refresh, NOW), Err(RefreshError::Unknown)));
        assert!(find_by_access_token(&store, &KEY, &second.access, NOW).unwrap().is_none());
    }

    #[test]
    fn of_two_refreshes_at_once_one_wins() {
        let store = MemoryStore::default();
        let first = started(&store, NOW);
        let ask = || refresh_tokens(&store, &KEY, &first.refresh, Some("client_1"), None, NOW).unwrap();
        let (one, other) = (ask(), ask());
        store.apply(one.change).unwrap();
        assert!(store.apply(other.change).is_err());
    }

    #[test]
    fn clients_and_resources_are_not_mixed_up() {
        let store = MemoryStore::default();
        let first = started(&store, NOW);
        let ask = |client, resource| refresh_tokens(&store, &KEY, &first.refresh, client, resource, NOW);
        assert!(matches!(ask(Some("client_2"), None), Err(RefreshError::Unknown)));
        assert!(matches!(ask(None, Some("https://there.example/mcp")), Err(RefreshError::Resource)));
        assert!(ask(None, Some("https://here.example/mcp")).is_ok());
        let late = refresh_tokens(&store, &KEY, &first.refresh, None, None, NOW + GRANT_MS_MAX);
        assert!(matches!(late, Err(RefreshError::Unknown)));
    }

    #[test]
    fn an_account_has_a_limit() {
        let store = MemoryStore::default();
        for n in 0..GRANTS_PER_ACCOUNT_MAX as u64 + 5 {
            started(&store, NOW + n);
        }
        let left = list_grants(&store, ACCOUNT, NOW).unwrap();
        assert_eq!(left.len(), GRANTS_PER_ACCOUNT_MAX);
        assert_eq!(left.last().unwrap().created_ms, NOW + 5, "the oldest ended");
    }
}
