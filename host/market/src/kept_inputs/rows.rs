//! Rows of stored inputs: `Collection::KeptInputs`, key `{kind}/{plugin}/{time of the
//! batch}/{number in the batch}`, each encrypted with its key as associated data.
//!
//! Invariants: no row reveals the time of its call or the caller; a row that this host's
//! encryption key does not decrypt (a row of another host, or one whose key was deleted)
//! is skipped, and expires.

use std::collections::BTreeMap;

use tollbridge_core::encryption::{EncryptionError, EncryptionKey};
use tollbridge_core::vault::SecretBytes;
use tollbridge_store::{Change, Collection, Db, Expect, Put, Rows, StoreError, SubmitError};

use crate::limits::KEPT_INPUTS_BYTES_MAX;

/// Maximum number of bytes of kept inputs in one change: the change shares its commit
/// with calls that wait to be sealed.
const KEPT_INPUTS_BYTES_PER_CHANGE_MAX: usize = 256 << 10;

/// Number of rows per read of the store; each row may be long.
const PAGE: usize = 64;

/// The number of a plugin's inputs to store, and the time for which they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RetentionRule {
    pub(super) number: usize,
    pub(super) kept_ms: u64,
}

/// The reason why stored inputs could not be written or read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum KeptInputsError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
    #[error(transparent)]
    Encryption(#[from] EncryptionError),
    #[error("this host is stopping")]
    Stopping,
}

/// The reader and writer of rows with stored inputs.
pub(super) struct KeptRows {
    key: EncryptionKey,
    pub(super) db: Db,
}

/// Stored inputs of a plugin, decrypted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LoadedInputs {
    /// Inputs, newest first.
    pub(crate) inputs: Vec<String>,
    /// Number of inputs that this host's key does not decrypt.
    pub(crate) unreadable: usize,
}

/// The fields of a row that decide when it is deleted.
struct RowSize {
    key: String,
    time_ms: u64,
    bytes: usize,
}

impl KeptRows {
    pub(super) fn new(key: &SecretBytes, db: Db) -> Result<Self, EncryptionError> {
        Ok(Self { key: EncryptionKey::new(key)?, db })
    }

    /// Returns the changes that write a batch of inputs and delete older ones to make
    /// room. Blocks.
    pub(super) fn batch(
        &self,
        plugin: &str,
        rule: RetentionRule,
        inputs: Vec<String>,
        now_ms: u64,
    ) -> Result<Vec<Change>, KeptInputsError> {
        let mut rows = self.sizes(plugin)?;
        let stored = rows.len();
        let mut fresh = Vec::new();
        for (place, input) in inputs.iter().enumerate() {
            let key = format!("{plugin}/{now_ms:020}/{place:04}");
            let value = self.key.encrypt(&key, input)?.into_bytes();
            rows.push(RowSize { key: key.clone(), time_ms: now_ms, bytes: value.len() });
            fresh.push(Put { value: Some(value), ..removal(key) });
        }
        // If the new inputs alone exceed the limits, the oldest of them are not written at all.
        let leaving = leaving(&rows, rule, now_ms);
        let mut puts: Vec<Put> = rows.drain(..leaving.min(stored)).map(|row| removal(row.key)).collect();
        puts.extend(fresh.into_iter().skip(leaving.saturating_sub(stored)));
        Ok(changes(puts))
    }

    /// Returns the changes that delete rows that are too old, exceed the number in their
    /// rule, or belong to plugins without a rule. Blocks.
    pub(super) fn surplus(
        &self,
        rules: &BTreeMap<String, RetentionRule>,
        now_ms: u64,
    ) -> Result<Vec<Change>, KeptInputsError> {
        let mut plugins: BTreeMap<String, Vec<RowSize>> = BTreeMap::new();
        for row in Rows::of(self.db.store(), Collection::KeptInputs).with_page_size(PAGE) {
            let row = size(row?);
            let plugin = row.key.rsplitn(3, '/').nth(2).unwrap_or_default().to_owned();
            plugins.entry(plugin).or_default().push(row);
        }
        let mut puts = Vec::new();
        for (plugin, mut rows) in plugins {
            let rule = plugin.split_once('/').and_then(|(_, name)| rules.get(name));
            let leaving = rule.map_or(rows.len(), |rule| leaving(&rows, *rule, now_ms));
            puts.extend(rows.drain(..leaving).map(|row| removal(row.key)));
        }
        Ok(changes(puts))
    }

