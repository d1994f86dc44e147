//! Spending claimed by earlier disputes, so that no dispute claims it again.
//!
//! A payer's own disputes are found in the payer's records. If an intent's money became
//! credit, the account spent it: the part of the account's spending that a dispute of the
//! intent claimed is stored in `Collection::Refunds`, under `spent/{account}/{dispute}`.
//! The row is written with the dispute and removed when the dispute is won.

use std::collections::{HashMap, HashSet};

use tollbridge_core::money::Millipence;
use tollbridge_ledger::{DisputeStage, Payer};
use tollbridge_store::{Collection, Expect, Hash, Put, Rows, Store, StoreError};

use super::payer_event::EarlierDispute;

const CLAIMED: &str = "spent/";

/// Returns the write of the row that stores how much of an account's spending an intent's
/// dispute claims; `None` removes the row.
pub(super) fn put(account: &str, dispute: &str, claimed: Option<Millipence>) -> Put {
    Put {
        collection: Collection::Refunds,
        key: format!("{CLAIMED}{account}/{dispute}"),
        value: claimed.map(|claimed| claimed.get().to_string().into_bytes()),
        expect: Expect::Any,
    }
}

/// Claims of earlier disputes on one payer's spending. Records are read newest first, so
/// each dispute is read before the spending that it claims.
pub(super) struct EarlierClaims<'a> {
    payer: &'a Payer,
    /// One entry per row: the number of the record that opened the dispute, and the
    /// claimed amount. Sorted with the newest last.
    rows: Vec<(u64, i64)>,
    /// Ids of the disputes that have a row.
    with_row: HashSet<String>,
    won: HashSet<String>,
    /// By dispute id, the amount by which a failed refund reduced the dispute's claim.
    relieved: HashMap<String, i64>,
    /// Amount claimed by disputes read so far and not yet matched with spending.
    unmatched: i64,
}

impl<'a> EarlierClaims<'a> {
    /// Loads the stored claims on a payer's spending. `opened_tx` returns the id of the
    /// transaction that opens a dispute.
    pub(super) fn load(
        store: &dyn Store,
        payer: &'a Payer,
        opened_tx: impl Fn(&str) -> Hash,
    ) -> Result<Self, StoreError> {
        let mut claims = Self {
            payer,
            rows: Vec::new(),
            with_row: HashSet::new(),
            won: HashSet::new(),
            relieved: HashMap::new(),
            unmatched: 0,
        };
        let Payer::Account(account) = payer else { return Ok(claims) };
        let prefix = format!("{CLAIMED}{account}/");
        for row in Rows::of(store, Collection::Refunds).with_prefix(prefix.as_str()) {
            let (key, value) = row?;
            let dispute = key.strip_prefix(&prefix).unwrap_or_default();
            let amount = std::str::from_utf8(&value).ok().and_then(|text| text.parse().ok()).unwrap_or(0_i64);
            claims.with_row.insert(dispute.to_owned());
            claims.rows.extend(store.seq_of_tx(&opened_tx(dispute))?.map(|seq| (seq, amount)));
        }
        claims.rows.sort_unstable();
        Ok(claims)
    }

    /// Adds the claim of an earlier dispute, given by its record.
    pub(super) fn add_dispute(&mut self, dispute: &EarlierDispute) {
        match dispute.stage {
            DisputeStage::Won => drop(self.won.insert(dispute.id.clone())),
            DisputeStage::Relieved => {
                let sum = self.relieved.entry(dispute.id.clone()).or_default();
                *sum = sum.saturating_add(dispute.lost);
            }
            DisputeStage::Opened if self.won.contains(&dispute.id) => {}
            DisputeStage::Opened => {
                let relieved = self.relieved.remove(&dispute.id).unwrap_or(0);
                let claimed = self.claimed_by(dispute).saturating_sub(relieved).max(0);
                self.unmatched = self.unmatched.saturating_add(claimed);
            }
        }
    }

    fn claimed_by(&self, dispute: &EarlierDispute) -> i64 {
        match (self.payer, &dispute.credit) {
            (payer, _) if *payer == dispute.payer => dispute.lost,
            // An earlier version recorded this dispute and wrote no row: the claim is at
            // most this amount.
            (Payer::Account(payer), Some((account, credit)))
                if payer == account && !self.with_row.contains(&dispute.id) =>
            {
                dispute.lost.saturating_sub(*credit)
            }
            _ => 0,
        }
    }

