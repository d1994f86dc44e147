//! What a payer spent, newest first. A dispute is tried again while calls draw on
//! the same money, and mostly finds the same: each record is read once.

use std::collections::HashMap;
use std::sync::Arc;

use super::claims::Claims;
use super::disputes::opened_tx;
use super::spent::{Seen, Spent};
use tollbridge_core::limits::DISPUTED_RECORDS_MAX;
use tollbridge_ledger::{LedgerError, Parties, PartiesError, Payer, Record};
use tollbridge_store::Store;

/// Records that are looked at between two looks into the index.
const PAGE: usize = 500;

/// The records of one payer.
pub(super) struct Trail {
    store: Arc<dyn Store>,
    parties: Arc<Parties>,
    payer: Payer,
    /// By number.
    seen: HashMap<u64, Seen>,
}

impl Trail {
    pub(super) fn new(store: Arc<dyn Store>, parties: Arc<Parties>, payer: Payer) -> Self {
        Self { store, parties, payer, seen: HashMap::new() }
    }

    pub(super) const fn payer(&self) -> &Payer {
        &self.payer
    }

    /// Records that were read.
    #[cfg(test)]
    pub(super) fn looked_at(&self) -> usize {
        self.seen.len()
    }

    /// Goes through what the payer spent in records from `since` on, until `lost`
    /// is found. `found` hears of each record, and how much of what it spent counts.
    pub(super) fn follow(
        &mut self,
        lost: i64,
        since: u64,
        mut found: impl FnMut(u64, &Spent, i64),
    ) -> Result<(), PartiesError> {
        let payer = self.payer.clone();
        let mut claims = Claims::on(self.store.as_ref(), &payer, opened_tx)?;
        let (mut left, mut below, mut looked) = (lost, None, 0);
        while left > 0 && looked < DISPUTED_RECORDS_MAX {
            let numbers = self.parties.newest(name_of(&payer), below, PAGE)?;
            for seq in &numbers {
                if left <= 0 || *seq < since {
                    return Ok(());
                }
                match self.read(*seq)? {
                    Seen::Dispute(dispute) => claims.meet(dispute),
                    Seen::Spent(spent) => {
                        let counts = claims.leaves(*seq, spent.amount).min(left);
                        if counts > 0 {
                            found(*seq, spent, counts);
                            left = left.saturating_sub(counts);
                        }
                    }
                    Seen::Nothing => {}
                }
            }
            looked += numbers.len();
            match numbers.last() {
                Some(last) => below = Some(*last),
                None => break,
            }
        }
        Ok(())
    }

    fn read(&mut self, seq: u64) -> Result<&Seen, PartiesError> {
        match self.seen.entry(seq) {
            std::collections::hash_map::Entry::Occupied(known) => Ok(known.into_mut()),
            std::collections::hash_map::Entry::Vacant(place) => {
                let bytes = self.store.record(seq)?.ok_or(LedgerError::MissingRecord { seq })?;
                let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
                Ok(place.insert(Seen::of(&record, &self.payer, name_of(&self.payer))))
            }
        }
    }
}

fn name_of(payer: &Payer) -> &str {
    match payer {
        Payer::Intent(party) | Payer::Account(party) | Payer::Task { account: party, .. } => party,
    }
}
