//! The parts of a record that an indexer reads: kind, time and postings. The body is
//! skipped unless the indexer requests it.
//!
//! Invariant: used only for records that this server sealed. They were canonical when
//! sealed and are not checked again. A verifier reads a [`Record`](super::record::Record)
//! instead.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::value::RawValue;
use tollbridge_core::money::Millipence;

use super::bodies::Payer;
use super::record::{RecordError, parties};

/// The kind, time and postings of a record.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordSummary<'r> {
    /// Kind of the record.
    pub kind: &'r str,
    /// Unix time in milliseconds.
    pub time_ms: u64,
    /// The amounts that the record moves.
    #[serde(borrow)]
    pub postings: Vec<PostingSummary<'r>>,
    body: &'r RawValue,
}

/// A posting of a record.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct PostingSummary<'r> {
    /// Name of the ledger account.
    pub account: &'r str,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
}

impl<'r> RecordSummary<'r> {
    /// Parses the bytes of a record, except the body.
    pub fn of(record: &'r [u8]) -> Result<Self, RecordError> {
        serde_json::from_slice(record).map_err(malformed)
    }

    /// Returns the same parties as `Record::parties`.
    pub(super) fn parties(&self) -> Result<BTreeSet<String>, RecordError> {
        #[derive(Deserialize)]
        struct Body<'r> {
            account: Option<&'r str>,
            owner: Option<&'r str>,
            intent: Option<&'r str>,
            payer: Option<Payer>,
        }
        let Body { account, owner, intent, payer } = self.body()?;
        let paying = match &payer {
            Some(Payer::Intent(party) | Payer::Account(party) | Payer::Task { account: party, .. }) => {
                Some(party.as_str())
            }
            None => None,
        };
        let named = [account, owner, intent, paying].into_iter().flatten();
        Ok(parties(self.postings.iter().map(|moved| moved.account), named))
    }

    /// Parses the members of the body that `T` declares.
    pub fn body<T: Deserialize<'r>>(&self) -> Result<T, RecordError> {
        serde_json::from_str(self.body.get()).map_err(malformed)
    }
}

fn malformed(error: serde_json::Error) -> RecordError {
    RecordError::Malformed(error.to_string())
}
