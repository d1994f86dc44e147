//! A shared log in memory, for tests with several hosts in one process.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::engine::StoreError;
use crate::shared_log::{Appended, Following, LogEntry, LogPosition, NextEntries, NoteSink, SharedLog, TableNote};

/// The contents of the log, shared by all hosts.
#[derive(Debug, Default)]
pub struct MemoryLog {
    /// All entries ever appended.
    pub entries: Vec<LogEntry>,
    /// Number of entries, counted from the oldest, that hosts can no longer read.
    pub forgotten: usize,
    /// Number of appends refused because another host had already used the entry number.
    pub collisions: usize,
}

/// One host's connection to the log.
pub struct MemoryLogEnd {
    log: Arc<Mutex<MemoryLog>>,
    /// Callback that runs immediately before the next append; it acts as another host.
    before_append: Option<Box<dyn FnOnce() + Send>>,
    in_turn: bool,
}

impl MemoryLogEnd {
    /// Connects to a log.
    pub const fn of(log: Arc<Mutex<MemoryLog>>) -> Self {
        Self { log, before_append: None, in_turn: false }
    }

    /// Connects to a log; `before_append` acts as another host and runs immediately
    /// before the next append.
    pub fn disturbed(log: Arc<Mutex<MemoryLog>>, before_append: impl FnOnce() + Send + 'static) -> Self {
        Self { log, before_append: Some(Box::new(before_append)), in_turn: false }
    }
}

impl SharedLog for MemoryLogEnd {
    fn ledger_id(&mut self) -> Result<[u8; 16], StoreError> {
        Ok([7; 16])
    }

    fn append(&mut self, at: LogPosition, entry: &LogEntry) -> Result<Appended, StoreError> {
        self.in_turn = false;
        if let Some(act) = self.before_append.take() {
            act();
        }
        let mut log = self.log.lock();
        if log.entries.len() as u64 != at.next {
            log.collisions += 1;
            return Ok(Appended::Taken);
        }
        assert!(at.has_next(entry), "an entry that does not follow its predecessor");
        log.entries.push(entry.clone());
        Ok(Appended::Durable)
    }

    fn entries(&mut self, at: LogPosition) -> Result<Following, StoreError> {
        let log = self.log.lock();
        let next = usize::try_from(at.next).unwrap();
        let before = next.checked_sub(1).map_or(Some([0; 32]), |last| log.entries.get(last).map(|entry| entry.digest));
        Ok(match before {
            Some(digest) if digest == at.digest => match next < log.forgotten {
                true => Following::Forgotten,
                false => {
                    let entries: Vec<_> = log.entries.iter().skip(next).take(2).cloned().collect();
                    let has_more = next + entries.len() < log.entries.len();
                    Following::Entries(NextEntries { entries, has_more })
                }
            },
            _ => Following::Diverged,
        })
    }

    fn tables(&mut self, take: &mut NoteSink<'_>) -> Result<LogPosition, StoreError> {
        let log = self.log.lock();
        let mut rows = BTreeMap::new();
        for note in log.entries.iter().flat_map(|entry| TableNote::all(&entry.notes)) {
            match note.value {
                Some(value) => rows.insert((note.table, note.key), value),
                None => rows.remove(&(note.table, note.key)),
            };
        }
        for ((table, key), value) in rows {
            let mut notes = Vec::new();
            TableNote { table, key, value: Some(value) }.encode(&mut notes);
            take(&notes)?;
        }
        let digest = log.entries.last().map_or([0; 32], |entry| entry.digest);
        Ok(LogPosition { next: log.entries.len() as u64, digest })
    }

    fn begin_turn(&mut self, at: LogPosition) -> Result<Following, StoreError> {
        let following = self.entries(at)?;
        self.in_turn = true;
        Ok(following)
    }

    fn is_in_turn(&self) -> bool {
        self.in_turn
    }

    fn end_turn(&mut self) -> Result<(), StoreError> {
        self.in_turn = false;
        Ok(())
    }
}