    /// Returns the part of the spending `spent` in record `seq` that no earlier dispute
    /// claims.
    pub(super) fn unclaimed(&mut self, seq: u64, spent: i64) -> i64 {
        while let Some((_, amount)) = self.rows.pop_if(|(opened, _)| *opened > seq) {
            self.unmatched = self.unmatched.saturating_add(amount);
        }
        let claimed = self.unmatched.min(spent);
        self.unmatched -= claimed;
        spent - claimed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollbridge_ledger::{Chain, Entry, TestCredit};
    use tollbridge_store::{Change, RedbStore, Writer};

    fn store() -> (RedbStore, Payer) {
        (RedbStore::in_memory().unwrap(), Payer::Intent("i".to_owned()))
    }

    fn dispute(id: &str, payer: &Payer, won: bool, credit: Option<(&str, i64)>) -> EarlierDispute {
        let stage = if won { DisputeStage::Won } else { DisputeStage::Opened };
        let credit = credit.map(|(account, amount)| (account.to_owned(), amount));
        EarlierDispute { id: id.to_owned(), payer: payer.clone(), stage, lost: 300, credit }
    }

    #[test]
    fn a_later_dispute_does_not_claim_what_an_earlier_one_has_claimed() {
        let (store, payer) = store();
        let mut claims = EarlierClaims::load(&store, &payer, |_| [0; 32]).unwrap();
        claims.add_dispute(&dispute("dp_1", &Payer::Account("i".to_owned()), false, None));
        assert_eq!(claims.unclaimed(9, 50), 50, "a dispute of another payer was counted");
        claims.add_dispute(&dispute("dp_2", &payer, true, None));
        claims.add_dispute(&dispute("dp_2", &payer, false, None));
        assert_eq!(claims.unclaimed(8, 50), 50, "a dispute that was won was counted");
        claims.add_dispute(&dispute("dp_1", &payer, false, None));
        assert_eq!([claims.unclaimed(7, 200), claims.unclaimed(6, 150), claims.unclaimed(5, 70)], [0, 50, 70]);
        // Failed refunds reduced the claim of `dp_3` (300) twice, by 150 and by 100, so
        // it claims 50.
        for lost in [150, 100] {
            let stage = DisputeStage::Relieved;
            claims.add_dispute(&EarlierDispute { stage, lost, ..dispute("dp_3", &payer, false, None) });
        }
        claims.add_dispute(&dispute("dp_3", &payer, false, None));
        assert_eq!([claims.unclaimed(4, 40), claims.unclaimed(3, 40)], [0, 30]);
    }

    /// Tests disputes of intents whose money became an account's credit. A dispute with a
    /// row claims the amount in the row. A dispute recorded by an earlier version has no
    /// row and claims the amount in its record.
    #[test]
    fn claims_of_an_accounts_intents_count_by_row_or_by_record() {
        let (store, intent) = store();
        let store = std::sync::Arc::new(store);
        let failed = |why: String| panic!("{why}");
        let writer = Writer::start(store.clone(), Box::new(Chain::new()), None, failed).unwrap();
        let opened = |id: &str| [u8::try_from(id.len()).unwrap(); 32];
        // A record before the disputes, so that earlier spending is possible.
        for id in ["55555", "1", "22", "333"] {
            // The test needs only the transaction id, so any kind of record will do.
            let grant = Entry::Grant(TestCredit { account: "x".to_owned(), amount: Millipence::new(1) });
            let record = Some(grant.draft(opened(id), 1).unwrap());
            let claimed = ["1", "22"].contains(&id).then_some(Millipence::new(100));
            let puts = vec![put("a", id, claimed), put("ab", id, Some(Millipence::new(7)))];
            writer.submit_blocking(Change { puts, record, ..Change::default() }).unwrap();
        }
        let payer = Payer::Account("a".to_owned());
        let mut claims = EarlierClaims::load(store.as_ref(), &payer, opened).unwrap();
        // Records 1 and 2 opened the disputes `1` and `22`, which claim 100 each. Dispute
        // `333` was won, so it has no row.
        assert_eq!(claims.unclaimed(3, 60), 60, "spending after both disputes must not be claimed");
        assert_eq!(claims.unclaimed(1, 60), 0, "dispute `22` must claim all of the spending before it");
        // A dispute with both a record and a row does not count twice.
        claims.add_dispute(&dispute("22", &intent, false, Some(("a", 30))));
        assert_eq!(claims.unclaimed(0, 200), 200 - 40 - 100);
        // Without a row, a dispute claims at most its lost 300 minus the 30 taken from credit.
        claims.add_dispute(&dispute("4444", &intent, false, Some(("b", 30))));
        claims.add_dispute(&dispute("4444", &intent, false, Some(("a", 30))));
        assert_eq!(claims.unclaimed(0, 500), 500 - 270);
    }
}
