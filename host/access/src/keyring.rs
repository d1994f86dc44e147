//! The keys of an account: create, list, revoke, roll.
//!
//! Invariant: a new key has no more rights than its creator ([`KeyAuthority`]).
//!
//! Each function returns a [`Change`] for the caller to commit. The store refuses a
//! change if the account's keys changed meanwhile; the caller retries.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;
use tollbridge_store::{Change, Collection, Expect, Put, Store};

use super::account::{Account, AccountError, StoredRow, new_row, read_row, stored_account};
use super::key::{ApiKey, KeyDigest, KeyMode};
use super::scope::Scopes;
use crate::limits::{KEY_GRACE_MS_MAX, KEY_LABEL_CHARS_MAX, KEYS_PER_ACCOUNT_MAX};

/// Maximum number of listed keys of an account, including revoked and expired ones. Above
/// this number, the oldest revoked or expired keys are removed, so that repeated rolling
/// does not grow the account.
const KEYS_LISTED_MAX: usize = 2 * KEYS_PER_ACCOUNT_MAX;
/// Time for which withdrawals are blocked after a sign-in by e-mail created a key that
/// manages the account, so that the owner can notice the e-mail about the new key.
const RECOVERY_WAIT_MS: u64 = DAY_MS;

/// A row of [`Collection::Keys`], under the hex digest of the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRow {
    /// The account id.
    pub account: String,
    /// The scopes of the key.
    pub scopes: Scopes,
    /// The time of creation in Unix milliseconds.
    pub created_ms: u64,
    /// A label chosen by the user.
    pub label: String,
    /// The expiry in Unix milliseconds.
    pub expires_ms: Option<u64>,
    /// Whether the key was revoked.
    pub revoked: bool,
    /// The spending limit of the key per day.
    pub max_spend_per_day: Option<Millipence>,
}

/// The properties of a new key.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// The scopes of the key.
    pub scopes: Scopes,
    /// A label chosen by the user.
    pub label: String,
    /// The expiry in Unix milliseconds.
    pub expires_ms: Option<u64>,
    /// The spending limit of the key per day.
    pub max_spend_per_day: Option<Millipence>,
}

/// The authority of a key's creator, which limits the new key's properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyAuthority {
    scopes: Scopes,
    expires_ms: Option<u64>,
    /// Whether the creator has a spending limit. Such a creator cannot create keys,
    /// because each new key would have its own daily limit.
    has_limit: bool,
    /// Whether the creator signed in by e-mail, without proving that they hold a key.
    by_email: bool,
}

/// A key that exists once `change` is committed. The plain key can be shown
/// only this once.
#[derive(Debug)]
pub struct IssuedKey {
    /// The change to commit.
    pub change: Change,
    /// The plain key.
    pub key: ApiKey,
    /// The digest, which is stored in place of the key.
    pub digest: KeyDigest,
    /// The key that the new one replaces; invalidate it in the cache.
    pub replaces: Option<KeyDigest>,
}

/// A key that is revoked once `change` is committed; after the commit, the caller must
/// invalidate the key in the cache.
#[derive(Debug)]
pub struct RevokedKey {
    /// The change to commit.
    pub change: Change,
    /// The digest of the key, to invalidate in the cache.
    pub digest: KeyDigest,
}

/// A key as shown in an account's list of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedKey {
    /// The public id `key_…`, derived from the digest.
    pub id: String,
    /// The digest, which is stored in place of the key.
    pub digest: KeyDigest,
    /// The row of the key.
    pub row: KeyRow,
}

impl KeyRow {
    /// Returns whether the key is valid at a time.
    pub fn is_active(&self, now_ms: u64) -> bool {
        !self.revoked && self.expires_ms.is_none_or(|end| now_ms < end)
    }
}

impl KeyAuthority {
    /// Full authority, held by the operator and by a user who signs up.
    pub const FULL: Self = Self { scopes: Scopes::ALL, expires_ms: None, has_limit: false, by_email: false };
    /// The authority of an e-mail sign-in. If it creates a key that can manage the
    /// account, withdrawals are blocked for a day.
    pub const BY_EMAIL: Self = Self { by_email: true, ..Self::FULL };

    /// Returns the authority of a key with these properties.
    pub const fn new(scopes: Scopes, expires_ms: Option<u64>, limit: Option<Millipence>) -> Self {
        Self { scopes, expires_ms, has_limit: limit.is_some(), by_email: false }
    }

