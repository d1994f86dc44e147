//! The shared log of a ledger with several hosts.

use std::sync::Arc;

use tollbridge_store::testing::memory_log::{MemoryLog, MemoryLogEnd};
use tollbridge_store::{Appended, Following, LogEntry, LogPosition, NoteSink, SharedLog, StoreError};

use crate::chance::Chance;
use crate::disk::Disk;
use crate::fellows::End;

/// The log that the hosts share.
pub(crate) type Log = Arc<parking_lot::Mutex<MemoryLog>>;

/// The connection of one process to the shared log; a fault can cut it.
pub(crate) struct LogLine {
    end: MemoryLogEnd,
    disk: Disk,
    fellow: Option<(Arc<End>, Arc<Chance>)>,
}

impl LogLine {
    pub(crate) fn new(log: &Log, disk: &Disk) -> Self {
        Self { end: MemoryLogEnd::of(log.clone()), disk: disk.clone(), fellow: None }
    }

    /// Builds the connection of an additional host, which is cut at random.
    pub(crate) fn of_fellow(log: &Log, disk: &Disk, end: &Arc<End>, chance: &Arc<Chance>) -> Self {
        Self { fellow: Some((end.clone(), chance.clone())), ..Self::new(log, disk) }
    }

    /// Decides whether a fault cuts off this append: for the leader, [`Disk::append`]
    /// decides. `Some` says whether the log accepted the entry; an error means that the
    /// host had already ended.
    fn is_cut_off(&self) -> Result<Option<bool>, ()> {
        match &self.fellow {
            Some((end, _)) if end.has_come() => Err(()),
            Some((_, chance)) if chance.percent(2) => Ok(Some(chance.percent(50))),
            Some(_) if self.disk.is_over() => Err(()),
            Some(_) => Ok(None),
            None => self.disk.append(),
        }
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
        match self.is_cut_off() {
            Ok(None) => self.end.append(at, entry),
            Ok(Some(written)) => {
                if written {
                    self.end.append(at, entry)?;
                }
                self.end.end_turn()?;
                Err(cut_off())
            }
            Err(()) => {
                self.end.end_turn()?;
                Err(cut_off())
            }
        }
    }

    fn entries(&mut self, at: LogPosition) -> Result<Following, StoreError> {
        self.end.entries(at)
    }

    fn tables(&mut self, take: &mut NoteSink<'_>) -> Result<LogPosition, StoreError> {
        self.end.tables(take)
    }

    fn begin_turn(&mut self, at: LogPosition) -> Result<Following, StoreError> {
        self.end.begin_turn(at)
    }

    fn is_in_turn(&self) -> bool {
        self.end.is_in_turn()
    }

    fn end_turn(&mut self) -> Result<(), StoreError> {
        self.end.end_turn()
    }
}
