//! Sources that cover a dispute before the remainder becomes a loss: the credit that the
//! payment became, and the earnings on hold that the payer's spending produced.
//!
//! Invariants: at most the lost amount and at most the available amount is taken; each
//! spending is claimed once, however many disputes concern it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tollbridge_core::money::Millipence;
use tollbridge_ledger::limits::DISPUTED_OWNERS_MAX;
use tollbridge_ledger::{LedgerAccount, Parties, PartiesError, Payer, Released};
use tollbridge_store::Store;

use super::super::earnings_release::HoldReleaseCursor;
use super::payer_event::PayerSpending;
use super::payer_history::PayerHistory;

/// Sources that cover the spent part of a disputed payment.
#[derive(Default)]
pub(super) struct RecoverySources {
    /// Unspent part of the credit that the payment became.
    pub(super) credit: Option<Released>,
    /// Earnings that other accounts received from the payment's spending and that are
    /// still on hold.
    pub(super) held: Vec<Released>,
    /// Spent part of the credit that the payment became.
    pub(super) spent_credit: Option<Released>,
}

/// The part of a dispute that the payment's unspent money does not cover.
pub(super) struct Shortfall {
    /// The spent part of the disputed amount.
    pub(super) lost: Millipence,
    /// Credit of the intent's account, read before the index of parties is updated.
    /// Spending recorded after that read may be missing from the index, so it must still
    /// count as unspent credit.
    pub(super) credit: Millipence,
    /// Number of the first record that can have spent the payment.
    pub(super) since: u64,
}

/// The search for the sources that cover a dispute. A repeated search reuses the records
/// that it has already read.
pub(super) struct RecoverySearch {
    store: Arc<dyn Store>,
    parties: Arc<Parties>,
    payer: PayerHistory,
    /// History of the account whose credit the payment became.
    account: Option<PayerHistory>,
}

/// Money of an intent that became credit of its account.
struct ConvertedCredit {
    account: String,
    amount: i64,
    /// The first record that converted money.
    seq: u64,
}

impl RecoverySearch {
    pub(super) fn new(store: &Arc<dyn Store>, parties: &Arc<Parties>, payer: Payer) -> Self {
        let history = PayerHistory::new(store.clone(), parties.clone(), payer);
        Self { store: store.clone(), parties: parties.clone(), payer: history, account: None }
    }

    /// Returns the sources that cover a shortfall, claiming the newest spending first.
    /// Blocks.
    pub(super) fn sources(&mut self, shortfall: Shortfall) -> Result<RecoverySources, PartiesError> {
        let Shortfall { lost, credit, since } = shortfall;
        // Earnings in records below this number are already released to their owners.
        let on_hold_from = HoldReleaseCursor::read(self.store.as_ref())?.released_below;
        let (mut earned, mut converted) = (BTreeMap::new(), None);
        // An account's spending can be recovered only from earnings, so records whose
        // earnings are already released need no search. An intent may have become credit
        // long ago, so all of its records are searched.
        let since = match self.payer.payer() {
            Payer::Account(_) | Payer::Task { .. } => since.max(on_hold_from),
            Payer::Intent(_) => since,
        };
        self.payer.claim(lost.get(), since, |seq, spending, claimed| match spending.credited_account() {
            Some(account) => add_converted(&mut converted, account, seq, claimed),
            None if seq >= on_hold_from => add_earnings(&mut earned, spending, claimed),
            None => {}
        })?;
        let mut sources = RecoverySources::default();
        if let Some(ConvertedCredit { account, amount, seq }) = converted {
            let unspent = credit.get().clamp(0, amount);
            let spent = amount.saturating_sub(unspent);
            if spent > 0 {
                // The account's spending of that credit produced earnings too.
                let payer = Payer::Account(account.clone());
                let new_history = || PayerHistory::new(self.store.clone(), self.parties.clone(), payer);
                let history = self.account.get_or_insert_with(new_history);
                let since = seq.max(on_hold_from);
                history.claim(spent, since, |_, spending, claimed| add_earnings(&mut earned, spending, claimed))?;
            }
            let part = |amount: i64| Released { account: account.clone(), amount: Millipence::new(amount) };
            sources.credit = (unspent > 0).then(|| part(unspent));
            sources.spent_credit = Some(part(spent));
        }
        sources.held = self.still_on_hold(earned)?;
        Ok(sources)
    }

