//! A cache of tables that stores each table in memory once.
//!
//! Invariant: all tables together have at most `TABLES_BYTES_MAX` bytes.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::digest::Digest;
use super::table::{Table, TableFault};
use crate::limits::TABLES_BYTES_MAX;

/// Tables by the digest of their text. A table stays in the cache while a plugin uses it; plugins
/// and versions that ship the same table share it.
#[derive(Debug, Default)]
pub struct TableCache(Mutex<HashMap<Digest, Weak<Table>>>);

impl TableCache {
    /// Returns the cached table for this text, or parses and caches it. The caller guarantees that
    /// `digest` is the digest of `bytes`.
    pub(super) fn get_or_parse(&self, digest: Digest, bytes: Vec<u8>) -> Result<Arc<Table>, TableFault> {
        let mut tables = self.0.lock();
        tables.retain(|_, table| table.strong_count() > 0);
        if let Some(table) = tables.get(&digest).and_then(Weak::upgrade) {
            return Ok(table);
        }
        let table = Arc::new(Table::parse(bytes)?);
        let used: u64 = tables.values().filter_map(Weak::upgrade).map(|table| table.bytes() as u64).sum();
        if used.saturating_add(table.bytes() as u64) > TABLES_BYTES_MAX {
            return Err(TableFault::NoRoom);
        }
        tables.insert(digest, Arc::downgrade(&table));
        Ok(table)
    }

    /// Parses and caches a table that no manifest names by digest.
    pub fn add(&self, bytes: Vec<u8>) -> Result<Arc<Table>, TableFault> {
        self.get_or_parse(Digest::of(&bytes), bytes)
    }

    /// Returns the number of tables in use, and their total size in bytes.
    pub fn usage(&self) -> (usize, u64) {
        let tables = self.0.lock();
        let bytes: Vec<u64> = tables.values().filter_map(Weak::upgrade).map(|table| table.bytes() as u64).collect();
        (bytes.len(), bytes.iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Vec<u8> {
        let about = r##"#{"version":"1","as_of":"2026-01-01","licence":"CC0-1.0","source":"by hand"}"##;
        format!("{about}\na\t{value}\n").into_bytes()
    }

    #[test]
    fn the_same_text_is_in_memory_once_and_only_while_it_is_used() {
        let cache = TableCache::default();
        let (one, two) = (cache.add(text("1")).unwrap(), cache.add(text("1")).unwrap());
        assert!(Arc::ptr_eq(&one, &two));
        let other = cache.add(text("2")).unwrap();
        assert_eq!(cache.usage(), (2, (one.bytes() + other.bytes()) as u64));
        drop((one, two));
        assert_eq!(cache.usage(), (1, other.bytes() as u64));
        assert!(cache.add(b"nothing".to_vec()).is_err());
    }
}
