//! Reputation: what an account earned here, as of a signed checkpoint, with a
//! proof for every record that was counted.
//!
//! The records of an account are found through an index that follows the
//! ledger when somebody asks; calls pay nothing for it.
//!
//! Invariants: totals are of exactly the records below the checkpoint's size;
//! the index can be thrown away and made again from the records.
//!
//! Rows of `Collection::Reputation`: `c` is the number of records taken in,
//! `t/{account}` the totals, `r/{account}/{seq}` a record that counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ledger::{
    Entry, HexHash, LedgerError, NoProof, Notary, NotaryError, Proof, ProofFailure, Record, SignedCheckpoint, seal_of,
};
use crate::limits::{REPUTATION_PAGE_MAX, REPUTATION_RECORDS_PER_REQUEST_MAX, REPUTATION_RECORDS_PER_WRITE_MAX};
use crate::money::Millipence;
use crate::store::{Change, Collection, Expect, Put, Store, StoreError, SubmitError, Writer};

const CURSOR: &str = "c";

/// Counts what accounts did.
pub struct Reputation {
    store: Arc<dyn Store>,
    writer: Arc<Writer>,
    notary: Arc<Notary>,
    /// Held while the index follows the ledger and totals are read.
    following: tokio::sync::Mutex<()>,
}

/// What an account did, as far as it is sealed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Paid calls of its plugins.
    pub calls: u64,
    /// Tasks that it was paid for.
    pub tasks: u64,
    /// Settlements and stored memories that its agents were paid for.
    pub transfers: u64,
    #[serde(rename = "earned_millipence")]
    pub earned: Millipence,
    /// Unix time in milliseconds of the first and the last record that counts.
    pub first_ms: Option<u64>,
    pub last_ms: Option<u64>,
}

/// A record that was counted, with its proof.
pub struct Counted {
    pub seq: u64,
    pub row: Row,
    pub proof: Proof,
}

/// What the index keeps of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// `route`, `nested`, `earn` or `transfer`.
    pub kind: String,
    #[serde(rename = "earned_millipence")]
    pub earned: Millipence,
    pub time_ms: u64,
}

/// What somebody may know of an account.
pub struct Report {
    pub totals: Totals,
    pub checkpoint: SignedCheckpoint,
    pub records: Vec<Counted>,
    /// The record after which the next page begins.
    pub next: Option<u64>,
}

