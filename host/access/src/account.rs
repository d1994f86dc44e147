//! Accounts: the parties that call, pay and earn.
//!
//! An account is one row; its `account_id` is the API's `user_id`. The row
//! lists the digests of the account's keys: adding a key changes this row too,
//! so that only one of two concurrent additions succeeds and the number of keys
//! stays within its limit.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tollbridge_core::time::DAY_MS;
use tollbridge_store::{Change, Collection, Expect, Put, Store, StoreError};

use super::key::KeyDigest;
use super::tier::{RateLimits, Tier};
use crate::limits::{KEY_GRACE_MS_MAX, KEY_LABEL_CHARS_MAX, KEYS_PER_ACCOUNT_MAX};

/// A row of [`Collection::Accounts`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The id: `acct_` and 16 characters.
    pub id: String,
    /// The e-mail address, which only the operator uses; never part of records. Accounts
    /// created by the operator may have none.
    pub email: Option<String>,
    /// The tier, which determines the limits.
    pub tier: Tier,
    /// The end of a bought tier in Unix milliseconds; the tier is Free afterwards.
    /// `None` for a tier that the operator granted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier_until_ms: Option<u64>,
    /// The time of creation in Unix milliseconds.
    pub created_ms: u64,
    /// The referral code that new users enter at sign-up. It is the account's id without
    /// its prefix, so no index is needed; an id is not a secret.
    pub referral_code: String,
    /// The account whose referral code was entered at sign-up.
    pub referred_by: Option<String>,
    /// Whether the operator has suspended the account. Calls of a suspended account are
    /// refused; nothing is deleted.
    pub suspended: bool,
    /// The time at which a link sent to `email` was first opened, in Unix
    /// milliseconds. `None` again when the address changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_verified_ms: Option<u64>,
    /// The time until which withdrawals are blocked, in Unix milliseconds. Set when an
    /// e-mail sign-in creates a key that can manage the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawals_from_ms: Option<u64>,
    /// Rate limits that replace those of the tier.
    pub limits: Option<RateLimits>,
    /// Digests of the keys, including revoked and expired ones, oldest first.
    pub(super) keys: Vec<String>,
}

