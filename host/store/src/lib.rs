//! What is kept, and the atomic changes that may be made to it.
//!
//! The store knows rows, balances and a chain of sealed records; it knows no
//! rules about them. Rooms above describe what they want as one [`Change`],
//! which happens whole or not at all. Many changes share one durable write.
//!
//! Invariants:
//! 1. A change is applied completely or refused without a trace.
//! 2. The postings of a record change balances in the same write that appends
//!    the record; a guarded balance never becomes negative.
//! 3. Transaction ids are unique for ever; records are only ever appended.
//! 4. An event is in the outbox if and only if the record that it tells of is in
//!    the chain.
//! 5. Nothing is acknowledged before it is on disk. After a failed sync the
//!    process stops: what is on disk is then unknown until it is read again.

mod backup;
mod batch;
pub mod hexed;
mod journal;
mod migrate;
mod noted;
mod opening;
mod outbox;
mod pack;
mod recent;
mod redb_engine;
mod snapshot;
mod tables;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod writer;

use std::borrow::Cow;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use tollbridge_core::money::Millipence;

pub use opening::{DATABASE, GivenUp, OpenError, give_up_journal};
pub use outbox::{Audience, Forget, OutboxRow, Outgoing, Place};
pub use redb_engine::{Bounds, RedbStore};
pub use writer::{SubmitError, Writer};

/// A SHA-256 digest.
pub type Hash = [u8; 32];

/// A kind of row. Each belongs to one room, which alone knows its JSON. The
/// numbers are on disk: none is ever used again, and the compiler lets none be
/// used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// Facts about the data folder itself.
    Meta = 0,
    /// Accounts by id (access).
    Accounts = 1,
    /// Account id by salted e-mail digest (access).
    Emails = 2,
    /// API keys by digest (access).
    Keys = 3,
    /// Paid intents by handle (payment).
    Intents = 4,
    /// Operator's decisions per plugin (registry).
    Plugins = 5,
    /// Revoked publishers by name (registry).
    Publishers = 6,
    /// Signed checkpoints by tree size, 20 digits (ledger).
    Checkpoints = 7,
    /// Stored resources by id (checkout).
    Resources = 8,
    /// Sums of what models were used, by account or plugin, day, key, provider
    /// and model (inference).
    Usage = 54,
    /// Endpoints, their standing, and deliveries that wait or failed (webhooks).
    Webhooks = 9,
    /// Tasks that pay, and who did them (accounts).
    Earning = 10,
    /// Agents' memories by agent and key (accounts).
    Memory = 11,
    /// Who wants to hear of what is coming (accounts).
    Notify = 12,
    /// Tasks of other people's agents, and notifications about them (a2a).
    A2a = 20,
    /// Index of records by who earned (reputation).
    Reputation = 13,
    /// Sums of earnings by account, day and plugin (accounts).
    Earned = 30,
    /// OAuth clients by id (access).
    OauthClients = 31,
    /// OAuth grants by account and id (access).
    OauthGrants = 32,
    /// Tasks that were accepted for later, by id (agents).
    Tasks = 50,
    /// Ids of those that are not done (agents).
    OpenTasks = 51,
    /// Accounts that deploy, by handle (catalog).
    Deployers = 52,
    /// Agents that their owners switched off, by name (agents).
    Switches = 53,
    /// Orders that are open at the processor, by handle (payment).
    Orders = 40,
    /// Refunds by state and id (payment).
    Refunds = 41,
    /// Transfers that the sandbox made, by withdrawal (payment).
    SandboxTransfers = 42,
    /// Withdrawals by account and id, and those under way by id (accounts).
    Withdrawals = 43,
    /// Payout accounts by account (accounts).
    Payouts = 44,
    /// What keys with a daily limit have spent, by key, day and call (payment).
    Spending = 45,
    /// Payments whose fee is not in the books yet, by the processor's name for
    /// them (payment).
    Fees = 46,
    /// Index of records by whom they concern (ledger).
    Parties = 47,
}

/// What must be true of a row for a put to be allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Whatever is there is replaced.
    Any,
    /// There is no such row yet.
    Absent,
    /// The row is exactly these bytes.
    Exactly(Vec<u8>),
}

/// One row to write; `value: None` removes it.
#[derive(Clone, Debug)]
pub struct Put {
    pub collection: Collection,
    pub key: String,
    pub value: Option<Vec<u8>>,
    pub expect: Expect,
}

/// One leg of a transaction: positive amounts are owed to the account. The
/// postings of a record sum to zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    /// Name in the chart of accounts, for example `credit:acct_x`.
    pub account: String,
    pub amount: Millipence,
    /// Whether the account may not become negative.
    pub guarded: bool,
}

/// A record before it has a place in the chain.
#[derive(Clone, Debug)]
pub struct Draft {
    /// `policy`, `payment`, `route`, `grant`, `plugin`, …
    pub kind: &'static str,
    /// Unique for ever; a repeat is refused.
    pub tx: Hash,
    /// Unix time, milliseconds.
    pub time_ms: u64,
    pub postings: Vec<Posting>,
    /// What else the record says: a JSON object in canonical form. No personal
    /// data and no plugin output.
    pub body: Vec<u8>,
}

