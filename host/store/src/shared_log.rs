//! The log that several hosts of one ledger share: their commits in one order.
//!
//! Every host has all tables in its own file (see `replica`) and reads them there. The
//! log entry of a commit makes the commit durable and orders it among the commits of
//! other hosts. The entry contains the commit's table writes, encoded as in the journal
//! of a host that serves a ledger alone.
//!
//! Invariants of a log:
//! 1. Entries are numbered without a gap, and each number is used once.
//! 2. An entry that was acknowledged or read is permanent.
//! 3. An entry contains a digest that covers the previous entry. If the database lost
//!    entries, a host that still has them therefore detects the difference.

use sha2::{Digest, Sha256};

use crate::engine::StoreError;
use crate::journaled_table;
use crate::sealing::Hash;

/// A position in the shared log, reached by a host or by a copy of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPosition {
    /// Number of the next entry.
    pub next: u64,
    /// Digest of the entry before the next one; zeros at the beginning of the log.
    pub digest: Hash,
}

/// One commit of a host, as an entry of the shared log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Table writes, encoded as in the journal.
    pub notes: Vec<u8>,
    /// Digest of this entry and, because it includes the previous digest, of all earlier
    /// entries.
    pub digest: Hash,
}

/// The outcome of appending an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// The entry is durably in the log.
    Durable,
    /// Another host appended an entry under this number first; this entry is not in the
    /// log.
    Taken,
}

/// The entries from a position on, or the reason why they cannot be returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Following {
    /// The entries that start at the requested position.
    Entries(NextEntries),
    /// The log no longer has the entry at the position; read the tables through
    /// [`SharedLog::tables`] instead.
    Forgotten,
    /// The log's history differs from the host's; for example, the log lost entries that
    /// the host has applied.
    Diverged,
}

/// Entries from a position on, in order; possibly not all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NextEntries {
    /// The returned entries.
    pub entries: Vec<LogEntry>,
    /// Whether more entries may follow the returned ones.
    pub has_more: bool,
}

/// One table write: the new value of a row, or the row's removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableNote<'n> {
    /// Number of the table.
    pub table: u8,
    /// Key of the row, as encoded by the storage engine.
    pub key: &'n [u8],
    /// New value of the row; `None` if the row is removed.
    pub value: Option<&'n [u8]>,
}

/// A callback that receives table writes as journal notes; see [`SharedLog::tables`].
pub type NoteSink<'t> = dyn FnMut(&[u8]) -> Result<(), StoreError> + 't;

/// The interface to a shared log, which is stored outside the host. Calls block,
/// including while the log is unreachable. An `Err` means that the log remained
/// unreachable; an entry that was being appended may or may not be in the log.
pub trait SharedLog: Send {
    /// Returns the id of the ledger, which was created together with its log and never
    /// changes.
    fn ledger_id(&mut self) -> Result<[u8; 16], StoreError>;

    /// Appends an entry at a position; the host must have applied all earlier entries.
    /// Returns once the entry is durable, or once another host has appended an entry
    /// under that number.
    fn append(&mut self, at: LogPosition, entry: &LogEntry) -> Result<Appended, StoreError>;

    /// Returns entries from a position on, at most a few megabytes of them.
    fn entries(&mut self, at: LogPosition) -> Result<Following, StoreError>;

    /// For a host whose tables are empty: passes all rows of all tables, as of one
    /// position in the log, to `take`, and returns that position.
    fn tables(&mut self, take: &mut NoteSink<'_>) -> Result<LogPosition, StoreError>;

    /// Waits for the turn: the exclusive right to append, held by one host at a time, so
    /// that this host's reads and appends do not collide with those of other hosts. The
    /// turn ends with the next append, with `end_turn`, or when the connection to the log
    /// is lost. Returns the entries from `at` on, as [`SharedLog::entries`] does.
    fn begin_turn(&mut self, at: LogPosition) -> Result<Following, StoreError>;

    /// Returns whether this host holds the turn; see [`SharedLog::begin_turn`].
    fn is_in_turn(&self) -> bool;

    /// Gives up the turn without appending. Does nothing if this host does not hold the
    /// turn.
    fn end_turn(&mut self) -> Result<(), StoreError>;
}

impl<'n> TableNote<'n> {
    /// Iterates over the writes of an entry in order; stops at the first damaged one.
    pub fn all(mut notes: &'n [u8]) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let ((number, key, value), rest) = journaled_table::split(notes)?;
            notes = rest;
            Some(Self { table: number as u8, key, value })
        })
    }

    /// Appends this write to `notes`.
    pub fn encode(&self, notes: &mut Vec<u8>) {
        journaled_table::encode(self.table, self.key, self.value, notes);
    }
}

impl LogPosition {
    /// The position before the first entry.
    pub const START: Self = Self { next: 0, digest: [0; 32] };

    /// Creates the log entry with these notes at this position.
    pub fn entry(&self, notes: Vec<u8>) -> LogEntry {
        let digest = self.digest_with(&notes);
        LogEntry { notes, digest }
    }

    /// Returns whether an entry is intact and belongs at this position.
    pub fn has_next(&self, entry: &LogEntry) -> bool {
        entry.digest == self.digest_with(&entry.notes)
    }

    /// Returns the position that follows `entry`.
    #[must_use]
    pub const fn after(&self, entry: &LogEntry) -> Self {
        Self { next: self.next.saturating_add(1), digest: entry.digest }
    }

    fn digest_with(&self, notes: &[u8]) -> Hash {
        let head = Sha256::new_with_prefix(self.digest).chain_update(self.next.to_le_bytes());
        head.chain_update(notes).finalize().into()
    }
}
