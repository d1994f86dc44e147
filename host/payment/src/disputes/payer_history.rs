//! The spending of a payer, newest first. A dispute is retried while calls spend the same
//! money, and the attempts need mostly the same records, so records are cached after the
//! first read.

use std::collections::HashMap;
use std::sync::Arc;

use tollbridge_ledger::{LedgerError, Parties, PartiesError, Payer, Record};
use tollbridge_store::Store;

use super::earlier_claims::EarlierClaims;
use super::payer_event::{PayerEvent, PayerSpending};
use super::tx::dispute_opened_tx;

/// Maximum number of a payer's records that a dispute searches for earnings on hold.
const DISPUTED_RECORDS_MAX: usize = 20_000;

/// Number of records requested per query of the index of parties.
const PAGE: usize = 500;

/// The records of one payer.
pub(super) struct PayerHistory {
    store: Arc<dyn Store>,
    parties: Arc<Parties>,
    payer: Payer,
    /// Effects of the records read so far, by record number.
    events: HashMap<u64, PayerEvent>,
}

impl PayerHistory {
    pub(super) fn new(store: Arc<dyn Store>, parties: Arc<Parties>, payer: Payer) -> Self {
        Self { store, parties, payer, events: HashMap::new() }
    }

    pub(super) const fn payer(&self) -> &Payer {
        &self.payer
    }

    /// Returns the number of records read.
    #[cfg(test)]
    pub(super) fn records_read(&self) -> usize {
        self.events.len()
    }

    /// Claims the payer's spending, newest first and back to record `since`, until `lost`
    /// is covered. `on_claim` receives the number of each record, its spending, and the
    /// claimed part.
    pub(super) fn claim(
        &mut self,
        lost: i64,
        since: u64,
        mut on_claim: impl FnMut(u64, &PayerSpending, i64),
    ) -> Result<(), PartiesError> {
        let payer = self.payer.clone();
        let mut claims = EarlierClaims::load(self.store.as_ref(), &payer, dispute_opened_tx)?;
        let (mut left, mut below, mut records) = (lost, None, 0);
        while left > 0 && records < DISPUTED_RECORDS_MAX {
            let numbers = self.parties.newest(party_of(&payer), below, PAGE)?;
            for seq in &numbers {
                if left <= 0 || *seq < since {
                    return Ok(());
                }
                match self.read(*seq)? {
                    PayerEvent::Dispute(dispute) => claims.add_dispute(dispute),
                    PayerEvent::Spending(spending) => {
                        let claimed = claims.unclaimed(*seq, spending.amount).min(left);
                        if claimed > 0 {
                            on_claim(*seq, spending, claimed);
                            left = left.saturating_sub(claimed);
                        }
                    }
                    PayerEvent::Unrelated => {}
                }
            }
            records += numbers.len();
            match numbers.last() {
                Some(last) => below = Some(*last),
                None => break,
            }
        }
        Ok(())
    }

    fn read(&mut self, seq: u64) -> Result<&PayerEvent, PartiesError> {
        match self.events.entry(seq) {
            std::collections::hash_map::Entry::Occupied(known) => Ok(known.into_mut()),
            std::collections::hash_map::Entry::Vacant(place) => {
                let bytes = self.store.record(seq)?.ok_or(LedgerError::MissingRecord { seq })?;
                let record = Record::parse(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
                Ok(place.insert(PayerEvent::of(&record, &self.payer, party_of(&self.payer))))
            }
        }
    }
}

fn party_of(payer: &Payer) -> &str {
    match payer {
        Payer::Intent(party) | Payer::Account(party) | Payer::Task { account: party, .. } => party,
    }
}
