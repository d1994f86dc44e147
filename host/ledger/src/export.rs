//! The export: the whole ledger as lines that anyone can check.
//!
//! Invariants: a line is canonical JSON; records are embedded with their exact bytes; the
//! balances are those that the store held at the exported size, not recomputed ones, so
//! that checking the export checks the store.

use std::collections::BTreeSet;
use std::io::Write;

use serde_json::{Map, Value};
use tollbridge_core::money::Millipence;
use tollbridge_store::{Head, Store, StoreError};

use super::canonical_json;
use super::chain::Chain;
use super::error::LedgerError;
use super::ledger::Ledger;
use super::record::{Record, seal_of};
use super::records::Records;
use super::stored_checkpoint::{StoredCheckpoint, first_above, load};
use super::verify::{EXPORT_FORMAT, EXPORT_VERSION, Trust, VerificationFailure, VerificationReport, Verifier};
use crate::limits::EXPORT_KEYS_MAX;

/// Maximum number of times that an export tries to read the balances and the size of the
/// ledger without a record being sealed in between.
const EXPORT_SNAPSHOT_TRIES_MAX: u32 = 1_000;

/// The reason why an export failed, or a defect of the data folder.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum ExportError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("writing the export: {0}")]
    Write(#[from] std::io::Error),
    #[error("record {seq} is not valid UTF-8; restore the data folder from a backup")]
    NotText { seq: u64 },
    #[error("the ledger grows faster than its balances can be read; export it when the server is less busy")]
    Busy,
    #[error("more than {EXPORT_KEYS_MAX} keys have signed checkpoints")]
    TooManyKeys,
    #[error(transparent)]
    VerificationFailure(#[from] VerificationFailure),
    #[error("the index of {what} of record {seq} is wrong; the record itself is intact")]
    Index { seq: u64, what: &'static str },
}

impl From<StoreError> for ExportError {
    fn from(error: StoreError) -> Self {
        Self::Ledger(error.into())
    }
}

impl Ledger {
    /// Writes the export of all records on disk; returns the number of records.
    pub fn export(&self, out: &mut dyn Write) -> Result<u64, ExportError> {
        let mut emit = |line: &str| {
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n").map_err(ExportError::from)
        };
        let size = export_lines(self.store.as_ref(), &self.origin(), &mut emit)?;
        out.flush()?;
        Ok(size)
    }

    /// Checks the data folder: everything that `verify` checks in an export, and also the
    /// indexes and tree nodes, which an export does not contain.
    pub fn verify(&self, trust: &Trust) -> Result<VerificationReport, ExportError> {
        verify_store(self.store.as_ref(), &self.origin(), trust)
    }
}

/// Checks a store like `Ledger::verify`, but needs no signing key.
pub fn verify_store(store: &dyn Store, origin: &str, trust: &Trust) -> Result<VerificationReport, ExportError> {
    let mut verifier = Verifier::new(trust.clone());
    let size = export_lines(store, origin, &mut |line| Ok(verifier.line(line)?))?;
    let report = verifier.finish()?;
    check_indexes(store, size)?;
    Ok(report)
}

fn export_lines(
    store: &dyn Store,
    origin: &str,
    emit: &mut dyn FnMut(&str) -> Result<(), ExportError>,
) -> Result<u64, ExportError> {
    let (head, balances) = snapshot(store)?;
    let size = head.size;
    let Signed { keys, last } = signed(store, size)?;
    let keys = keys.into_iter().map(Value::from).collect::<Vec<_>>();
    emit(&line([
        ("format", Value::from(EXPORT_FORMAT)),
        ("keys", Value::from(keys)),
        ("origin", Value::from(origin)),
        ("size", Value::from(size)),
        ("v", Value::from(EXPORT_VERSION)),
    ]))?;
    let (mut next, mut checkpoints) = (first_above(store, None)?, 0_u64);
    for record in Records::new(store, 0..size) {
        let (seq, bytes) = record?;
        let text = String::from_utf8(bytes).map_err(|_| ExportError::NotText { seq })?;
        emit(&line([("record", Value::from(text))]))?;
        if next == Some(seq + 1) && seq < last {
            let note = load(store, seq + 1)?.signed.note().to_owned();
            emit(&line([("checkpoint", Value::from(note))]))?;
            checkpoints += 1;
            next = first_above(store, Some(seq + 1))?;
        }
    }
    let accounts = balances.len();
    for (account, amount) in balances {
        emit(&line([("account", Value::from(account)), ("millipence", Value::from(amount.get()))]))?;
    }
    let end = [
        ("accounts", Value::from(accounts)),
        ("checkpoints", Value::from(checkpoints)),
        ("records", Value::from(size)),
    ];
    emit(&line([("end", Value::Object(members(end)))]))?;
    Ok(size)
}

/// Reads the balances and the head of the ledger; repeats this if the server sealed
/// records in between.
fn snapshot(store: &dyn Store) -> Result<(Head, Vec<(String, Millipence)>), ExportError> {
    for _ in 0..EXPORT_SNAPSHOT_TRIES_MAX {
        let before = store.head()?;
        let mut balances = store.balances()?;
        if store.head()? == before {
            balances.retain(|(_, amount)| !amount.is_zero());
            return Ok((before, balances));
        }
    }
    Err(ExportError::Busy)
}

/// The checkpoints to export: those up to the size at which the export started. Later
/// ones may be signed by keys that the export's header does not list.
struct Signed {
    keys: BTreeSet<String>,
    /// Size of the last checkpoint; 0 if there is none.
    last: u64,
}

fn signed(store: &dyn Store, size: u64) -> Result<Signed, ExportError> {
    let mut signed = Signed { keys: BTreeSet::new(), last: 0 };
    while let Some(next) = first_above(store, Some(signed.last))?.filter(|next| *next <= size) {
        let StoredCheckpoint { key, .. } = load(store, next)?;
        signed.keys.insert(key.to_string());
        signed.last = next;
        if signed.keys.len() > EXPORT_KEYS_MAX {
            return Err(ExportError::TooManyKeys);
        }
    }
    Ok(signed)
}

/// Checks the indexes by seal and transaction, and the nodes of the tree.
fn check_indexes(store: &dyn Store, size: u64) -> Result<(), ExportError> {
    let mut chain = Chain::new();
    for record in Records::new(store, 0..size) {
        let (seq, bytes) = record?;
        let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
        if store.seq_of_seal(&seal_of(&bytes))? != Some(seq) {
            return Err(ExportError::Index { seq, what: "the seal" });
        }
        if store.seq_of_tx(&record.tx)? != Some(seq) {
            return Err(ExportError::Index { seq, what: "the transaction" });
        }
        let (_, nodes) = chain.append(&bytes, record.time_ms);
        for node in nodes {
            if store.node(node.level, node.index)? != Some(node.hash) {
                return Err(ExportError::Index { seq, what: "the tree" });
            }
        }
    }
    Ok(())
}

fn members<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn line<const N: usize>(pairs: [(&str, Value); N]) -> String {
    let mut out = Vec::with_capacity(2_048);
    canonical_json::object(&mut out, &members(pairs));
    // Always UTF-8: the canonicaliser copies text and adds only ASCII.
    String::from_utf8(out).unwrap_or_default()
}
