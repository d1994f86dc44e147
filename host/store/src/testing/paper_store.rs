//! A store on paper, as part of a state that a model checker compares and hashes.
//!
//! It refuses what [`Model`] refuses, and tests hold the engine against that.

use std::collections::{BTreeMap, BTreeSet};

use super::model::Model;
use crate::change::{Change, Refusal};
use crate::collection::Collection;
use crate::engine::{Store, StoreError};
use crate::sealer::Sealer;
use crate::sealing::{Draft, Hash, SealedRecord};

/// What decides about the next change: rows, balances and which transactions
/// are sealed. The order of the records is left out, so that two ways to the
/// same place are one state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PaperStore {
    rows: BTreeMap<(&'static str, String), Vec<u8>>,
    balances: BTreeMap<String, i64>,
    transactions: BTreeSet<Hash>,
}

/// Records on paper have no place in a chain.
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
    /// One change, whole or not at all.
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

    /// The bytes of a row.
    pub fn get(&self, collection: Collection, key: &str) -> Option<&[u8]> {
        self.rows.get(&(collection.name(), key.to_owned())).map(Vec::as_slice)
    }

    /// The balance of a ledger account.
    pub fn balance(&self, account: &str) -> i64 {
        self.balances.get(account).copied().unwrap_or(0)
    }

    /// Whether a transaction is sealed.
    pub fn is_sealed(&self, tx: &Hash) -> bool {
        self.transactions.contains(tx)
    }
}
