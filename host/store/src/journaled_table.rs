//! A table whose writes are also recorded for the journal.
//!
//! Each write is recorded as a note: number of the table (u8), length of the key (u32),
//! the key, whether there is a value (u8), its length (u32), the value; little endian.
//! Replaying all notes of a commit in order, once or repeatedly, restores the tables to
//! their state after that commit.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::ops::Deref;

use redb::{Key, StorageError, Table, TableDefinition, TableError, Value, WriteTransaction};

use super::journal::RedoRecord;

/// The table numbers used in the journal. They are stored on disk; a number is never
/// reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableNumber {
    Rows = 0,
    Records = 1,
    Nodes = 2,
    Balances = 3,
    Answers = 4,
    AnswerOf = 5,
    Kv = 6,
    Outbox = 7,
}

/// Something that rows can be written to: a table of the engine, or a journaled table.
pub(super) trait Put<K: Key + 'static, V: Value + 'static> {
    fn put<'k, 'v>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
        value: impl Borrow<V::SelfType<'v>>,
    ) -> Result<(), StorageError>;
}

impl TableNumber {
    const ALL: [Self; 8] =
        [Self::Rows, Self::Records, Self::Nodes, Self::Balances, Self::Answers, Self::AnswerOf, Self::Kv, Self::Outbox];
}

/// A table that is read like a table of the engine and written through its own methods.
pub(super) struct JournaledTable<'t, K: Key + 'static, V: Value + 'static> {
    table: Table<'t, K, V>,
    number: TableNumber,
    entry: &'t RefCell<RedoRecord>,
}

/// One write: table, key, and value if any.
pub(super) type RedoNote<'n> = (TableNumber, &'n [u8], Option<&'n [u8]>);

impl<'t, K: Key + 'static, V: Value + 'static> JournaledTable<'t, K, V> {
    pub(super) fn open(
        txn: &'t WriteTransaction,
        number: TableNumber,
        definition: TableDefinition<'_, K, V>,
        entry: &'t RefCell<RedoRecord>,
    ) -> Result<Self, TableError> {
        Ok(Self { table: txn.open_table(definition)?, number, entry })
    }

    fn note(&self, key: &[u8], value: Option<&[u8]>) {
        encode(self.number as u8, key, value, self.entry.borrow_mut().notes());
    }

    pub(super) fn remove<'k>(&mut self, key: impl Borrow<K::SelfType<'k>>) -> Result<(), StorageError> {
        self.note(K::as_bytes(key.borrow()).as_ref(), None);
        self.table.remove(key).map(drop)
    }

    /// Writes metadata about this database file only, so the write is not journaled.
    pub(super) fn mark<'k, 'v>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
        value: impl Borrow<V::SelfType<'v>>,
    ) -> Result<(), StorageError> {
        self.table.insert(key, value).map(drop)
    }

    /// Applies a write that is already in the journal.
    pub(super) fn redo(&mut self, key: &[u8], value: Option<&[u8]>) -> Result<(), StorageError> {
        let key = K::from_bytes(key);
        match value {
            Some(value) => self.table.insert(key, V::from_bytes(value)).map(drop),
            None => self.table.remove(key).map(drop),
        }
    }
}

impl<K: Key + 'static, V: Value + 'static> Put<K, V> for JournaledTable<'_, K, V> {
    fn put<'k, 'v>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
        value: impl Borrow<V::SelfType<'v>>,
    ) -> Result<(), StorageError> {
        self.note(K::as_bytes(key.borrow()).as_ref(), Some(V::as_bytes(value.borrow()).as_ref()));
        self.table.insert(key, value).map(drop)
    }
}

impl<K: Key + 'static, V: Value + 'static> Put<K, V> for Table<'_, K, V> {
    fn put<'k, 'v>(
        &mut self,
        key: impl Borrow<K::SelfType<'k>>,
        value: impl Borrow<V::SelfType<'v>>,
    ) -> Result<(), StorageError> {
        self.insert(key, value).map(drop)
    }
}

impl<'t, K: Key + 'static, V: Value + 'static> Deref for JournaledTable<'t, K, V> {
    type Target = Table<'t, K, V>;

    fn deref(&self) -> &Self::Target {
        &self.table
    }
}

/// Appends one write to `notes` in the journal's encoding.
pub(super) fn encode(number: u8, key: &[u8], value: Option<&[u8]>, notes: &mut Vec<u8>) {
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
    notes.push(number);
    notes.extend_from_slice(&length(key));
    notes.extend_from_slice(key);
    notes.push(u8::from(value.is_some()));
    let value = value.unwrap_or_default();
    notes.extend_from_slice(&length(value));
    notes.extend_from_slice(value);
}

/// Splits off the first note; `None` if the bytes are not a valid note.
pub(super) fn split(notes: &[u8]) -> Option<(RedoNote<'_>, &[u8])> {
    fn bytes(from: &[u8]) -> Option<(&[u8], &[u8])> {
        let (length, rest) = from.split_first_chunk::<4>()?;
        rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
    }
    let (number, rest) = notes.split_first()?;
    let number = *TableNumber::ALL.get(usize::from(*number))?;
    let (key, rest) = bytes(rest)?;
    let (has_value, rest) = rest.split_first()?;
    let (value, rest) = bytes(rest)?;
    Some(((number, key, (*has_value == 1).then_some(value)), rest))
}