/// An error from changing an account or its keys.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// No account has this id.
    #[error("there is no account {0}")]
    UnknownAccount(String),
    /// The account has no key with this id.
    #[error("the account has no key {0}; list its keys to see their ids")]
    UnknownKey(String),
    /// Another account already has the e-mail address.
    #[error("an account with this e-mail address already exists; sign in with one of its keys, or by e-mail")]
    EmailTaken,
    /// No account has this referral code.
    #[error("there is no referral code {0}; check it, or leave it out")]
    UnknownReferralCode(String),
    /// The account has reached its limit of keys.
    #[error("the account has {KEYS_PER_ACCOUNT_MAX} keys, the maximum; revoke one first")]
    TooManyKeys,
    /// The key has already been revoked, or has expired.
    #[error("the key {0} has already been revoked, or has expired")]
    KeyInactive(String),
    /// The label is too long or has control characters.
    #[error("a key's label has at most {KEY_LABEL_CHARS_MAX} characters and no control characters")]
    InvalidLabel,
    /// The key that creates another has a spending limit.
    #[error("a key with a spending limit cannot create keys or grants; use one without a limit")]
    IssuerHasLimit,
    /// The key that creates another lacks one of the requested scopes.
    #[error("a key cannot grant a scope that it lacks; use a key with that scope")]
    IssuerLacksScope,
    /// The grace period of the old key is too long.
    #[error("a rolled key may remain valid for at most {} days", KEY_GRACE_MS_MAX / DAY_MS)]
    GraceTooLong,
    /// The expiry of the key is in the past.
    #[error("a key cannot expire in the past")]
    ExpiryInPast,
    /// A row is damaged; names the row and the decoder's error.
    #[error("row {key} cannot be read: {source}")]
    Row {
        /// The key of the row.
        key: String,
        /// The decoder's error.
        source: serde_json::Error,
    },
    /// The operating system provides no randomness for ids and keys.
    #[error("the operating system provides no randomness: {0}")]
    NoRandomness(#[from] getrandom::Error),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Loads an account.
///
/// # Errors
/// [`AccountError::UnknownAccount`], or an error of the store.
pub fn load_account(store: &dyn Store, id: &str) -> Result<Account, AccountError> {
    stored_account(store, id).map(|stored| stored.row)
}

/// Returns a change to an account's own fields, and the account as changed. After
/// committing, call [`super::PrincipalCache::invalidate_account`] so that the change
/// takes effect at once. If the account has changed in the meantime, the store refuses
/// the change, and the caller must call this function again.
///
/// # Errors
/// [`AccountError::UnknownAccount`], or an error of the store.
pub fn update_account(
    store: &dyn Store,
    id: &str,
    update: impl FnOnce(&mut Account),
) -> Result<(Change, Account), AccountError> {
    let mut stored = stored_account(store, id)?;
    update(&mut stored.row);
    let put = stored.put()?;
    Ok((Change { puts: vec![put], ..Change::default() }, stored.row))
}

/// A row with the stored bytes from which it was decoded.
pub(super) struct StoredRow<T> {
    pub(super) collection: Collection,
    pub(super) key: String,
    pub(super) row: T,
    bytes: Vec<u8>,
}

impl<T: Serialize> StoredRow<T> {
    /// Returns a write of the row that fails if the stored row has changed.
    pub(super) fn put(&self) -> Result<Put, AccountError> {
        let value = Some(row_bytes(&self.key, &self.row)?);
        let expect = Expect::Exactly(self.bytes.clone());
        Ok(Put { collection: self.collection, key: self.key.clone(), value, expect })
    }
}

impl Account {
    pub(super) fn new(email: Option<String>, tier: Tier, now_ms: u64) -> Result<Self, AccountError> {
        let random = random_id()?;
        Ok(Self {
            id: format!("{ID_PREFIX}{random}"),
            email,
            tier,
            tier_until_ms: None,
            created_ms: now_ms,
            referral_code: random,
            referred_by: None,
            suspended: false,
            email_verified_ms: None,
            withdrawals_from_ms: None,
            limits: None,
            keys: Vec::new(),
        })
    }

    /// Returns the digests of the account's keys, including revoked and expired ones.
    pub(super) fn digests(&self) -> impl Iterator<Item = KeyDigest> {
        self.keys.iter().filter_map(|digest| digest.parse().ok())
    }
}

/// Returns the account id for a referral code; `None` if the text cannot be a
/// code.
pub(super) fn account_id_of_referral_code(code: &str) -> Option<String> {
    let code = code.trim().to_ascii_lowercase();
    let plain = code.bytes().all(|b| ALPHABET.contains(&b));
    (code.len() == ID_CHARS && plain).then(|| format!("{ID_PREFIX}{code}"))
}

pub(super) fn stored_account(store: &dyn Store, id: &str) -> Result<StoredRow<Account>, AccountError> {
    read_row(store, Collection::Accounts, id)?.ok_or_else(|| AccountError::UnknownAccount(id.to_owned()))
}

pub(super) fn read_row<T: DeserializeOwned>(
    store: &dyn Store,
    collection: Collection,
    key: &str,
) -> Result<Option<StoredRow<T>>, AccountError> {
    let Some(bytes) = store.get(collection, key)? else {
        return Ok(None);
    };
    let row = serde_json::from_slice(&bytes).map_err(|source| AccountError::Row { key: key.to_owned(), source })?;
    Ok(Some(StoredRow { collection, key: key.to_owned(), row, bytes }))
}

/// Returns a write of a new row that fails if the row exists.
pub(super) fn new_row<T: Serialize>(collection: Collection, key: String, row: &T) -> Result<Put, AccountError> {
    let value = Some(row_bytes(&key, row)?);
    Ok(Put { collection, key, value, expect: Expect::Absent })
}

fn row_bytes<T: Serialize>(key: &str, row: &T) -> Result<Vec<u8>, AccountError> {
    serde_json::to_vec(row).map_err(|source| AccountError::Row { key: key.to_owned(), source })
}

const ID_PREFIX: &str = "acct_";
const ID_CHARS: usize = 16;
/// The alphabet of ids: 32 characters, five bits each, without characters that are easily
/// confused.
const ALPHABET: [u8; 32] = *b"0123456789abcdefghjkmnpqrstvwxyz";

/// Returns 80 random bits as text.
pub(super) fn random_id() -> Result<String, getrandom::Error> {
    let mut bytes = [0; ID_CHARS];
    getrandom::fill(&mut bytes)?;
    let character = |byte: &u8| ALPHABET.get(usize::from(byte % 32)).copied().unwrap_or(b'0');
    Ok(bytes.iter().map(|byte| char::from(character(byte))).collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{MemoryStore, TestStore};
    use super::*;

    fn stored(store: &MemoryStore) -> Account {
        let account = Account::new(Some("a@x.com".into()), Tier::Free, 1).unwrap();
        let put = new_row(Collection::Accounts, account.id.clone(), &account).unwrap();
        store.apply(Change { puts: vec![put], ..Change::default() }).unwrap();
        account
    }

    #[test]
    fn rows_read_back() {
        let store = MemoryStore::default();
        let made = stored(&store);
        assert_eq!(load_account(&store, &made.id).unwrap(), made);
        assert!(
            matches!(load_account(&store, "acct_none"), Err(AccountError::UnknownAccount(id)) if id == "acct_none")
        );
    }

    #[test]
    fn updates_are_refused_when_the_row_changed() {
        let store = MemoryStore::default();
        let id = stored(&store).id;
        let (suspend, suspended) = update_account(&store, &id, |a| a.suspended = true).unwrap();
        let (upgrade, _) = update_account(&store, &id, |a| a.tier = Tier::Pro).unwrap();
        assert!(suspended.suspended);
        store.apply(suspend).unwrap();
        assert!(store.apply(upgrade).is_err(), "the store accepted a change based on an outdated row");
        assert_eq!(load_account(&store, &id).unwrap(), suspended);
    }

    #[test]
    fn a_broken_row_is_an_error() {
        let store = MemoryStore::default();
        let put = new_row(Collection::Accounts, "acct_x".into(), &"not an account").unwrap();
        store.apply(Change { puts: vec![put], ..Change::default() }).unwrap();
        assert!(matches!(load_account(&store, "acct_x"), Err(AccountError::Row { .. })));
    }

    #[test]
    fn referral_codes_name_accounts() {
        let account = Account::new(None, Tier::Free, 1).unwrap();
        assert_eq!((account.id.len(), account.referral_code.len()), (21, 16));
        for code in [account.referral_code.clone(), format!(" {} ", account.referral_code.to_uppercase())] {
            assert_eq!(account_id_of_referral_code(&code), Some(account.id.clone()));
        }
        for bad in ["", "short", "../../../../etc/p", "ééééééééé", "uuuuuuuuuuuuuuuu"] {
            assert_eq!(account_id_of_referral_code(bad), None, "{bad}");
        }
    }

    #[test]
    fn ids_differ() {
        let ids: std::collections::BTreeSet<String> = (0..1000).map(|_| random_id().unwrap()).collect();
        assert_eq!(ids.len(), 1000);
    }
}