    /// Returns the number of a plugin's rows, and the changes that delete them. Blocks.
    pub(super) fn all_of(&self, plugin: &str) -> Result<(usize, Vec<Change>), KeptInputsError> {
        let rows = self.sizes(plugin)?;
        Ok((rows.len(), changes(rows.into_iter().map(|row| removal(row.key)).collect())))
    }

    /// Loads the newest inputs of a plugin that have not expired. Blocks.
    pub(super) fn load(
        &self,
        plugin: &str,
        rule: RetentionRule,
        last: usize,
        now_ms: u64,
    ) -> Result<LoadedInputs, KeptInputsError> {
        let mut loaded = LoadedInputs::default();
        let rows: Result<Vec<_>, _> = self.rows(plugin).collect();
        for (key, value) in rows?.into_iter().rev() {
            if loaded.inputs.len() >= last || is_old(time_ms(&key), rule, now_ms) {
                break;
            }
            let text = std::str::from_utf8(&value).map_err(|_| EncryptionError::DoesNotOpen);
            match text.and_then(|text| self.key.decrypt(&key, text)) {
                Ok(input) => loaded.inputs.push(input.as_str().to_owned()),
                Err(_) => loaded.unreadable = loaded.unreadable.saturating_add(1),
            }
        }
        Ok(loaded)
    }

    /// Iterates over a plugin's rows, oldest first.
    fn rows(&self, plugin: &str) -> Rows<'_> {
        Rows::of(self.db.store(), Collection::KeptInputs).with_prefix(format!("{plugin}/")).with_page_size(PAGE)
    }

    fn sizes(&self, plugin: &str) -> Result<Vec<RowSize>, StoreError> {
        self.rows(plugin).map(|row| row.map(size)).collect()
    }
}

/// Returns how many of a plugin's rows, which are ordered oldest first, must be deleted.
fn leaving(rows: &[RowSize], rule: RetentionRule, now_ms: u64) -> usize {
    let mut bytes = 0_usize;
    let fits = |row: &&RowSize| {
        bytes = bytes.saturating_add(row.bytes);
        bytes <= KEPT_INPUTS_BYTES_MAX && !is_old(row.time_ms, rule, now_ms)
    };
    rows.len().saturating_sub(rows.iter().rev().take(rule.number).take_while(fits).count())
}

const fn is_old(time_ms: u64, rule: RetentionRule, now_ms: u64) -> bool {
    time_ms.saturating_add(rule.kept_ms) <= now_ms
}

fn size((key, value): (String, Vec<u8>)) -> RowSize {
    RowSize { time_ms: time_ms(&key), bytes: value.len(), key }
}

/// Returns the time of a row's batch; 0 for an invalid key, so that the row is deleted as
/// too old.
fn time_ms(key: &str) -> u64 {
    key.rsplit('/').nth(1).and_then(|time| time.parse().ok()).unwrap_or(0)
}

fn removal(key: String) -> Put {
    Put { collection: Collection::KeptInputs, key, value: None, expect: Expect::Any }
}

/// Groups row deletions and writes, in order, into changes small enough not to delay the
/// sealing of calls.
fn changes(puts: Vec<Put>) -> Vec<Change> {
    let (mut changes, mut bytes): (Vec<Change>, usize) = (Vec::new(), 0);
    for put in puts {
        let size = put.key.len().saturating_add(put.value.as_ref().map_or(0, Vec::len));
        bytes = bytes.saturating_add(size);
        match changes.last_mut() {
            Some(Change { puts, .. }) if bytes <= KEPT_INPUTS_BYTES_PER_CHANGE_MAX => puts.push(put),
            _ => {
                bytes = size;
                changes.push(Change { puts: vec![put], ..Change::default() });
            }
        }
    }
    changes
}
