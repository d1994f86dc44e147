//! Principals of keys, cached in memory so that a call does not read the store.
//!
//! A look-up that raced with a change of its key is not cached: each invalidation
//! increments a generation before it removes entries, and a look-up caches its result
//! only if the generation has not changed meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tollbridge_core::config::TiersConfig;
use tollbridge_core::fair_limiter::{FairShare, TenantName};
use tollbridge_core::money::Millipence;
use tollbridge_store::{Collection, Store};

use super::account::{Account, AccountError, read_row, stored_account};
use super::bounded::{GenerationalMap, SHARDS, Sharded};
use super::client::RateLimitKey;
use super::key::KeyDigest;
use super::keyring::{KeyAuthority, KeyRow};
use super::oauth::{self, TokenKey};
use super::scope::Scopes;
use super::tier::{RateLimits, Tier};

/// Maximum number of cached key look-ups. Each takes about 300 bytes; looking up an
/// evicted key again costs a read of the store.
const PRINCIPALS_CACHED_MAX: usize = 1 << 16;

/// The account and permissions of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The account that calls and pays.
    pub account_id: String,
    /// The key of the account's rate-limit windows, which all its API keys share.
    pub rate_limit_key: RateLimitKey,
    /// The tenant name of the account in fair queues.
    pub(crate) tenant: TenantName,
    /// The public id of the key, `key_…`.
    pub key_id: String,
    /// The digest, which is stored in place of the key.
    pub digest: KeyDigest,
    /// The account's tier.
    pub tier: Tier,
    /// The end of a bought tier in Unix milliseconds; from then on the tier is Free.
    pub tier_until_ms: Option<u64>,
    /// The scopes of the key.
    pub scopes: Scopes,
    /// The rate limits: the account's own, or those of its tier.
    pub limits: RateLimits,
    /// The spending limit of the key per day.
    pub max_spend_per_day: Option<Millipence>,
    /// Whether the account is suspended.
    pub suspended: bool,
    /// Whether the principal signed in by e-mail, without a key.
    pub by_email: bool,
    /// Whether the limits are the account's own, independent of its tier.
    has_own_limits: bool,
    /// The expiry of the key in Unix milliseconds.
    expires_ms: Option<u64>,
    revoked: bool,
}

impl Principal {
    /// Returns the account's fair share, weighted by its tier.
    pub fn share(&self) -> FairShare {
        FairShare { tenant: self.tenant.clone(), weight: self.tier.weight() }
    }

    /// Returns the authority of this key to create other keys.
    pub const fn key_authority(&self) -> KeyAuthority {
        match self.by_email {
            true => KeyAuthority::BY_EMAIL,
            false => KeyAuthority::new(self.scopes, self.expires_ms, self.max_spend_per_day),
        }
    }
}

/// The state of an existing key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// The key is valid.
    Active,
    /// The key has expired.
    Expired,
    /// The key was revoked.
    Revoked,
}

/// A cache of principals by key digest, backed by the store.
pub struct PrincipalCache {
    store: Arc<dyn Store>,
    tiers: TiersConfig,
    generation: AtomicU64,
    shards: Sharded<GenerationalMap<KeyDigest, Arc<Principal>>>,
}

impl Principal {
    /// Returns the state of the key at a time in Unix milliseconds.
    pub fn key_state(&self, now_ms: u64) -> KeyState {
        match self.expires_ms {
            _ if self.revoked => KeyState::Revoked,
            Some(end) if now_ms >= end => KeyState::Expired,
            _ => KeyState::Active,
        }
    }
}

impl PrincipalCache {
    /// Creates a cache over a store. `tiers` has the configured limits of the tiers.
    pub fn new(store: Arc<dyn Store>, tiers: TiersConfig) -> Self {
        let each = PRINCIPALS_CACHED_MAX / SHARDS;
        Self { store, tiers, generation: AtomicU64::new(0), shards: Sharded::new(|| GenerationalMap::new(each)) }
    }

    /// Returns the store behind the cache.
    pub(super) fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// Returns the rate limits of callers without a key.
    pub fn free_limits(&self) -> RateLimits {
        Tier::Free.limits(&self.tiers)
    }

    /// Returns the rate limits of an account at a time: the account's own, or those of
    /// its tier.
    pub fn limits_of(&self, account: &Account, now_ms: u64) -> RateLimits {
        let has_ended = account.tier_until_ms.is_some_and(|end| now_ms >= end);
        let tier = if has_ended { Tier::Free } else { account.tier };
        account.limits.unwrap_or_else(|| tier.limits(&self.tiers))
    }

