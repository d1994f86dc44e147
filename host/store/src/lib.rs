//! The data folder: rows, balances and records, and atomic changes to them.
//!
//! The store has no rules about its contents. The crates above it describe a transaction
//! as one [`Change`], which is applied completely or not at all. Many changes share one
//! durable write.
//!
//! Invariants:
//! 1. A change is either applied completely or refused, in which case nothing is written.
//! 2. The postings of a record change balances in the same write that appends the record;
//!    a guarded balance never becomes negative.
//! 3. Transaction ids are unique for ever; records are only ever appended.
//! 4. An event is in the outbox if and only if its record is in the chain.
//! 5. Nothing is acknowledged before it is on disk. After a failed sync the process
//!    stops: the state on disk is unknown until it is read again.
//!
//! Only this crate uses redb. It never imports the ledger or any crate above it.

mod backup;
mod batch;
mod change;
mod collection;
mod db;
mod discarded_journal;
mod engine;
pub mod hexed;
mod hosts;
mod journal;
mod journaled_table;
mod last_catch_up;
mod limits;
mod migrate;
mod opening;
mod outbox;
mod outbox_event;
mod pack;
mod recent_index;
mod redb_engine;
mod replica;
mod rows;
mod sealing;
mod shared_commit;
mod shared_log;
mod snapshot;
mod tables;
mod tables_copy;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod writer;

pub use backup::{check_copy, is_in_use};
pub use change::{AnswerPrune, Change, Expect, KvWrite, Put, Receipt, Refusal, StoredAnswer};
pub use collection::Collection;
pub use db::Db;
pub use discarded_journal::{DiscardedJournal, discard_journal};
pub use engine::{Sealer, Store, StoreError};
pub use hosts::{HostId, Hosts};
pub use opening::{DATABASE, OpenError};
pub use outbox_event::{OutboxEvent, OutboxListener, OutboxPosition, OutboxPrune, OutboxRow};
pub use redb_engine::{RedbStore, StoreLimits};
pub use replica::ForeignChanges;
pub use rows::Rows;
pub use sealing::{Draft, Hash, Head, Posting, SealedRecord, TreeNode};
pub use shared_log::{Appended, Following, LogEntry, LogPosition, NextEntries, NoteSink, SharedLog, TableNote};
pub use tables::TABLES_VERSION;
pub use writer::{SubmitError, Writer};
