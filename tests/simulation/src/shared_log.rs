//! The log of a ledger that two hosts have, one after the other.

use std::sync::Arc;

use tollbridge_store::testing::memory_log::{MemoryLog, MemoryLogEnd};
use tollbridge_store::{Appended, Following, LogEntry, LogPosition, SharedLog, StoreError, TakeNotes};

use crate::disk::Disk;

/// What the hosts share.
pub(crate) type Log = Arc<parking_lot::Mutex<MemoryLog>>;

/// One process's end of it, from which it can be cut off.
pub(crate) struct LogLine {
    end: MemoryLogEnd,
    disk: Disk,
}

impl LogLine {
    pub(crate) fn new(log: &Log, disk: &Disk) -> Self {
        Self { end: MemoryLogEnd::of(log.clone()), disk: disk.clone() }
    }
}

fn cut_off() -> StoreError {
    StoreError { doing: "appending to the log", source: "the host is cut off".into() }
}

impl SharedLog for LogLine {
    fn ledger_id(&mut self) -> Result<[u8; 16], StoreError> {
        self.end.ledger_id()
    }

    fn append(&mut self, at: LogPosition, entry: &LogEntry) -> Result<Appended, StoreError> {
        match self.disk.append() {
            Ok(None) => self.end.append(at, entry),
            Ok(Some(written)) => {
                if written {
                    self.end.append(at, entry)?;
                }
                Err(cut_off())
            }
            Err(()) => Err(cut_off()),
        }
    }

    fn entries(&mut self, at: LogPosition) -> Result<Following, StoreError> {
        self.end.entries(at)
    }

    fn tables(&mut self, take: &mut TakeNotes<'_>) -> Result<LogPosition, StoreError> {
        self.end.tables(take)
    }

    fn begin_turn(&mut self, at: LogPosition) -> Result<Following, StoreError> {
        self.end.begin_turn(at)
    }

    fn end_turn(&mut self) -> Result<(), StoreError> {
        self.end.end_turn()
    }
}