    /// Returns the principal of a key, even if the key is revoked or expired; `None`,
    /// which is not cached, if the key does not exist.
    ///
    /// # Errors
    /// The store or a row cannot be read.
    pub fn look_up(&self, digest: &KeyDigest) -> Result<Option<Arc<Principal>>, AccountError> {
        if let Some(principal) = self.shards.lock(digest).get(digest) {
            return Ok(Some(principal.clone()));
        }
        let generation = self.generation.load(Ordering::SeqCst);
        let Some(principal) = self.load(digest)?.map(Arc::new) else {
            return Ok(None);
        };
        let mut shard = self.shards.lock(digest);
        if self.generation.load(Ordering::SeqCst) == generation {
            shard.entry(*digest, || principal.clone());
        }
        Ok(Some(principal))
    }

    /// Returns the principal as of a given time. If its bought tier has ended, the tier
    /// is Free.
    pub fn effective_at(&self, principal: Arc<Principal>, now_ms: u64) -> Arc<Principal> {
        if principal.tier_until_ms.is_none_or(|end| now_ms < end) {
            return principal;
        }
        let limits = if principal.has_own_limits { principal.limits } else { self.free_limits() };
        Arc::new(Principal { tier: Tier::Free, limits, ..(*principal).clone() })
    }

    /// Removes a key from the cache; call this after committing a change of the key.
    pub fn invalidate_key(&self, digest: &KeyDigest) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.shards.lock(digest).remove(digest);
    }

    /// Removes an account's keys from the cache; call this after committing a change of
    /// the account.
    pub fn invalidate_account(&self, account_id: &str) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        for mut shard in self.shards.all() {
            shard.retain(|principal| principal.account_id != account_id);
        }
    }

    /// Returns the principal of a valid access token. Reads the store each time, so that
    /// ending a grant takes effect at once.
    ///
    /// # Errors
    /// As [`PrincipalCache::look_up`].
    pub fn principal_of_token(
        &self,
        key: &TokenKey,
        token: &str,
        now_ms: u64,
    ) -> Result<Option<Principal>, AccountError> {
        let Some(grant) = oauth::find_by_access_token(&*self.store, key, token, now_ms)? else { return Ok(None) };
        let account = stored_account(&*self.store, &grant.account)?.row;
        // Tokens of one grant share its daily limit.
        let digest = KeyDigest::of_grant(&grant.id);
        let key_id = format!("grant_{}", grant.id.get(..16).unwrap_or_default());
        let (max_spend_per_day, expires_ms) = (grant.max_spend_per_day, Some(grant.expires_ms));
        let scopes = Scopes::CALL;
        let credential =
            Credential { key_id, digest, scopes, max_spend_per_day, expires_ms, revoked: false, by_email: false };
        Ok(Some(self.principal(account, credential)))
    }

    /// Returns the principal of an e-mail sign-in; `None` if the account's address has
    /// changed since. Reads the store each time.
    ///
    /// # Errors
    /// As [`PrincipalCache::look_up`].
    pub(super) fn principal_by_email(
        &self,
        account_id: &str,
        verified_ms: u64,
    ) -> Result<Option<Principal>, AccountError> {
        let Some(account) = read_row::<Account>(&*self.store, Collection::Accounts, account_id)? else {
            return Ok(None);
        };
        if account.row.email_verified_ms != Some(verified_ms) {
            return Ok(None);
        }
        let credential = Credential {
            key_id: "email".to_owned(),
            digest: KeyDigest::of_email(account_id),
            scopes: Scopes::ALL,
            max_spend_per_day: None,
            expires_ms: None,
            revoked: false,
            by_email: true,
        };
        Ok(Some(self.principal(account.row, credential)))
    }

    fn load(&self, digest: &KeyDigest) -> Result<Option<Principal>, AccountError> {
        let row_key = digest.to_string();
        let Some(key) = read_row::<KeyRow>(&*self.store, Collection::Keys, &row_key)? else {
            return Ok(None);
        };
        let key = key.row;
        let account = stored_account(&*self.store, &key.account)?.row;
        let credential = Credential {
            key_id: digest.id(),
            digest: *digest,
            scopes: key.scopes,
            max_spend_per_day: key.max_spend_per_day,
            expires_ms: key.expires_ms,
            revoked: key.revoked,
            by_email: false,
        };
        Ok(Some(self.principal(account, credential)))
    }

    fn principal(&self, account: Account, credential: Credential) -> Principal {
        let Credential { key_id, digest, scopes, max_spend_per_day, expires_ms, revoked, by_email } = credential;
        Principal {
            has_own_limits: account.limits.is_some(),
            tier_until_ms: account.tier_until_ms,
            limits: account.limits.unwrap_or_else(|| account.tier.limits(&self.tiers)),
            rate_limit_key: RateLimitKey::of_account(&account.id),
            tenant: account.id.as_str().into(),
            account_id: account.id,
            key_id,
            digest,
            tier: account.tier,
            scopes,
            max_spend_per_day,
            suspended: account.suspended,
            by_email,
            expires_ms,
            revoked,
        }
    }
}