#[derive(Debug, thiserror::Error)]
pub enum ReputationError {
    #[error("the ledger is still being counted; ask again shortly")]
    Counting,
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Notary(#[from] NotaryError),
    #[error("a counted record cannot be proven: {0}")]
    Proof(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

impl Reputation {
    pub fn new(store: Arc<dyn Store>, writer: Arc<Writer>, notary: Arc<Notary>) -> Self {
        Self { store, writer, notary, following: tokio::sync::Mutex::default() }
    }

    /// What an account did as of now, and a page of the records after one.
    pub async fn report(
        &self,
        account: &str,
        after: Option<u64>,
        limit: usize,
        now_ms: u64,
    ) -> Result<Report, ReputationError> {
        let _turn = self.following.lock().await;
        let checkpoint = self.notary.checkpoint(now_ms).await?;
        self.follow(checkpoint.checkpoint.size).await?;
        let totals = self.read::<Totals>(&format!("t/{account}"))?.unwrap_or_default();
        let prefix = format!("r/{account}/");
        let from = after.map_or_else(|| prefix.clone(), |after| record_key(account, after));
        let limit = limit.clamp(1, REPUTATION_PAGE_MAX);
        let rows = self.store.list(Collection::Reputation, &from, limit)?;
        let mut records = Vec::new();
        for (key, value) in &rows {
            let Some(seq) = key.strip_prefix(&prefix).and_then(|seq| seq.parse().ok()) else { break };
            let row = serde_json::from_slice(value).map_err(bad_row)?;
            records.push(Counted { seq, row, proof: self.proof(seq, now_ms).await? });
        }
        let next = records.last().map(|last| last.seq).filter(|_| records.len() == limit);
        Ok(Report { totals, checkpoint, records, next })
    }

    async fn proof(&self, seq: u64, now_ms: u64) -> Result<Proof, ReputationError> {
        let bytes = self.store.record(seq)?.ok_or(LedgerError::MissingRecord { seq })?;
        self.notary.proof(&seal_of(&bytes), None, now_ms).await.map_err(|error| match error {
            ProofFailure::None(NoProof::Ledger(error)) => error.into(),
            ProofFailure::None(other) => ReputationError::Proof(other.to_string()),
            ProofFailure::Notary(error) => error.into(),
        })
    }

    /// Takes in the records below `size`, as many as one request may.
    async fn follow(&self, size: u64) -> Result<(), ReputationError> {
        let mut next = self.read::<u64>(CURSOR)?.unwrap_or(0);
        let most = next.saturating_add(REPUTATION_RECORDS_PER_REQUEST_MAX);
        while next < size {
            if next >= most {
                return Err(ReputationError::Counting);
            }
            let end = size.min(next.saturating_add(REPUTATION_RECORDS_PER_WRITE_MAX));
            let puts = self.count(next, end)?;
            self.writer.submit(Change { puts, ..Change::default() }).await?;
            next = end;
        }
        Ok(())
    }

    /// The rows that take in some records.
    fn count(&self, from: u64, end: u64) -> Result<Vec<Put>, ReputationError> {
        let mut all = BTreeMap::<String, Totals>::new();
        let mut puts = Vec::new();
        for seq in from..end {
            let bytes = self.store.record(seq)?.ok_or(LedgerError::MissingRecord { seq })?;
            let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
            for (account, Share { sales, earned }) in shares_of(&record) {
                let key = format!("t/{account}");
                let totals = match all.get_mut(&key) {
                    Some(totals) => totals,
                    None => {
                        let before = self.read::<Totals>(&key)?.unwrap_or_default();
                        all.entry(key).or_insert(before)
                    }
                };
                let row = Row { kind: record.kind.clone(), earned, time_ms: record.time_ms };
                totals.add(&row, sales);
                puts.push(put(record_key(&account, seq), &row)?);
            }
        }
        for (key, totals) in all {
            puts.push(put(key, &totals)?);
        }
        puts.push(put(CURSOR.to_owned(), &end)?);
        Ok(puts)
    }

    fn read<T: serde::de::DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        let row = self.store.get(Collection::Reputation, key)?;
        row.map(|row| serde_json::from_slice(&row).map_err(bad_row)).transpose()
    }
}

/// What one account has of a record.
#[derive(Clone, Copy, Default)]
struct Share {
    /// Calls, tasks or transfers.
    sales: u64,
    earned: Millipence,
}

/// Who earned what by a record; calls below another one count like those at the
/// top.
fn shares_of(record: &Record) -> BTreeMap<String, Share> {
    let mut shares = BTreeMap::<String, Share>::new();
    let mut add = |account: String, earned: Millipence| {
        let share = shares.entry(account).or_default();
        share.sales += 1;
        share.earned = share.earned.checked_add(earned).unwrap_or(share.earned);
    };
    let nested = match Entry::read(&record.kind, &record.body) {
        Ok(Entry::Route(route)) => {
            add(route.owner, route.shares.developer);
            route.nested
        }
        Ok(Entry::Nested(costs)) => costs.nested,
        Ok(Entry::Earn(earn)) => {
            add(earn.account, earn.amount);
            Vec::new()
        }
        Ok(Entry::Transfer(transfer)) => {
            add(transfer.owner, transfer.shares.developer);
            Vec::new()
        }
        _ => Vec::new(),
    };
    // One that gave no answer stands there with nothing.
    for call in nested.into_iter().filter(|call| !call.gross.is_zero()) {
        add(call.owner, call.shares.developer);
    }
    shares
}

impl Totals {
    fn add(&mut self, row: &Row, sales: u64) {
        let count = match row.kind.as_str() {
            "route" | "nested" => &mut self.calls,
            "earn" => &mut self.tasks,
            _ => &mut self.transfers,
        };
        *count = count.saturating_add(sales);
        self.earned = self.earned.checked_add(row.earned).unwrap_or(self.earned);
        self.first_ms = self.first_ms.or(Some(row.time_ms));
        self.last_ms = Some(row.time_ms);
    }
}

impl Counted {
    /// The proof's path as hex.
    pub fn inclusion(&self) -> Vec<String> {
        self.proof.inclusion.iter().map(|HexHash(hash)| hex::encode(hash)).collect()
    }
}

fn record_key(account: &str, seq: u64) -> String {
    format!("r/{account}/{seq:020}")
}

fn put<T: Serialize>(key: String, value: &T) -> Result<Put, StoreError> {
    let value = Some(serde_json::to_vec(value).map_err(bad_row)?);
    Ok(Put { collection: Collection::Reputation, key, value, expect: Expect::Any })
}

fn bad_row(error: serde_json::Error) -> StoreError {
    StoreError { doing: "reading or writing the index of reputation", source: Box::new(error) }
}
