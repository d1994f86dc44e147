//! Who bears a dispute before it is a loss: the credit that a payment became, and
//! the earnings on hold of those on whom it was spent.
//!
//! Invariants: what is taken is never more than is lost, nor more than is there;
//! what was spent is taken for once, whatever was disputed of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::held::HoldReleaseCursor;
use super::spent::Spent;
use super::trail::Trail;
use tollbridge_core::limits::DISPUTED_OWNERS_MAX;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{LedgerAccount, Parties, PartiesError, Payer, Released};
use tollbridge_store::Store;

/// Who bears the part of a disputed payment that is spent, before it is a loss.
#[derive(Default)]
pub(super) struct Bearers {
    /// Credit that the payment became and that is still there.
    pub credit: Option<Released>,
    /// Earnings on hold.
    pub held: Vec<Released>,
    /// What was spent of the credit that it became, by that account.
    pub spent: Option<Released>,
}

/// Looks for who bears a dispute, as often as it takes.
pub(super) struct Search {
    store: Arc<dyn Store>,
    parties: Arc<Parties>,
    payer: Trail,
    /// Of the account whose credit the payment became.
    account: Option<Trail>,
}

/// Money of an intent that was turned into credit of its account.
struct Credited {
    account: String,
    amount: i64,
    /// The first record that did so.
    seq: u64,
}

impl Search {
    pub(super) fn new(store: &Arc<dyn Store>, parties: &Arc<Parties>, payer: Payer) -> Self {
        let trail = Trail::new(store.clone(), parties.clone(), payer);
        Self { store: store.clone(), parties: parties.clone(), payer: trail, account: None }
    }

    /// Who bears `lost`, the part of a payer's money that is spent, in records from
    /// `since` on; the newest spending first. `there` is the credit of the intent's
    /// account before the index was brought up to date: what is spent after that is
    /// not found, so it must not be missing from the credit either. Blocks.
    pub(super) fn bearers(
        &mut self,
        (lost, there): (Millipence, Millipence),
        since: u64,
    ) -> Result<Bearers, PartiesError> {
        // Earnings of earlier records are not on hold any more.
        let on_hold_from = HoldReleaseCursor::read(self.store.as_ref())?.below;
        let (mut held, mut credited) = (BTreeMap::new(), None);
        // An account spends on earnings only; an intent may have become credit long ago.
        let since = match self.payer.payer() {
            Payer::Account(_) | Payer::Task { .. } => since.max(on_hold_from),
            Payer::Intent(_) => since,
        };
        self.payer.follow(lost.get(), since, |seq, spent, counts| match spent.credited() {
            Some(account) => credit(&mut credited, account, seq, counts),
            None if seq >= on_hold_from => earn(&mut held, spent, counts),
            None => {}
        })?;
        let mut bearers = Bearers::default();
        if let Some(Credited { account, amount, seq }) = credited {
            let unspent = there.get().clamp(0, amount);
            let spent = amount.saturating_sub(unspent);
            if spent > 0 {
                // What was spent of it meanwhile was earned by somebody, too.
                let payer = Payer::Account(account.clone());
                let trail = || Trail::new(self.store.clone(), self.parties.clone(), payer);
                let since = seq.max(on_hold_from);
                let trail = self.account.get_or_insert_with(trail);
                trail.follow(spent, since, |_, spent, counts| earn(&mut held, spent, counts))?;
            }
            let of = |amount: i64| Released { account: account.clone(), amount: Millipence::new(amount) };
            bearers.credit = (unspent > 0).then(|| of(unspent));
            bearers.spent = Some(of(spent));
        }
        bearers.held = self.on_hold(held)?;
        Ok(bearers)
    }

    /// What was found of earnings, as far as it is still on hold.
    fn on_hold(&self, found: BTreeMap<String, i64>) -> Result<Vec<Released>, PartiesError> {
        let mut held = Vec::new();
        for (account, amount) in found {
            let pending = self.store.balance(&LedgerAccount::DevPending(account.clone()).to_string())?;
            let amount = pending.min(Millipence::new(amount));
            if amount > Millipence::ZERO {
                held.push(Released { account, amount });
            }
        }
        // The most first, where there are more owners than a record has room for.
        held.sort_unstable_by_key(|one| std::cmp::Reverse(one.amount));
        held.truncate(DISPUTED_OWNERS_MAX);
        held.sort_unstable_by(|one, other| one.account.cmp(&other.account));
        Ok(held)
    }
}

/// An intent belongs to one account for life; met newest first.
fn credit(credited: &mut Option<Credited>, account: &str, seq: u64, counts: i64) {
    let before = credited.take().map_or(0, |before| before.amount);
    *credited = Some(Credited { account: account.to_owned(), amount: before.saturating_add(counts), seq });
}

fn earn(held: &mut BTreeMap<String, i64>, spent: &Spent, counts: i64) {
    for (account, part) in spent.earned_with(counts) {
        let slot = held.entry(account.to_owned()).or_default();
        *slot = slot.saturating_add(part);
    }
}

#[cfg(test)]
mod tests {
    use redb::backends::InMemoryBackend;

    use super::*;
    use tollbridge_ledger::{Chain, Earnings, Entry, Grant, Purpose, RecordedShares, Transfer};
    use tollbridge_store::{Change, RedbStore, Writer};

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

    /// However much an account spent, only what is still on hold is looked at, and
    /// each record once, however often a dispute is tried.
    #[test]
    fn what_is_not_on_hold_any_more_is_not_looked_at() {
        let store = Arc::new(RedbStore::with_backend(InMemoryBackend::new()).unwrap());
        let failed = |why: String| panic!("{why}");
        let writer = Arc::new(Writer::start(store.clone(), Box::new(Chain::new()), failed).unwrap());
        let mut tx = 0_u8;
        let mut seal = |entry: &Entry| {
            tx += 1;
            let record = Some(entry.draft([tx; 32], 1).unwrap());
            writer.submit_blocking(Change { record, ..Change::default() }).unwrap();
        };
        seal(&Entry::Grant(Grant { account: "a".to_owned(), amount: Millipence::new(100_000) }));
        (0..60).for_each(|_| seal(&transfer("a", "o")));
        let place = HoldReleaseCursor::read(store.as_ref()).unwrap().put(41);
        writer.submit_blocking(Change { puts: vec![place], ..Change::default() }).unwrap();
        let store: Arc<dyn Store> = store;
        let parties = Arc::new(Parties::new(store.clone(), writer.clone()));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(parties.up_to_date()).unwrap();
        let mut search = Search::new(&store, &parties, Payer::Account("a".to_owned()));
        for _ in 0..2 {
            let found = search.bearers((Millipence::new(90_000), Millipence::ZERO), 0).unwrap();
            let held = Released { account: "o".to_owned(), amount: Millipence::new(20 * 80) };
            assert_eq!((found.held, found.credit, found.spent), (vec![held], None, None));
            assert_eq!(search.payer.looked_at(), 20);
        }
        // What comes in between two tries is found, and nothing else is read again.
        seal(&transfer("a", "p"));
        runtime.block_on(parties.up_to_date()).unwrap();
        let found = search.bearers((Millipence::new(150), Millipence::ZERO), 0).unwrap();
        let held: Vec<_> = found.held.iter().map(|one| (one.account.as_str(), one.amount.get())).collect();
        assert_eq!((held, search.payer.looked_at()), (vec![("o", 40), ("p", 80)], 21));
    }
}