    /// Returns the part of the earnings that is still on hold.
    fn still_on_hold(&self, earned: BTreeMap<String, i64>) -> Result<Vec<Released>, PartiesError> {
        let mut held = Vec::new();
        for (account, amount) in earned {
            let pending = self.store.balance(&LedgerAccount::DevPending(account.clone()).to_string())?;
            let amount = pending.min(Millipence::new(amount));
            if amount > Millipence::ZERO {
                held.push(Released { account, amount });
            }
        }
        // If there are more owners than fit into a record, keep the largest amounts.
        held.sort_unstable_by_key(|one| std::cmp::Reverse(one.amount));
        held.truncate(DISPUTED_OWNERS_MAX);
        held.sort_unstable_by(|one, other| one.account.cmp(&other.account));
        Ok(held)
    }
}

/// Adds `claimed` to the converted credit. All conversions of an intent go to the same
/// account. Records are read newest first, so the last call sets `seq` to the oldest
/// conversion.
fn add_converted(converted: &mut Option<ConvertedCredit>, account: &str, seq: u64, claimed: i64) {
    let before = converted.take().map_or(0, |before| before.amount);
    *converted = Some(ConvertedCredit { account: account.to_owned(), amount: before.saturating_add(claimed), seq });
}

fn add_earnings(earned: &mut BTreeMap<String, i64>, spending: &PayerSpending, claimed: i64) {
    for (account, share) in spending.earnings_share(claimed) {
        let sum = earned.entry(account.to_owned()).or_default();
        *sum = sum.saturating_add(share);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollbridge_ledger::{Chain, Earnings, Entry, Purpose, RecordedShares, TestCredit, Transfer};
    use tollbridge_store::{Change, Db, RedbStore, Writer};

    fn transfer(payer: &str, owner: &str) -> Entry {
        let [gross, developer, platform, treasury] = [100, 80, 18, 2].map(Millipence::new);
        Entry::Transfer(Transfer {
            purpose: Purpose::A2a,
            account: payer.to_owned(),
            from_agent: None,
            agent: "agent".to_owned(),
            owner: owner.to_owned(),
            earnings: Earnings::Pending,
            gross,
            shares: RecordedShares { developer, platform, treasury },
            policy: [0; 32],
            salt: [1; 16],
            request_sha256: [2; 32],
        })
    }

    fn shortfall(lost: i64) -> Shortfall {
        Shortfall { lost: Millipence::new(lost), credit: Millipence::ZERO, since: 0 }
    }

    /// Tests that only records with earnings still on hold are read, each once, however
    /// much an account spent and however often a dispute is retried.
    #[test]
    fn earnings_that_were_released_are_not_read() {
        let store = Arc::new(RedbStore::in_memory().unwrap());
        let failed = |why: String| panic!("{why}");
        let writer = Arc::new(Writer::start(store.clone(), Box::new(Chain::new()), None, failed).unwrap());
        let mut tx = 0_u8;
        let mut seal = |entry: &Entry| {
            tx += 1;
            let record = Some(entry.draft([tx; 32], 1).unwrap());
            writer.submit_blocking(Change { record, ..Change::default() }).unwrap();
        };
        seal(&Entry::Grant(TestCredit { account: "a".to_owned(), amount: Millipence::new(100_000) }));
        (0..60).for_each(|_| seal(&transfer("a", "o")));
        let cursor = HoldReleaseCursor::read(store.as_ref()).unwrap().put(41);
        writer.submit_blocking(Change { puts: vec![cursor], ..Change::default() }).unwrap();
        let store: Arc<dyn Store> = store;
        let parties = Arc::new(Parties::new(Db::new(store.clone(), writer.clone())));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(parties.up_to_date()).unwrap();
        let mut search = RecoverySearch::new(&store, &parties, Payer::Account("a".to_owned()));
        for _ in 0..2 {
            let sources = search.sources(shortfall(90_000)).unwrap();
            let held = Released { account: "o".to_owned(), amount: Millipence::new(20 * 80) };
            assert_eq!((sources.held, sources.credit, sources.spent_credit), (vec![held], None, None));
            assert_eq!(search.payer.records_read(), 20);
        }
        // Spending between two attempts is found, and no record is read twice.
        seal(&transfer("a", "p"));
        runtime.block_on(parties.up_to_date()).unwrap();
        let sources = search.sources(shortfall(150)).unwrap();
        let held: Vec<_> = sources.held.iter().map(|one| (one.account.as_str(), one.amount.get())).collect();
        assert_eq!((held, search.payer.records_read()), (vec![("o", 40), ("p", 80)], 21));
    }
}