    /// Checks whether the creator may give an OAuth client access to the account.
    ///
    /// # Errors
    /// The client would get more rights than this creator has.
    pub const fn check_delegation(self) -> Result<(), AccountError> {
        match self {
            Self { has_limit: true, .. } => Err(AccountError::IssuerHasLimit),
            Self { scopes: Scopes { call: false, .. }, .. } => Err(AccountError::IssuerLacksScope),
            _ => Ok(()),
        }
    }

    /// Blocks withdrawals of the account if an e-mail sign-in creates a key that can
    /// manage it.
    const fn mark(self, account: &mut Account, new: &NewKey, now_ms: u64) {
        if self.by_email && new.scopes.manage {
            account.withdrawals_from_ms = Some(now_ms.saturating_add(RECOVERY_WAIT_MS));
        }
    }

    /// Restricts a new key to this authority; the key expires no later than its creator.
    fn bound(self, new: NewKey) -> Result<NewKey, AccountError> {
        if self.has_limit {
            return Err(AccountError::IssuerHasLimit);
        }
        if (new.scopes.call && !self.scopes.call) || (new.scopes.manage && !self.scopes.manage) {
            return Err(AccountError::IssuerLacksScope);
        }
        let expires_ms = match (new.expires_ms, self.expires_ms) {
            (Some(asked), Some(own)) => Some(asked.min(own)),
            (asked, own) => asked.or(own),
        };
        Ok(NewKey { expires_ms, ..new })
    }
}

impl Default for NewKey {
    fn default() -> Self {
        Self { scopes: Scopes::ALL, label: String::new(), expires_ms: None, max_spend_per_day: None }
    }
}

/// Returns the change that creates a key of an account.
///
/// # Errors
/// The account does not exist, has too many valid keys, the label or expiry is invalid,
/// or the key exceeds the creator's authority.
pub fn create_key(
    store: &dyn Store,
    mode: KeyMode,
    account_id: &str,
    authority: KeyAuthority,
    new: NewKey,
    now_ms: u64,
) -> Result<IssuedKey, AccountError> {
    let new = authority.bound(new)?;
    let mut account = stored_account(store, account_id)?;
    authority.mark(&mut account.row, &new, now_ms);
    let existing = key_rows(store, &account.row)?;
    issue(mode, &mut account, existing, new, now_ms)
}

/// Returns the keys of an account, including revoked and expired ones, oldest first.
///
/// # Errors
/// The account does not exist, or the store fails.
pub fn list_keys(store: &dyn Store, account_id: &str) -> Result<Vec<ListedKey>, AccountError> {
    let account = stored_account(store, account_id)?;
    let rows = key_rows(store, &account.row)?;
    Ok(rows.into_iter().map(|(digest, row)| ListedKey { id: digest.id(), digest, row: row.row }).collect())
}

/// Returns the change that revokes a key permanently.
///
/// # Errors
/// The account or key does not exist, or the key is revoked or expired.
pub fn revoke_key(store: &dyn Store, account_id: &str, key_id: &str, now_ms: u64) -> Result<RevokedKey, AccountError> {
    let account = stored_account(store, account_id)?;
    let (digest, mut row) = take_active_key(key_rows(store, &account.row)?, key_id, now_ms)?.0;
    row.row.revoked = true;
    Ok(RevokedKey { change: Change { puts: vec![row.put()?], ..Change::default() }, digest })
}

/// Returns the change that replaces a key by a new one with the same properties; the old
/// key remains valid for `grace_ms`.
///
/// # Errors
/// As [`create_key`] and [`revoke_key`]; also if the grace period is too long. During a
/// grace period both keys are valid, so the account must have room for one more.
pub fn roll_key(
    store: &dyn Store,
    mode: KeyMode,
    account_id: &str,
    authority: KeyAuthority,
    key_id: &str,
    grace_ms: u64,
    now_ms: u64,
) -> Result<IssuedKey, AccountError> {
    if grace_ms > KEY_GRACE_MS_MAX {
        return Err(AccountError::GraceTooLong);
    }
    let mut account = stored_account(store, account_id)?;
    let ((digest, mut old), mut others) = take_active_key(key_rows(store, &account.row)?, key_id, now_ms)?;
    let KeyRow { scopes, label, expires_ms, max_spend_per_day, .. } = old.row.clone();
    let new = authority.bound(NewKey { scopes, label, expires_ms, max_spend_per_day })?;
    authority.mark(&mut account.row, &new, now_ms);
    if grace_ms == 0 {
        old.row.revoked = true;
    } else {
        let end = now_ms.saturating_add(grace_ms);
        old.row.expires_ms = Some(expires_ms.map_or(end, |expiry| expiry.min(end)));
    }
    let ended = old.put()?;
    others.push((digest, old));
    let mut issued = issue(mode, &mut account, others, new, now_ms)?;
    // The change above may already delete the row of the old key, as that of the oldest
    // inactive key. If it does not, write the row.
    if !issued.change.puts.iter().any(|put| put.key == ended.key) {
        issued.change.puts.push(ended);
    }
    issued.replaces = Some(digest);
    Ok(issued)
}

