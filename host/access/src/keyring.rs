//! The keys of an account: make, list, revoke, roll.
//!
//! Invariant: no key gives more than it has ([`KeyAuthority`]).
//!
//! Each function describes a [`Change`] for the caller to commit. A change is
//! refused when the account's keys changed meanwhile; the caller asks again.

use serde::{Deserialize, Serialize};
use tollbridge_core::limits::{
    KEY_GRACE_MS_MAX, KEY_LABEL_CHARS_MAX, KEYS_LISTED_MAX, KEYS_PER_ACCOUNT_MAX, RECOVERY_WAIT_MS,
};
use tollbridge_core::money::Millipence;
use tollbridge_store::{Change, Collection, Expect, Put, Store};

use super::account::{Account, AccountError, StoredRow, new_row, read_row, stored_account};
use super::key::{ApiKey, KeyDigest, KeyMode};
use super::scope::Scopes;

/// A row of [`Collection::Keys`], under the hex digest of the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRow {
    /// Account id.
    pub account: String,
    /// What the key may be used for.
    pub scopes: Scopes,
    /// Unix milliseconds.
    pub created_ms: u64,
    /// A name for people.
    pub label: String,
    /// Unix milliseconds from which the key is dead.
    pub expires_ms: Option<u64>,
    /// Whether it was revoked.
    pub revoked: bool,
    /// Most that the key may spend on one day.
    pub max_spend_per_day: Option<Millipence>,
}

/// What a new key should be.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// What the key may be used for.
    pub scopes: Scopes,
    /// A name for people.
    pub label: String,
    /// Unix milliseconds.
    pub expires_ms: Option<u64>,
    /// Most that it may spend on one day.
    pub max_spend_per_day: Option<Millipence>,
}

/// What whoever makes a key may give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyAuthority {
    scopes: Scopes,
    expires_ms: Option<u64>,
    /// A key with a limit makes no keys at all: each would have a day's limit
    /// of its own, and ten of them ten times as much.
    has_limit: bool,
    /// Whoever reads the account's mail, and may have no key.
    by_email: bool,
}

/// A key that exists once `change` is committed. The plain key can be shown
/// this one time.
#[derive(Debug)]
pub struct IssuedKey {
    /// To be committed.
    pub change: Change,
    /// The plain key.
    pub key: ApiKey,
    /// What is stored of it.
    pub digest: KeyDigest,
    /// The key that it replaces; tell the directory to forget it.
    pub replaces: Option<KeyDigest>,
}

/// A key that is dead once `change` is committed; tell the directory then.
#[derive(Debug)]
pub struct RevokedKey {
    /// To be committed.
    pub change: Change,
    /// Invalidate it in the cache.
    pub digest: KeyDigest,
}

/// A key as its account may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedKey {
    /// `key_…`, derived from the digest.
    pub id: String,
    /// What is stored of the key.
    pub digest: KeyDigest,
    /// Its row.
    pub row: KeyRow,
}

impl KeyRow {
    /// Whether the key still opens anything at a time.
    pub fn is_active(&self, now_ms: u64) -> bool {
        !self.revoked && self.expires_ms.is_none_or(|end| now_ms < end)
    }
}

impl KeyAuthority {
    /// Of the operator, and of somebody who opens an account.
    pub const FULL: Self = Self { scopes: Scopes::ALL, expires_ms: None, has_limit: false, by_email: false };
    /// Of somebody who signed in by e-mail. A key of theirs that manages the account
    /// lets nothing be withdrawn for a day.
    pub const BY_EMAIL: Self = Self { by_email: true, ..Self::FULL };

    /// Of a key with these properties.
    pub const fn new(scopes: Scopes, expires_ms: Option<u64>, limit: Option<Millipence>) -> Self {
        Self { scopes, expires_ms, has_limit: limit.is_some(), by_email: false }
    }

    /// Whether it may let a program act for the account.
    ///
    /// # Errors
    /// A program would get more than this key has.
    pub const fn check_delegation(self) -> Result<(), AccountError> {
        match self {
            Self { has_limit: true, .. } => Err(AccountError::IssuerHasLimit),
            Self { scopes: Scopes { call: false, .. }, .. } => Err(AccountError::IssuerLacksScope),
            _ => Ok(()),
        }
    }

    /// What the account becomes with a key of this maker.
    const fn mark(self, account: &mut Account, new: &NewKey, now_ms: u64) {
        if self.by_email && new.scopes.manage {
            account.withdrawals_from_ms = Some(now_ms.saturating_add(RECOVERY_WAIT_MS));
        }
    }

    /// The key as it may be made: it never outlives its maker.
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

/// Makes a key for an account.
///
/// # Errors
/// No such account, too many live keys, a label or expiry that cannot be, or
/// more than the maker has.
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

/// The keys of an account, dead ones included, oldest first.
///
/// # Errors
/// No such account, or what the store says.
pub fn list_keys(store: &dyn Store, account_id: &str) -> Result<Vec<ListedKey>, AccountError> {
    let account = stored_account(store, account_id)?;
    let rows = key_rows(store, &account.row)?;
    Ok(rows.into_iter().map(|(digest, row)| ListedKey { id: digest.id(), digest, row: row.row }).collect())
}

/// Ends a key of an account for good.
///
/// # Errors
/// No such account or key, or the key is dead already.
pub fn revoke_key(store: &dyn Store, account_id: &str, key_id: &str, now_ms: u64) -> Result<RevokedKey, AccountError> {
    let account = stored_account(store, account_id)?;
    let (digest, mut row) = take_active_key(key_rows(store, &account.row)?, key_id, now_ms)?.0;
    row.row.revoked = true;
    Ok(RevokedKey { change: Change { puts: vec![row.put()?], ..Change::default() }, digest })
}

/// Makes a key like an old one, which lives on for `grace_ms`.
///
/// # Errors
/// As [`create_key`] and [`revoke_key`]; a grace that is too long. With a grace
/// both keys are live, so there must be room for one more.
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
    // The old key may just have been forgotten as the oldest dead one.
    if !issued.change.puts.iter().any(|put| put.key == ended.key) {
        issued.change.puts.push(ended);
    }
    issued.replaces = Some(digest);
    Ok(issued)
}

/// The rows of a key that belongs to an account from now on.
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

/// Makes room in the list for one more, by forgetting the oldest dead keys.
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

/// Takes the named key out of the rest.
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
