//! The journal: commits that are not yet in the database file.
//!
//! A commit of the engine writes many scattered pages and a header, and needs two syncs. A
//! journal entry holds the commit's table writes in one piece and needs one sync. The engine
//! receives the same writes at once but makes them durable much later, many commits together.
//!
//! The file holds entries, each starting at a block boundary, so that writing one never
//! touches the blocks of another. Layout of an entry: magic (8 bytes), length of the notes in
//! bytes (u64), number of the entry (u64), SHA-256 of the database's id for this journal and
//! of everything except the digest itself (32 bytes), the notes, zeros up to the next
//! boundary. Integers are little endian; entry numbers are never reused. Once the database
//! has everything, entries are written from the start of the file again. The first block is a
//! permanent entry without notes; it identifies the journal even while there is nothing new.
//!
//! Invariants:
//! 1. An entry is written only when all earlier entries are durable, so nothing after an
//!    incomplete entry was ever acknowledged.
//! 2. An entry is overwritten only when the database has it durably.
//! 3. A database whose mark says that its journal has begun does not open without it.

use std::io;

use redb::StorageBackend;
use sha2::{Digest, Sha256};
use tollbridge_core::planted::Defect;

use super::sealing::Hash;

/// Block size of the disk; no block contains parts of two entries.
const BLOCK_BYTES: usize = 4096;
/// Offset of the first entry, after the permanent first block.
const START: u64 = 4096;
/// Entry number of the first block; regular entries never reach this number.
const FIRST_BLOCK: u64 = u64::MAX;
const MAGIC: [u8; 8] = *b"tolljrnl";
const HEADER_BYTES: usize = 56;
/// The file grows in steps of this size, unless the journal's size limit is smaller.
const GROWTH_BYTES: u64 = 4 << 20;
/// Limit on the bytes read while searching for later entries, as a multiple of the file
/// size: enough to pass over all real entries and as much data that only resembles entries.
const SEARCH_TIMES_MAX: usize = 4;
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// The journal's state as recorded in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JournalMark {
    /// Random id of the journal; entries of another database's journal do not match it.
    pub(super) id: [u8; 16],
    /// All entries below this number are in the database.
    pub(super) next: u64,
    /// Whether the journal may contain entries that the database lacks.
    pub(super) begun: bool,
}

/// The table writes (notes) of one commit, preceded by space for the entry's header.
#[derive(Debug)]
pub(super) struct RedoRecord(Vec<u8>);

/// Maximum buffer capacity kept between commits; the memory of a larger batch is
/// released.
const ENTRY_KEPT_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Journal {
    file: Box<dyn StorageBackend>,
    /// Length of the file.
    length: u64,
    mark: JournalMark,
    /// Offset of the next entry.
    end: u64,
    /// Size limit of the journal; once it is reached, the next commit makes all entries
    /// durable in the database.
    max_bytes: u64,
}

/// The reason a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum JournalError {
    #[error("reading the journal: {0}")]
    Io(#[from] io::Error),
    #[error(
        "tollbridge.journal is missing or is another database's, and the server did not stop cleanly: the journal holds the \
         last commits. Put it back next to the database; if it is lost, `tollbridge ledger give-up-journal` continues \
         without it"
    )]
    Missing,
    #[error(
        "entry {next} of tollbridge.journal is missing or damaged although entry {found} follows. Restore the original \
         file; if it is lost, `tollbridge ledger give-up-journal` continues without this entry and all later ones"
    )]
    Damaged { next: u64, found: u64 },
}

impl JournalMark {
    /// Creates the state that the database records for a new, empty journal.
    pub(super) fn fresh() -> Result<Self, getrandom::Error> {
        let mut id = [0; 16];
        getrandom::fill(&mut id)?;
        Ok(Self { id, next: 0, begun: false })
    }

    pub(super) fn encode(self) -> Vec<u8> {
        [self.id.as_slice(), &self.next.to_le_bytes(), &[u8::from(self.begun)]].concat()
    }

    pub(super) fn decode(row: &[u8]) -> Option<Self> {
        let (id, row) = row.split_first_chunk::<16>()?;
        let (next, row) = row.split_first_chunk::<8>()?;
        let (begun, _) = row.split_first()?;
        Some(Self { id: *id, next: u64::from_le_bytes(*next), begun: *begun != 0 })
    }
}

impl Default for RedoRecord {
    fn default() -> Self {
        Self(vec![0; HEADER_BYTES])
    }
}

