//! Reads the public ledger as `docs/ledger-format.md` describes it, without the
//! host's code.

use std::collections::BTreeMap;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tollbridge_store::Store;

/// One record of the ledger.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) seal: String,
    pub(crate) kind: String,
    pub(crate) body: Value,
    pub(crate) postings: Vec<(String, i64)>,
}

/// The records of the ledger, and the errors found in their chain.
#[derive(Default)]
pub(crate) struct LedgerReader {
    pub(crate) lines: Vec<Line>,
    pub(crate) problems: Vec<String>,
}

impl LedgerReader {
    pub(crate) fn read(store: &dyn Store) -> Self {
        let mut reader = Self::default();
        let mut prev = "0".repeat(64);
        let size = store.head().map_or(0, |head| head.size);
        for seq in 0..size {
            let Ok(Some(bytes)) = store.record(seq) else {
                reader.problems.push(format!("record {seq} is missing"));
                break;
            };
            let record: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            if record["seq"] != seq || record["prev"] != prev {
                reader.problems.push(format!("record {seq} is not in the chain"));
            }
            prev = hex::encode(Sha256::digest(&bytes));
            let legs = record["postings"].as_array().cloned().unwrap_or_default();
            let postings: Vec<(String, i64)> = legs
                .iter()
                .map(|leg| (text(&leg["account"]), leg["amount_millipence"].as_i64().unwrap_or(0)))
                .collect();
            if postings.iter().map(|(_, amount)| amount).sum::<i64>() != 0 {
                reader.problems.push(format!("the postings of record {seq} do not sum to zero"));
            }
            let (kind, body) = (text(&record["kind"]), record["body"].clone());
            reader.lines.push(Line { seal: prev.clone(), kind, body, postings });
        }
        reader
    }

    /// Returns the account balances, computed from the records.
    pub(crate) fn balances(&self) -> BTreeMap<String, i64> {
        let mut balances = BTreeMap::new();
        for (account, amount) in self.lines.iter().flat_map(|line| &line.postings) {
            *balances.entry(account.clone()).or_default() += amount;
        }
        balances.retain(|_, amount: &mut i64| *amount != 0);
        balances
    }

    pub(crate) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Line> {
        self.lines.iter().filter(move |line| line.kind == kind)
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