/// Adds the first key to a new account; returns the key and its row.
pub(super) fn issue_initial_key(
    mode: KeyMode,
    account: &mut Account,
    now_ms: u64,
) -> Result<(ApiKey, Put), AccountError> {
    let key = ApiKey::generate(mode)?;
    let digest = key.digest().to_string();
    account.keys.push(digest.clone());
    let new = NewKey { label: "first key".to_owned(), ..NewKey::default() };
    let row = new.row(&account.id, now_ms);
    Ok((key, new_row(Collection::Keys, digest, &row)?))
}

type Rows = Vec<(KeyDigest, StoredRow<KeyRow>)>;

impl NewKey {
    fn row(self, account: &str, now_ms: u64) -> KeyRow {
        KeyRow {
            account: account.to_owned(),
            scopes: self.scopes,
            created_ms: now_ms,
            label: self.label,
            expires_ms: self.expires_ms,
            revoked: false,
            max_spend_per_day: self.max_spend_per_day,
        }
    }

    fn check(&self, now_ms: u64) -> Result<(), AccountError> {
        if self.label.chars().count() > KEY_LABEL_CHARS_MAX || self.label.chars().any(char::is_control) {
            return Err(AccountError::InvalidLabel);
        }
        if self.expires_ms.is_some_and(|end| end <= now_ms) {
            return Err(AccountError::ExpiryInPast);
        }
        Ok(())
    }
}

fn issue(
    mode: KeyMode,
    account: &mut StoredRow<Account>,
    existing: Rows,
    new: NewKey,
    now_ms: u64,
) -> Result<IssuedKey, AccountError> {
    new.check(now_ms)?;
    if existing.iter().filter(|(_, key)| key.row.is_active(now_ms)).count() >= KEYS_PER_ACCOUNT_MAX {
        return Err(AccountError::TooManyKeys);
    }
    let mut puts = prune_inactive_keys(&mut account.row, &existing, now_ms);
    let key = ApiKey::generate(mode)?;
    let digest = key.digest();
    account.row.keys.push(digest.to_string());
    puts.push(new_row(Collection::Keys, digest.to_string(), &new.row(&account.row.id, now_ms))?);
    puts.push(account.put()?);
    Ok(IssuedKey { change: Change { puts, ..Change::default() }, key, digest, replaces: None })
}

/// Makes room for one more key in the account's list by deleting the oldest inactive
/// keys.
fn prune_inactive_keys(account: &mut Account, existing: &Rows, now_ms: u64) -> Vec<Put> {
    let too_many = (account.keys.len() + 1).saturating_sub(KEYS_LISTED_MAX);
    let dead = existing.iter().filter(|(_, key)| !key.row.is_active(now_ms)).take(too_many);
    let forgotten: Vec<&String> = dead.map(|(_, key)| &key.key).collect();
    account.keys.retain(|digest| !forgotten.contains(&digest));
    let gone = |key: &String| Put { collection: Collection::Keys, key: key.clone(), value: None, expect: Expect::Any };
    forgotten.into_iter().map(gone).collect()
}

fn key_rows(store: &dyn Store, account: &Account) -> Result<Rows, AccountError> {
    let mut rows = Vec::with_capacity(account.keys.len());
    for digest in account.digests() {
        if let Some(row) = read_row(store, Collection::Keys, &digest.to_string())? {
            rows.push((digest, row));
        }
    }
    Ok(rows)
}

/// Removes the named key from the rows and returns it with the remaining rows.
fn take_active_key(
    mut rows: Rows,
    key_id: &str,
    now_ms: u64,
) -> Result<((KeyDigest, StoredRow<KeyRow>), Rows), AccountError> {
    let at = rows.iter().position(|(digest, _)| digest.id() == key_id);
    let at = at.ok_or_else(|| AccountError::UnknownKey(key_id.to_owned()))?;
    let removed = rows.remove(at);
    if removed.1.row.is_active(now_ms) {
        Ok((removed, rows))
    } else {
        Err(AccountError::KeyInactive(key_id.to_owned()))
    }
}

#[cfg(test)]
#[path = "keyring_tests.rs"]
mod tests;