impl RedoRecord {
    pub(super) fn clear(&mut self) {
        self.0.truncate(HEADER_BYTES);
        self.0.shrink_to(ENTRY_KEPT_BYTES);
    }

    /// Returns the notes.
    pub(super) fn notes_written(&self) -> &[u8] {
        self.0.get(HEADER_BYTES..).unwrap_or_default()
    }

    /// Returns the buffer to which notes are appended.
    pub(super) const fn notes(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }

    /// Adds the header to the entry, pads it to whole blocks and returns its bytes.
    fn seal(&mut self, id: &[u8; 16], number: u64) -> &[u8] {
        let length = u64::try_from(self.0.len().saturating_sub(HEADER_BYTES)).unwrap_or(u64::MAX);
        let digest = digest(id, number, self.notes_written());
        let header = [MAGIC.as_slice(), &length.to_le_bytes(), &number.to_le_bytes(), &digest].concat();
        if let Some(place) = self.0.get_mut(..HEADER_BYTES) {
            place.copy_from_slice(&header);
        }
        self.0.resize(self.0.len().next_multiple_of(BLOCK_BYTES), 0);
        &self.0
    }
}

fn digest(id: &[u8; 16], number: u64, notes: &[u8]) -> Hash {
    let length = u64::try_from(notes.len()).unwrap_or(u64::MAX);
    let head = Sha256::new_with_prefix(id).chain_update(length.to_le_bytes());
    head.chain_update(number.to_le_bytes()).chain_update(notes).finalize().into()
}

