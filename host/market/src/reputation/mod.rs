//! Reputation: an account's earnings as of a signed checkpoint, with a proof for every
//! counted record.
//!
//! An index finds the records of an account. It is updated only when a report is
//! requested, so calls are not slowed down by it.
//!
//! Invariants: totals cover exactly the records below the checkpoint's size; the index
//! can be deleted and rebuilt from the records.

mod service;
mod view;

pub use service::{
    CountedRecord, PLATFORM, ProvenRecord, Reputation, ReputationError, ReputationReport, ReputationTotals,
};
pub use view::ReputationView;
