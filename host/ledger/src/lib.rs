//! The ledger: double-entry postings in a chain of sealed records, a Merkle tree over
//! them, signed checkpoints, proofs, and a verifier that trusts none of these.
//! `docs/ledger-format.md` specifies the bytes.
//!
//! Invariants:
//! 1. A record's bytes follow from its draft and its position, and nothing in this crate
//!    changes or removes a record.
//! 2. The postings of a record follow from its body.
//! 3. A checkpoint is signed only for a size that is on disk, only one root is ever
//!    signed for a size, and only after checking that the tree of the previous checkpoint
//!    is a prefix.
//!
//! Tamper-evident, not tamper-proof: the holder of the signing key can rewrite records
//! that no one outside has seen. Never imports wasmtime, plugins or payments, so anyone
//! can use the crate to verify an export.

mod bodies;
mod books;
mod canonical_json;
mod chain;
mod chart;
mod checkpoint;
mod checkpoint_file;
mod dispute;
mod earning;
mod entry;
mod entry_error;
mod error;
pub mod events;
mod explanation;
mod export;
#[cfg(test)]
mod fuzz_tests;
mod goodwill;
pub mod idempotency;
mod indexer;
mod inference;
mod ledger;
pub mod limits;
mod names;
mod nested;
#[cfg(test)]
mod nested_tests;
mod notary;
mod parties;
mod payment;
mod policy;
mod proof;
mod record;
mod record_summary;
mod records;
mod route;
#[cfg(test)]
mod sabotage_tests;
mod settlement;
mod stored_checkpoint;
mod tasks;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod token_paid;
pub mod tree;
mod verify;

pub use bodies::{
    Earnings, Event, Mode, Payer, PluginAct, PluginVerb, Policy, PublisherAct, PublisherVerb, RecordedShares, Refund,
    RefundStage, TestCredit, Topup, salted,
};
pub use books::BooksError;
pub use chain::Chain;
pub use chart::{LedgerAccount, is_party};
pub use checkpoint::{Checkpoint, CheckpointError, CheckpointKey, CheckpointSigner, SignedCheckpoint, origin_of};
pub use dispute::{Dispute, DisputeStage};
pub use earning::{BudgetFunding, FundingSource, Purpose, TaskReward, Transfer};
pub use entry::Entry;
pub use entry_error::EntryError;
pub use error::{LedgerError, ProofUnavailable};
pub use export::{ExportError, verify_store};
pub use goodwill::Goodwill;
pub use indexer::{IndexError, LedgerIndex, LedgerIndexer};
pub use inference::{InferenceCharge, WalletPaid};
pub use ledger::Ledger;
pub use nested::{Nested, NestedCosts, split_tree};
pub use notary::{Notary, NotaryError, ProofFailure, Sealed, VisibleRecord, random_tx};
pub use parties::{Parties, PartiesError};
pub use payment::Payment;
pub use policy::{PolicyInForce, PolicyProblem};
pub use proof::{Consistency, HexHash, Proof, ProofContext, ProofError, ProofReport};
pub use record::{Record, RecordError, RecordedPosting, seal_of};
pub use record_summary::{PostingSummary, RecordSummary};
pub use records::Records;
pub use route::{Route, TaskFacts};
pub use settlement::{Fee, Purchase, Release, Released, Withdraw, WithdrawStage};
pub use stored_checkpoint::{Checkpointing, StoredCheckpoint};
pub use tasks::{TaskMoney, TaskStage, task_id, tx_of_task};
pub use token_paid::TokenPaid;
pub use tollbridge_core::plugin_kind::PluginKind;
pub use verify::{Trust, VerificationFailure, VerificationProblem, VerificationReport, verify};
