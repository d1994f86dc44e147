//! The log that several hosts of one ledger share: their commits in one order.
//!
//! Every host has all tables in its own file (see `replica`) and reads them there. The log
//! entry of a commit makes it durable and orders it among the commits of other hosts. The
//! entry contains the commit's table writes, as does the journal of a host that is alone.
//!
//! Invariants of a log:
//! 1. Entries are numbered without a gap, and each number is used once.
//! 2. An entry that was acknowledged or read is permanent.
//! 3. An entry commits to the digest of the one before it, so that a host whose entries
//!    differ from the log's (because the database lost some) detects it.

use sha2::{Digest, Sha256};

use crate::engine::StoreError;
use crate::journaled_table;
use crate::sealing::Hash;

/// A position in the log that a host, or a copy of the tables, has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPosition {
    /// Number of the next entry.
    pub next: u64,
    /// Digest of the entry before it; zeros at the beginning.
    pub digest: Hash,
}

/// One commit of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Table writes, encoded as in the journal.
    pub notes: Vec<u8>,
    /// Digest of this entry and, through the chain, of all entries before it.
    pub digest: Hash,
}

/// The outcome of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// The entry is durably in the log.
    Durable,
    /// Another host took the number; the entry is not in the log.
    Taken,
}

/// The entries after a position, or the reason there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Following {
    /// The entries from the position on.
    Entries(NextEntries),
    /// The log no longer has the entry at the position; [`SharedLog::tables`] has the older
    /// state.
    Forgotten,
    /// The log has a different history: the host has entries that the log lost.
    Diverged,
}

/// Entries from a position on, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NextEntries {
    /// The first of these entries.
    pub entries: Vec<LogEntry>,
    /// Whether more may follow.
    pub has_more: bool,
}

/// One table write: a new value of a row, or its removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableNote<'n> {
    /// Number of the table.
    pub table: u8,
    /// Key of the row, as the engine writes it.
    pub key: &'n [u8],
    /// Value of the row; `None` if it is removed.
    pub value: Option<&'n [u8]>,
}

/// A callback that receives table writes as journal notes; see [`SharedLog::tables`].
pub type TakeNotes<'t> = dyn FnMut(&[u8]) -> Result<(), StoreError> + 't;

/// A log outside the host. Calls block, including while the log is unreachable; an `Err`
/// means that it remained so, and an entry that was being appended may or may not be in it.
pub trait SharedLog: Send {
    /// Returns the id of the ledger, created with its log and never changed.
    fn ledger_id(&mut self) -> Result<[u8; 16], StoreError>;

    /// Appends an entry at a position; the host must have everything before it. Returns once
    /// the entry is durable, or once another host has taken the number.
    fn append(&mut self, at: LogPosition, entry: &LogEntry) -> Result<Appended, StoreError>;

    /// Returns entries from a position on, at most a few megabytes.
    fn entries(&mut self, at: LogPosition) -> Result<Following, StoreError>;

    /// Passes all rows of all tables as of one position to `take`, for a host that has
    /// nothing.
    fn tables(&mut self, take: &mut TakeNotes<'_>) -> Result<LogPosition, StoreError>;

    /// Waits until no other host has the turn and prevents others from beginning one, so that
    /// reads and appends here cannot collide. The turn ends with the next append, with
    /// `end_turn`, or when the connection to the log is lost. Returns the entries so far, as
    /// [`SharedLog::entries`] does.
    fn begin_turn(&mut self, at: LogPosition) -> Result<Following, StoreError>;

    /// Returns whether this host has the turn.
    fn is_in_turn(&self) -> bool;

    /// Ends the turn without an append. Does nothing outside of a turn.
    fn end_turn(&mut self) -> Result<(), StoreError>;
}

impl<'n> TableNote<'n> {
    /// Iterates over the writes of an entry in order, up to the first damaged one.
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

    /// Creates the entry with these notes at this position.
    pub fn entry(&self, notes: Vec<u8>) -> LogEntry {
        let digest = self.digest_with(&notes);
        LogEntry { notes, digest }
    }

    /// Returns whether an entry is intact and belongs at this position.
    pub fn has_next(&self, entry: &LogEntry) -> bool {
        entry.digest == self.digest_with(&entry.notes)
    }

    /// Returns the position after the entry at this one.
    #[must_use]
    pub const fn after(&self, entry: &LogEntry) -> Self {
        Self { next: self.next.saturating_add(1), digest: entry.digest }
    }

    fn digest_with(&self, notes: &[u8]) -> Hash {
        let head = Sha256::new_with_prefix(self.digest).chain_update(self.next.to_le_bytes());
        head.chain_update(notes).finalize().into()
    }
}