/// Parses the entry at the start of `bytes` and checks that it belongs to this journal;
/// returns its number and notes.
fn entry<'b>(id: &[u8; 16], bytes: &'b [u8]) -> Option<(u64, &'b [u8])> {
    let bytes = bytes.strip_prefix(&MAGIC)?;
    let (length, bytes) = bytes.split_first_chunk::<8>()?;
    let (number, bytes) = bytes.split_first_chunk::<8>()?;
    let (found, bytes) = bytes.split_first_chunk::<32>()?;
    let notes = bytes.get(..usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let number = u64::from_le_bytes(*number);
    (digest(id, number, notes) == *found).then_some((number, notes))
}

/// Returns the number of the first entry in `rest` that the database does not have.
///
/// The start of a block may hold stored user data crafted to look like an entry that
/// reaches to the end of the file. Valid entries are therefore skipped as a whole, and
/// the search reads at most [`SEARCH_TIMES_MAX`] times the file size. Entries beyond that
/// limit could only prove damage; the search never finds an entry to replay.
fn later(mark: &JournalMark, rest: &[u8]) -> Option<u64> {
    let mut budget = rest.len().saturating_mul(SEARCH_TIMES_MAX);
    let mut at = 0;
    while let Some(bytes) = rest.get(at..).filter(|bytes| !bytes.is_empty()) {
        let claimed = claimed_bytes(bytes).filter(|claimed| *claimed <= bytes.len());
        let found = match claimed {
            Some(claimed) => {
                budget = budget.checked_sub(claimed)?;
                entry(&mark.id, bytes)
            }
            None => None,
        };
        match found {
            Some((number, _)) if number >= mark.next => return Some(number),
            Some((_, notes)) => at = at.saturating_add((HEADER_BYTES + notes.len()).next_multiple_of(BLOCK_BYTES)),
            None => at = at.saturating_add(BLOCK_BYTES),
        }
    }
    None
}

/// Returns the entry length stated in the header at the start of `bytes`.
fn claimed_bytes(bytes: &[u8]) -> Option<usize> {
    let (length, _) = bytes.strip_prefix(&MAGIC)?.split_first_chunk::<8>()?;
    usize::try_from(u64::from_le_bytes(*length)).ok()?.checked_add(HEADER_BYTES)
}

impl Journal {
    /// Opens the journal of a database. Also returns, in order, the notes of each entry
    /// that the database lacks; the caller must make them durable in the database before
    /// appending to the journal.
    pub(super) fn open(
        file: Box<dyn StorageBackend>,
        mut mark: JournalMark,
        max_bytes: u64,
    ) -> Result<(Self, Vec<Vec<u8>>), JournalError> {
        let length = file.len()?;
        let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        file.read(0, &mut bytes)?;
        let (first, mut rest) = bytes.split_at_checked(BLOCK_BYTES).unwrap_or((&bytes, &[]));
        if mark.begun && entry(&mark.id, first) != Some((FIRST_BLOCK, &[])) {
            return Err(JournalError::Missing);
        }
        let (mut before, mut missing) = (None, Vec::new());
        // Entries from before the last restart of the journal may follow; their numbers
        // are not consecutive.
        while let Some((number, notes)) = entry(&mark.id, rest)
            && before.is_none_or(|before: u64| before.checked_add(1) == Some(number))
            && number <= mark.next
        {
            if number == mark.next {
                missing.push(notes.to_vec());
                mark.next = mark.next.saturating_add(1);
            }
            before = Some(number);
            rest = rest.get((HEADER_BYTES + notes.len()).next_multiple_of(BLOCK_BYTES)..).unwrap_or_default();
        }
        if Defect::NewestEntryForgotten.is_planted() && missing.pop().is_some() {
            mark.next = mark.next.saturating_sub(1);
            return Ok((Self { file, length, mark, end: START, max_bytes }, missing));
        }
        // Nothing was written after an interrupted write, so a later entry means that the
        // file is damaged.
        match later(&mark, rest) {
            Some(found) => Err(JournalError::Damaged { next: mark.next, found }),
            None => Ok((Self { file, length, mark, end: START, max_bytes }, missing)),
        }
    }

    /// Returns the journal state to record in the database after a commit; `written` is
    /// true if that commit is in the journal.
    pub(super) const fn mark(&self, written: bool) -> JournalMark {
        let JournalMark { id, next, begun } = self.mark;
        JournalMark { id, next: if written { next.saturating_add(1) } else { next }, begun }
    }

    pub(super) const fn is_begun(&self) -> bool {
        self.mark.begun
    }

    /// Returns whether the journal has reached its size limit, so that the next commit
    /// should be durable in the database itself.
    pub(super) const fn is_full(&self) -> bool {
        self.end >= self.max_bytes
    }

    /// Starts the journal. Call before a commit that is durable in the database and
    /// records there that journal entries may follow.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        self.make_room(START)?;
        self.file.write(0, RedoRecord::default().seal(&self.mark.id, FIRST_BLOCK))?;
        self.file.sync_data()?;
        self.mark.begun = true;
        Ok(())
    }

    /// Makes an entry durable. After an error it is unknown whether the entry was
    /// written, and nothing may be appended.
    pub(super) fn append(&mut self, entry: &mut RedoRecord) -> io::Result<()> {
        let bytes = entry.seal(&self.mark.id, self.mark.next);
        let end = self.end.saturating_add(u64::try_from(bytes.len()).map_err(io::Error::other)?);
        self.make_room(end)?;
        if Defect::AcknowledgedEarly.is_planted() {
            self.file.sync_data()?;
        }
        self.file.write(self.end, bytes)?;
        if !Defect::SyncDropped.is_planted() && !Defect::AcknowledgedEarly.is_planted() {
            self.file.sync_data()?;
        }
        (self.end, self.mark) = (end, self.mark(true));
        Ok(())
    }

    /// Extends the file with zeros that later entries overwrite. Syncing a write past the end
    /// of the file would also have to write the new file extent.
    fn make_room(&mut self, until: u64) -> io::Result<()> {
        if until <= self.length {
            return Ok(());
        }
        let enough = until.next_multiple_of(GROWTH_BYTES.min(self.max_bytes.max(1)));
        self.file.set_len(enough)?;
        while self.length < enough {
            let piece = usize::try_from(enough - self.length).unwrap_or(usize::MAX).min(ZEROS.len());
            self.file.write(self.length, ZEROS.get(..piece).unwrap_or_default())?;
            self.length = self.length.saturating_add(u64::try_from(piece).map_err(io::Error::other)?);
        }
        Ok(())
    }

    /// Moves the write position back to the first entry. Call once the database has all
    /// entries durably.
    pub(super) const fn restart(&mut self) {
        self.end = START;
    }

    /// Empties the file on close, so that a copy of the database alone is complete. Call
    /// once the state recorded in the database no longer requires the journal.
    pub(super) fn empty(&mut self) -> io::Result<()> {
        self.restart();
        self.mark.begun = false;
        self.length = 0;
        self.file.set_len(0)?;
        self.file.sync_data()
    }
}

#[cfg(test)]
#[path = "journal_fuzz_tests.rs"]
mod fuzz_tests;
#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
