//! What earlier disputes took for, so that no spending is counted for two.
//!
//! Of a payer's own disputes their records tell. An intent whose money became
//! credit was spent by its account: so much of the account's spending as a
//! dispute of the intent took for is a row of `Collection::Refunds`, under
//! `spent/{account}/{dispute}`, written with the dispute and gone when it is won.

use std::collections::HashSet;

use super::spent::EarlierDispute;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::Payer;
use tollbridge_store::{Collection, Expect, Hash, Put, Store, StoreError};

const SPENT: &str = "spent/";
const PAGE: usize = 1_000;

/// The row of a dispute of an intent: how much of its account's spending it took
/// for, or that it does so no more.
pub(super) fn put(account: &str, dispute: &str, spent: Option<Millipence>) -> Put {
    Put {
        collection: Collection::Refunds,
        key: format!("{SPENT}{account}/{dispute}"),
        value: spent.map(|spent| spent.get().to_string().into_bytes()),
        expect: Expect::Any,
    }
}

/// What earlier disputes took of the spending of a payer that is gone through,
/// newest first: so is a dispute met before the spending that it is about.
pub(super) struct Claims<'a> {
    payer: &'a Payer,
    /// By the record that opened the dispute, the newest last.
    rows: Vec<(u64, i64)>,
    /// Disputes that have a row.
    known: HashSet<String>,
    won: HashSet<String>,
    /// Spending that is taken for.
    taken: i64,
}

impl<'a> Claims<'a> {
    /// `opened` gives the transaction that opens a dispute.
    pub(super) fn on(store: &dyn Store, payer: &'a Payer, opened: impl Fn(&str) -> Hash) -> Result<Self, StoreError> {
        let mut claims = Self { payer, rows: Vec::new(), known: HashSet::new(), won: HashSet::new(), taken: 0 };
        let Payer::Account(account) = payer else { return Ok(claims) };
        let prefix = format!("{SPENT}{account}/");
        let mut after = prefix.clone();
        loop {
            let rows = store.list(Collection::Refunds, &after, PAGE)?;
            let more = rows.len() == PAGE;
            let own = rows.iter().filter_map(|(key, value)| Some((key, key.strip_prefix(&prefix)?, value)));
            let before = claims.known.len();
            for (key, dispute, value) in own {
                after.clone_from(key);
                let amount = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()).unwrap_or(0_i64);
                claims.known.insert(dispute.to_owned());
                claims.rows.extend(store.seq_of_tx(&opened(dispute))?.map(|seq| (seq, amount)));
            }
            if !more || claims.known.len() == before {
                break;
            }
        }
        claims.rows.sort_unstable();
        Ok(claims)
    }

    /// The record of an earlier dispute.
    pub(super) fn meet(&mut self, dispute: &EarlierDispute) {
        if dispute.won {
            self.won.insert(dispute.id.clone());
        } else if !self.won.contains(&dispute.id) {
            self.taken = self.taken.saturating_add(self.taken_by(dispute));
        }
    }

    fn taken_by(&self, dispute: &EarlierDispute) -> i64 {
        match (self.payer, &dispute.credit) {
            (payer, _) if *payer == dispute.payer => dispute.lost,
            // Booked by a version that wrote no row: at most so much.
            (Payer::Account(own), Some((account, credit))) if own == account && !self.known.contains(&dispute.id) => {
                dispute.lost.saturating_sub(*credit)
            }
            _ => 0,
        }
    }

    /// How much of what record `seq` spent nobody has taken for.
    pub(super) fn leaves(&mut self, seq: u64, spent: i64) -> i64 {
        while let Some((_, amount)) = self.rows.pop_if(|(opened, _)| *opened > seq) {
            self.taken = self.taken.saturating_add(amount);
        }
        let taken = self.taken.min(spent);
        self.taken -= taken;
        spent - taken
    }
}

#[cfg(test)]
mod tests {
    use redb::backends::InMemoryBackend;

    use super::*;
    use tollbridge_ledger::{Chain, Entry, Grant};
    use tollbridge_store::{Change, RedbStore, Writer};

    fn store() -> (RedbStore, Payer) {
        (RedbStore::with_backend(InMemoryBackend::new()).unwrap(), Payer::Intent("i".to_owned()))
    }

    fn dispute(id: &str, payer: &Payer, won: bool, credit: Option<(&str, i64)>) -> EarlierDispute {
        let credit = credit.map(|(account, amount)| (account.to_owned(), amount));
        EarlierDispute { id: id.to_owned(), payer: payer.clone(), won, lost: 300, credit }
    }

    #[test]
    fn a_later_dispute_passes_over_what_an_earlier_one_took_for() {
        let (store, payer) = store();
        let mut claims = Claims::on(&store, &payer, |_| [0; 32]).unwrap();
        claims.meet(&dispute("dp_1", &Payer::Account("i".to_owned()), false, None));
        assert_eq!(claims.leaves(9, 50), 50, "of another payer");
        claims.meet(&dispute("dp_2", &payer, true, None));
        claims.meet(&dispute("dp_2", &payer, false, None));
        assert_eq!(claims.leaves(8, 50), 50, "it was won");
        claims.meet(&dispute("dp_1", &payer, false, None));
        assert_eq!([claims.leaves(7, 200), claims.leaves(6, 150), claims.leaves(5, 70)], [0, 50, 70]);
    }

    /// Disputes of intents that became credit of an account: those that left a row
    /// count by it, those of an earlier version by what their record shows.
    #[test]
    fn an_account_knows_what_was_taken_for_its_intents() {
        let (store, intent) = store();
        let store = std::sync::Arc::new(store);
        let failed = |why: String| panic!("{why}");
        let writer = Writer::start(store.clone(), Box::new(Chain::new()), failed).unwrap();
        let opened = |id: &str| [u8::try_from(id.len()).unwrap(); 32];
        // A record before them, so that something can have been spent.
        for id in ["55555", "1", "22", "333"] {
            // Whatever is sealed under that transaction.
            let grant = Entry::Grant(Grant { account: "x".to_owned(), amount: Millipence::new(1) });
            let record = Some(grant.draft(opened(id), 1).unwrap());
            let taken = ["1", "22"].contains(&id).then_some(Millipence::new(100));
            let puts = vec![put("a", id, taken), put("ab", id, Some(Millipence::new(7)))];
            writer.submit_blocking(Change { puts, record, ..Change::default() }).unwrap();
        }
        let payer = Payer::Account("a".to_owned());
        let mut claims = Claims::on(store.as_ref(), &payer, opened).unwrap();
        // Sealed as records 1 and 2; the third was won.
        assert_eq!(claims.leaves(3, 60), 60, "spent after both");
        assert_eq!(claims.leaves(1, 60), 0, "one took for a hundred that was spent before it");
        // Its record is met, and it has a row: it does not count twice.
        claims.meet(&dispute("22", &intent, false, Some(("a", 30))));
        assert_eq!(claims.leaves(0, 200), 200 - 40 - 100);
        // One without a row took for 270 at most.
        claims.meet(&dispute("4444", &intent, false, Some(("b", 30))));
        claims.meet(&dispute("4444", &intent, false, Some(("a", 30))));
        assert_eq!(claims.leaves(0, 500), 500 - 270);
    }
}
