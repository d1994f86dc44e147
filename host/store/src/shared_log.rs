//! The log that several hosts of one ledger share: their commits in one order.
//!
//! Every host has all tables in a file of its own (see `replica`) and reads them
//! there. What makes a commit durable, and gives it its place among those of the
//! other hosts, is its entry in the log: what the commit writes into the tables,
//! as in the journal of a host that is alone.
//!
//! Invariants of a log:
//! 1. Entries are numbered without a gap, and a number is taken once.
//! 2. An entry that was acknowledged, or that anybody has read, stays.
//! 3. An entry names the digest of the one before it, so that a host which has
//!    other entries than the log (a database that lost some) finds out.

use sha2::{Digest, Sha256};

use crate::engine::StoreError;
use crate::journaled_table;
use crate::sealing::Hash;

/// How far a host, or a copy of the tables, has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPosition {
    /// The number of the next entry.
    pub next: u64,
    /// The digest of the entry before it; zeros at the beginning.
    pub digest: Hash,
}

/// One commit of some host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// What it writes into the tables, as the journal has it.
    pub notes: Vec<u8>,
    /// Of the entry, and with it of all before.
    pub digest: Hash,
}

/// Whether an entry got the number that it was to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It is in the log, durably.
    Durable,
    /// The number is another host's; the entry is not in the log.
    Taken,
}

/// What a host finds in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Following {
    /// What there is from its position on.
    Entries(NextEntries),
    /// The log does not reach back so far; [`SharedLog::tables`] has what is older.
    Forgotten,
    /// The log has another history: the host has entries that the log lost.
    Diverged,
}

/// Entries from a position on, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NextEntries {
    /// Some of them, the first ones.
    pub entries: Vec<LogEntry>,
    /// Whether there may be more behind them.
    pub has_more: bool,
}

/// One write into the tables: a row of one of them, or that it is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableNote<'n> {
    /// The number of the table.
    pub table: u8,
    /// The key of the row, as the engine writes it.
    pub key: &'n [u8],
    /// Its bytes; none when it is removed.
    pub value: Option<&'n [u8]>,
}

/// Takes writes to the tables, as notes of the journal; see [`SharedLog::tables`].
pub type TakeNotes<'t> = dyn FnMut(&[u8]) -> Result<(), StoreError> + 't;

/// A log somewhere outside the host. Calls block, also for as long as the log
/// is away: an `Err` means that it stays away, and what was being appended is
/// then in it or not.
pub trait SharedLog: Send {
    /// The name of the ledger, made with its log and never changed.
    fn ledger_id(&mut self) -> Result<[u8; 16], StoreError>;

    /// Appends an entry at a position, before which the host has everything.
    /// Returns when it is durable, or when the number is another host's.
    fn append(&mut self, at: LogPosition, entry: &LogEntry) -> Result<Appended, StoreError>;

    /// Entries from a position on, some megabytes of them at most.
    fn entries(&mut self, at: LogPosition) -> Result<Following, StoreError>;

    /// All rows of all tables as of one position, for a host that has nothing.
    fn tables(&mut self, take: &mut TakeNotes<'_>) -> Result<LogPosition, StoreError>;

    /// Waits until no other host is in its turn, and keeps others from beginning
    /// one: what is read and appended then collides with nobody. Ends with the
    /// next append, with `end_turn`, or when the connection to the log is lost.
    /// Returns what the turn begins with, as [`SharedLog::entries`].
    fn begin_turn(&mut self, at: LogPosition) -> Result<Following, StoreError>;

    /// Whether a turn has begun that has not ended.
    fn is_in_turn(&self) -> bool;

    /// Lets others go on, without an append. Does nothing outside of a turn.
    fn end_turn(&mut self) -> Result<(), StoreError>;
}

impl<'n> TableNote<'n> {
    /// The writes of an entry, in order, as far as it is whole.
    pub fn all(mut notes: &'n [u8]) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let ((number, key, value), rest) = journaled_table::split(notes)?;
            notes = rest;
            Some(Self { table: number as u8, key, value })
        })
    }

    /// Appends it to others.
    pub fn encode(&self, notes: &mut Vec<u8>) {
        journaled_table::encode(self.table, self.key, self.value, notes);
    }
}

impl LogPosition {
    /// Before the first entry.
    pub const START: Self = Self { next: 0, digest: [0; 32] };

    /// The entry with these notes at this position.
    pub fn entry(&self, notes: Vec<u8>) -> LogEntry {
        let digest = self.digest_with(&notes);
        LogEntry { notes, digest }
    }

    /// Whether an entry is whole and belongs here.
    pub fn has_next(&self, entry: &LogEntry) -> bool {
        entry.digest == self.digest_with(&entry.notes)
    }

    /// The position behind an entry that is at this one.
    #[must_use]
    pub const fn after(&self, entry: &LogEntry) -> Self {
        Self { next: self.next.saturating_add(1), digest: entry.digest }
    }

    fn digest_with(&self, notes: &[u8]) -> Hash {
        let head = Sha256::new_with_prefix(self.digest).chain_update(self.next.to_le_bytes());
        head.chain_update(notes).finalize().into()
    }
}