/// A credential for an account, and its permissions.
struct Credential {
    key_id: String,
    digest: KeyDigest,
    scopes: Scopes,
    max_spend_per_day: Option<Millipence>,
    expires_ms: Option<u64>,
    revoked: bool,
    by_email: bool,
}

#[cfg(test)]
mod tests {
    use super::super::account::update_account;
    use super::super::keyring::revoke_key;
    use super::super::testing::{MemoryStore, NOW, TestStore, a_signed_up_account, tiers};
    use super::*;

    fn directory() -> (Arc<MemoryStore>, PrincipalCache) {
        let store = Arc::new(MemoryStore::default());
        (store.clone(), PrincipalCache::new(store, tiers()))
    }

    #[test]
    fn reads_the_store_once() {
        let (store, directory) = directory();
        let (account, key) = a_signed_up_account(&store);
        let before = store.reads();
        let first = directory.look_up(&key.digest()).unwrap().unwrap();
        let reads = store.reads();
        assert!(reads > before);
        assert!(Arc::ptr_eq(&first, &directory.look_up(&key.digest()).unwrap().unwrap()));
        assert_eq!(store.reads(), reads);
        assert_eq!(
            (first.account_id.as_str(), first.tier, first.limits.per_minute),
            (account.id.as_str(), Tier::Free, 100)
        );
        assert_eq!(
            directory.look_up(&super::super::ApiKey::generate(super::super::KeyMode::Test).unwrap().digest()).unwrap(),
            None
        );
    }

    #[test]
    fn changes_count_once_they_are_forgotten() {
        let (store, directory) = directory();
        let (account, key) = a_signed_up_account(&store);
        let principal = || directory.look_up(&key.digest()).unwrap().unwrap();
        assert_eq!(principal().key_state(NOW), KeyState::Active);

        let limits = RateLimits { per_minute: 7, per_hour: 8 };
        let (change, _) =
            update_account(&*store, &account.id, |a| (a.tier, a.limits) = (Tier::Pro, Some(limits))).unwrap();
        store.apply(change).unwrap();
        assert_eq!(principal().tier, Tier::Free, "still remembered");
        directory.invalidate_account("acct_other");
        assert_eq!(principal().tier, Tier::Free, "another account");
        directory.invalidate_account(&account.id);
        assert_eq!((principal().tier, principal().limits), (Tier::Pro, limits));

        store.apply(revoke_key(&*store, &account.id, &key.digest().id(), NOW).unwrap().change).unwrap();
        directory.invalidate_key(&key.digest());
        assert_eq!(principal().key_state(NOW), KeyState::Revoked);
    }

    #[test]
    fn a_look_up_that_raced_with_a_change_is_not_remembered() {
        let (store, directory) = directory();
        let (account, key) = a_signed_up_account(&store);
        let digest = key.digest();
        let directory = Arc::new(directory);
        // The key is revoked and invalidated just after the look-up has read its row.
        let (other, id) = (directory.clone(), account.id.clone());
        store.after_next_read(Collection::Accounts, move |store| {
            store.apply(revoke_key(store, &id, &digest.id(), NOW).unwrap().change).unwrap();
            other.invalidate_key(&digest);
        });
        let stale = directory.look_up(&digest).unwrap().unwrap();
        assert_eq!(stale.key_state(NOW), KeyState::Active, "the key was valid when its row was read");
        let fresh = directory.look_up(&digest).unwrap().unwrap();
        assert_eq!(fresh.key_state(NOW), KeyState::Revoked);
    }

    #[test]
    fn memory_is_bounded() {
        let (store, directory) = directory();
        let (_, key) = a_signed_up_account(&store);
        let principal = directory.look_up(&key.digest()).unwrap().unwrap();
        for n in 0..(PRINCIPALS_CACHED_MAX as u64 * 2) {
            let digest: KeyDigest = format!("{n:064x}").parse().unwrap();
            directory.shards.lock(&digest).entry(digest, || principal.clone());
        }
        let held: usize = directory.shards.all().map(|shard| shard.len()).sum();
        assert!(held <= PRINCIPALS_CACHED_MAX, "{held}");
    }

    #[test]
    fn a_failing_store_is_an_error_and_not_an_unknown_key() {
        let (store, directory) = directory();
        let (_, key) = a_signed_up_account(&store);
        store.break_reads();
        assert!(matches!(directory.look_up(&key.digest()), Err(AccountError::Store(_))));
    }
}
