//! A minimal store whose states a model checker can compare and hash.
//!
//! It refuses the same changes as [`Model`], the reference with which tests compare the
//! engine.

use std::collections::{BTreeMap, BTreeSet};

use super::model::Model;
use crate::change::{Change, Refusal};
use crate::collection::Collection;
use crate::engine::{Sealer, Store, StoreError};
use crate::sealing::{Draft, Hash, SealedRecord};

/// The state on which later changes depend: rows, balances and the set of sealed
/// transactions. Omits the order of the records, so that two paths to the same state are
/// equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PaperStore {
    rows: BTreeMap<(&'static str, String), Vec<u8>>,
    balances: BTreeMap<String, i64>,
    transactions: BTreeSet<Hash>,
}

/// A sealer that gives records no position in a chain.
struct NoChain;

impl Sealer for NoChain {
    fn seal(&mut self, _: &Draft) -> SealedRecord {
        SealedRecord { seq: 0, seal: [0; 32], bytes: Vec::new(), nodes: Vec::new() }
    }

    fn resume_from(&mut self, _: &dyn Store) -> Result<(), StoreError> {
        Ok(())
    }
}

impl PaperStore {
    /// Applies one change completely or not at all.
    pub fn commit(&mut self, change: &Change) -> Result<(), Refusal> {
        let mut model = Model {
            rows: self.rows.clone(),
            balances: self.balances.clone(),
            records: self.transactions.iter().map(|tx| (*tx, [0; 32], Vec::new())).collect(),
            ..Model::default()
        };
        model.apply(change, &mut NoChain)?;
        (self.rows, self.balances) = (model.rows, model.balances);
        self.transactions.extend(change.record.iter().map(|draft| draft.tx));
        Ok(())
    }

    /// Returns the bytes of a row.
    pub fn get(&self, collection: Collection, key: &str) -> Option<&[u8]> {
        self.rows.get(&(collection.name(), key.to_owned())).map(Vec::as_slice)
    }

    /// Returns the balance of a ledger account.
    pub fn balance(&self, account: &str) -> i64 {
        self.balances.get(account).copied().unwrap_or(0)
    }

    /// Returns whether a transaction is sealed.
    pub fn is_sealed(&self, tx: &Hash) -> bool {
        self.transactions.contains(tx)
    }
}
