//! Accounts: who calls, pays and earns.
//!
//! An account is one row; its `account_id` is what the interface calls
//! `user_id`. The row lists the digests of the account's keys: adding a key changes
//! this row too, so that of two at once only one wins and the count holds.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tollbridge_core::limits::{KEY_GRACE_MS_MAX, KEY_LABEL_CHARS_MAX, KEYS_PER_ACCOUNT_MAX};
use tollbridge_core::time::DAY_MS;
use tollbridge_store::{Change, Collection, Expect, Put, Store, StoreError};

use super::key::KeyDigest;
use super::tier::{RateLimits, Tier};

/// A row of [`Collection::Accounts`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// `acct_` and 16 characters.
    pub id: String,
    /// For the operator; never in records. Accounts made by the operator may
    /// have none.
    pub email: Option<String>,
    /// Decides the limits.
    pub tier: Tier,
    /// Unix milliseconds until which the tier was bought; then it is Free. None
    /// when the operator gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier_until_ms: Option<u64>,
    /// Unix milliseconds.
    pub created_ms: u64,
    /// What others give when they sign up. The account's id in another dress,
    /// so that no index is needed; an id is not a secret.
    pub referral_code: String,
    /// Account whose code was given.
    pub referred_by: Option<String>,
    /// Set by the operator: calls are refused, nothing is deleted.
    pub suspended: bool,
    /// When somebody first opened a link that was sent to `email`, Unix milliseconds.
    /// None again when the address changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email_verified_ms: Option<u64>,
    /// Unix milliseconds before which nothing is withdrawn: somebody who signed in by
    /// e-mail has made a key that manages the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawals_from_ms: Option<u64>,
    /// Instead of the tier's limits.
    pub limits: Option<RateLimits>,
    /// Digests of the keys, dead ones included, oldest first.
    pub(super) keys: Vec<String>,
}

/// Why an account or its keys cannot be changed as asked.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// No account has this id.
    #[error("there is no account {0}")]
    UnknownAccount(String),
    /// The account has no key with this id.
    #[error("the account has no key {0}; list its keys to see their ids")]
    UnknownKey(String),
    /// Another account has the address.
    #[error("there is an account with this e-mail address already; sign in with one of its keys, or by e-mail")]
    EmailTaken,
    /// No account has this code.
    #[error("there is no referral code {0}; check it, or leave it out")]
    UnknownReferralCode(String),
    /// The account has as many keys as it may.
    #[error("the account has {KEYS_PER_ACCOUNT_MAX} keys, which is the most; revoke one first")]
    TooManyKeys,
    /// The key is revoked or expired already.
    #[error("the key {0} is revoked or expired already")]
    KeyInactive(String),
    /// The label is too long or has control characters.
    #[error("a key's label has at most {KEY_LABEL_CHARS_MAX} characters and no control characters")]
    InvalidLabel,
    /// The key that makes another has a spending limit.
    #[error("a key with a spending limit lets nobody else spend; use a key without one")]
    IssuerHasLimit,
    /// The key that makes another lacks one of its scopes.
    #[error("a key gives no scope that it does not have; use a key with that scope")]
    IssuerLacksScope,
    /// The old key would live on for too long.
    #[error("a rolled key may live on for at most {} days", KEY_GRACE_MS_MAX / DAY_MS)]
    GraceTooLong,
    /// The key would be expired from the start.
    #[error("a key cannot expire in the past")]
    ExpiryInPast,
    /// A row is damaged. Names it, and what its decoder says.
    #[error("row {key} cannot be read: {source}")]
    Row {
        /// Key of the row.
        key: String,
        /// What the decoder says.
        source: serde_json::Error,
    },
    /// There is no randomness to make ids and keys of.
    #[error("the operating system gives no randomness: {0}")]
    NoRandomness(#[from] getrandom::Error),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads an account.
///
/// # Errors
/// [`AccountError::UnknownAccount`], or what the store says.
pub fn load_account(store: &dyn Store, id: &str) -> Result<Account, AccountError> {
    stored_account(store, id).map(|stored| stored.row)
}

/// A change to an account's own members, to commit; also what it will be.
/// After it, [`super::PrincipalCache::invalidate_account`] makes it count at once. It is
/// refused when the account changed meanwhile; read again then.
///
/// # Errors
/// [`AccountError::UnknownAccount`], or what the store says.
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

/// A row and the bytes it was read from.
pub(super) struct StoredRow<T> {
    pub(super) collection: Collection,
    pub(super) key: String,
    pub(super) row: T,
    bytes: Vec<u8>,
}

impl<T: Serialize> StoredRow<T> {
    /// Writes the row, if it is still what was read.
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

    /// Digests of the keys, dead ones included.
    pub(super) fn digests(&self) -> impl Iterator<Item = KeyDigest> {
        self.keys.iter().filter_map(|digest| digest.parse().ok())
    }
}

/// The account that a referral code names, if the text can be one.
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

/// A row that must not be there yet.
pub(super) fn new_row<T: Serialize>(collection: Collection, key: String, row: &T) -> Result<Put, AccountError> {
    let value = Some(row_bytes(&key, row)?);
    Ok(Put { collection, key, value, expect: Expect::Absent })
}

fn row_bytes<T: Serialize>(key: &str, row: &T) -> Result<Vec<u8>, AccountError> {
    serde_json::to_vec(row).map_err(|source| AccountError::Row { key: key.to_owned(), source })
}

const ID_PREFIX: &str = "acct_";
const ID_CHARS: usize = 16;
/// 32 characters without those that are easily confused: five bits each.
const ALPHABET: [u8; 32] = *b"0123456789abcdefghjkmnpqrstvwxyz";

/// 80 random bits as text.
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
        assert!(store.apply(upgrade).is_err(), "it was made from a row that is gone");
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