/// A draft that got its place: the bytes that are kept and what commits to them.
#[derive(Clone, Debug)]
pub struct SealedRecord {
    pub seq: u64,
    /// SHA-256 of `bytes`.
    pub seal: Hash,
    /// The record in canonical form.
    pub bytes: Vec<u8>,
    /// Nodes of the Merkle tree that this record completed and that are kept.
    pub nodes: Vec<TreeNode>,
}

/// A complete subtree: `index` counts subtrees of 2^level leaves from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeNode {
    pub level: u8,
    pub index: u64,
    pub hash: Hash,
}

/// Gives drafts their place in the chain. Supplied by the ledger; called only
/// by the single writer, in order, for drafts that will be kept.
pub trait Sealer: Send {
    fn seal(&mut self, draft: &Draft) -> SealedRecord;
}

/// The answer to a paid call, kept for a while in case it is lost on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Handle of the intent that paid, if one did.
    pub intent: Option<String>,
    /// Digest of method, path and body: the same key with another is misuse.
    #[serde(with = "hexed")]
    pub fingerprint: Hash,
    pub content_type: Cow<'static, str>,
    /// Unix time in milliseconds after which the answer may be forgotten.
    pub expires_ms: u64,
    #[serde(skip)]
    pub body: Bytes,
}

/// One write to a plugin's key-value bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KvWrite {
    /// Plugin and bucket, made by the plugins room.
    pub bucket: String,
    pub key: String,
    pub value: Option<Vec<u8>>,
}

/// A domain transaction as data.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub puts: Vec<Put>,
    pub record: Option<Draft>,
    /// Kept under the record's sequence number.
    pub answer: Option<Answer>,
    pub kv: Vec<KvWrite>,
    /// What is told of the record; refused without one.
    pub outbox: Vec<Outgoing>,
    pub prune: Option<Prune>,
    pub forget: Option<Forget>,
}

/// Forgets at most `limit` answers that expired before `now_ms`, oldest first.
#[derive(Clone, Copy, Debug)]
pub struct Prune {
    pub now_ms: u64,
    pub limit: usize,
}

/// Where a change ended up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Sequence number and seal of the record, if the change had one.
    pub sealed: Option<(u64, Hash)>,
}

/// Why a change was refused. Nothing of it was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("this transaction is already sealed as record {seq}")]
    Duplicate { seq: u64 },
    #[error("account {account} does not have enough")]
    Insufficient { account: String },
    #[error("row {key} is not as expected")]
    Unexpected { collection: &'static str, key: String },
    #[error("the postings do not sum to zero")]
    Unbalanced,
    #[error("an event is written only together with the record that it tells of")]
    Unsealed,
}

/// The store cannot go on; the process should stop.
#[derive(Debug, thiserror::Error)]
#[error("{doing}: {source}")]
pub struct StoreError {
    pub doing: &'static str,
    #[source]
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// Size and end of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Head {
    /// Number of records.
    pub size: u64,
    /// Seal of the newest record; zeros when there is none.
    pub seal: Hash,
}

/// An engine that keeps rows, balances and records. Reads see only what is
/// durable.
pub trait Store: Send + Sync + 'static {
    /// Applies changes in order in one durable write. Each is applied whole or
    /// refused; an `Err` means that nothing is known about any of them.
    fn commit(&self, changes: &[Change], sealer: &mut dyn Sealer) -> Result<Vec<Result<Receipt, Refusal>>, StoreError>;

    fn get(&self, collection: Collection, key: &str) -> Result<Option<Vec<u8>>, StoreError>;
    /// Rows with `key > after`, in key order, at most `limit`.
    fn list(&self, collection: Collection, after: &str, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    fn balance(&self, account: &str) -> Result<Millipence, StoreError>;
    /// Every account that is not zero, in name order.
    fn balances(&self) -> Result<Vec<(String, Millipence)>, StoreError>;

    fn head(&self) -> Result<Head, StoreError>;
    fn record(&self, seq: u64) -> Result<Option<Vec<u8>>, StoreError>;
    /// At most so many records from a number on, without a gap: it ends before the
    /// first that is not there. Cheaper than each by itself.
    fn records(&self, from: u64, most: usize) -> Result<Vec<Vec<u8>>, StoreError>;
    fn seq_of_seal(&self, seal: &Hash) -> Result<Option<u64>, StoreError>;
    fn seq_of_tx(&self, tx: &Hash) -> Result<Option<u64>, StoreError>;
    fn node(&self, level: u8, index: u64) -> Result<Option<Hash>, StoreError>;

    fn answer(&self, seq: u64) -> Result<Option<Answer>, StoreError>;
    /// Sequence number of the last record that drew on an intent.
    fn answer_of_intent(&self, handle: &str) -> Result<Option<u64>, StoreError>;

    /// What is told to an account, after a place, in order.
    fn outbox(&self, account: &str, after: Option<Place>, limit: usize) -> Result<Vec<OutboxRow>, StoreError>;
    /// One of them, if it is still kept.
    fn outgoing(&self, account: &str, place: Place) -> Result<Option<OutboxRow>, StoreError>;
    /// The first account after a name that anything is kept for.
    fn outbox_account(&self, after: &str) -> Result<Option<String>, StoreError>;

    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError>;
    /// Keys of a bucket with `key > after` and the sizes of their values.
    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, StoreError>;
}
