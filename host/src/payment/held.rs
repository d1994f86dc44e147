//! Who bears a dispute before it is a loss: the credit that a payment became, and
//! earnings on hold, as far as disputes and the end of holds must agree on them.
//!
//! Earnings are set free in the order of the records that brought them. When a
//! dispute takes some away, the same amount of what would be set free next is
//! passed over: a row says how much for each account.
//!
//! Invariants: what is pending of an account is what records brought that were
//! not looked at yet, less what is to be passed over; what is taken for a dispute
//! is never more than is lost; a later dispute of a payer does not take for the
//! same spending again.

use std::collections::{BTreeMap, HashSet};

use crate::ledger::{DisputeStage, Entry, LedgerAccount, Parties, PartiesError, Payer, Record, Released};
use crate::limits::{DISPUTED_OWNERS_MAX, DISPUTED_RECORDS_MAX};
use crate::money::Millipence;
use crate::store::{Collection, Expect, Put, Store, StoreError};

/// Row of `Collection::Meta`: every record below this number has been looked at.
const BELOW: &str = "holds_released_below";
/// Before the account in rows of `Collection::Refunds`.
const PASSED: &str = "taken/";
/// Records that are looked at between two looks into the index.
const PAGE: usize = 500;
/// The kind of record that turns an intent's money into credit.
const TOPUP: &str = "topup";
/// The kind of record that takes money back.
const DISPUTE: &str = "dispute";

/// How far the records have been gone through whose hold has ended.
pub struct HoldsPlace {
    pub below: u64,
    row: Option<Vec<u8>>,
}

impl HoldsPlace {
    pub fn read(store: &dyn Store) -> Result<Self, StoreError> {
        let row = store.get(Collection::Meta, BELOW)?;
        let below = row.as_deref().and_then(|row| std::str::from_utf8(row).ok()?.parse().ok()).unwrap_or(0);
        Ok(Self { below, row })
    }

    /// Moves the place on, or only says that it must still be where it was.
    pub fn put(&self, below: u64) -> Put {
        let value = match (&self.row, below == self.below) {
            (row, true) => row.clone(),
            (_, false) => Some(below.to_string().into_bytes()),
        };
        let expect = self.row.clone().map_or(Expect::Absent, Expect::Exactly);
        Put { collection: Collection::Meta, key: BELOW.to_owned(), value, expect }
    }
}

/// How much of what an account will be set free next is passed over.
pub struct PassedOver {
    key: String,
    row: Option<Vec<u8>>,
    pub amount: Millipence,
}

impl PassedOver {
    pub fn read(store: &dyn Store, account: &str) -> Result<Self, StoreError> {
        let key = format!("{PASSED}{account}");
        let row = store.get(Collection::Refunds, &key)?;
        let amount = row.as_deref().and_then(|row| std::str::from_utf8(row).ok()?.parse().ok()).unwrap_or(0);
        Ok(Self { key, row, amount: Millipence::new(amount) })
    }

    /// Makes it another amount; refused if somebody else did first.
    pub fn put(&self, amount: Millipence) -> Put {
        let value = (!amount.is_zero()).then(|| amount.get().to_string().into_bytes());
        let expect = self.row.clone().map_or(Expect::Absent, Expect::Exactly);
        Put { collection: Collection::Refunds, key: self.key.clone(), value, expect }
    }
}

/// Who bears the part of a disputed payment that is spent, before it is a loss.
pub(super) struct Bearers {
    /// Credit that the payment became and that is still there.
    pub credit: Option<Released>,
    /// Earnings on hold.
    pub held: Vec<Released>,
}

/// Who bears `lost`, the part of a payer's money that is spent, in records from
/// `since` on; the newest spending first. `there` is the credit of the intent's
/// account before the index was brought up to date: what is spent after that is
/// not found, so it must not be missing from the credit either. Blocks.
pub(super) fn bearers_of(
    store: &dyn Store,
    parties: &Parties,
    payer: &Payer,
    (lost, there): (Millipence, Millipence),
    since: u64,
) -> Result<Bearers, PartiesError> {
    let on_hold_from = HoldsPlace::read(store)?.below;
    let mut search = Search { store, parties, on_hold_from, held: BTreeMap::new(), credited: None };
    search.spending_of(payer, lost, since)?;
    let credit = match search.credited.take() {
        Some(credited) => search.credit_of(credited, there)?,
        None => None,
    };
    Ok(Bearers { credit, held: search.on_hold()? })
}

/// A walk through what was done with a payment.
struct Search<'a> {
    store: &'a dyn Store,
    parties: &'a Parties,
    /// Earnings of records before this one are not on hold any more.
    on_hold_from: u64,
    /// What owners earned, by account.
    held: BTreeMap<String, i64>,
    credited: Option<Credited>,
}

/// Money of an intent that was turned into credit of its account.
struct Credited {
    account: String,
    amount: i64,
    /// The first record that did so.
    seq: u64,
}

impl Search<'_> {
    /// Goes through what a payer spent, newest first, until `lost` is found.
    fn spending_of(&mut self, payer: &Payer, lost: Millipence, since: u64) -> Result<(), PartiesError> {
        let (name, paying) = (party_of(payer), payer.ledger_account().to_string());
        let (mut left, mut below, mut looked) = (lost.get(), None, 0);
        let mut earlier = Earlier::default();
        while left > 0 && looked < DISPUTED_RECORDS_MAX {
            let numbers = self.parties.newest(name, below, PAGE)?;
            for seq in &numbers {
                if left <= 0 || *seq < since {
                    return Ok(());
                }
                let bytes = self.store.record(*seq)?.ok_or(PartiesError::Missing { seq: *seq })?;
                let record = Record::parse(&bytes).map_err(|source| PartiesError::Record { seq: *seq, source })?;
                if record.kind == DISPUTE {
                    earlier.meet(&record, payer);
                    continue;
                }
                let spent = spent_of(&record, &paying, name);
                let counts = earlier.leaves(spent).min(left);
                if counts > 0 {
                    self.take(&record, counts);
                    left = left.saturating_sub(counts);
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

    /// Finds who got `counts` of what a record spent.
    fn take(&mut self, record: &Record, counts: i64) {
        if record.kind == TOPUP {
            self.take_credit(record, counts);
        } else if record.seq >= self.on_hold_from {
            self.take_earned(record, counts);
        }
    }

    fn take_credit(&mut self, record: &Record, counts: i64) {
        let to = record.postings.iter().find_map(|leg| match LedgerAccount::parse(&leg.account) {
            Some(LedgerAccount::Credit(account)) => Some(account),
            _ => None,
        });
        let Some(account) = to else { return };
        // An intent belongs to one account for life.
        let before = self.credited.take().map_or(0, |before| before.amount);
        self.credited = Some(Credited { account, amount: before.saturating_add(counts), seq: record.seq });
    }

    /// What is left of money that became credit; what was spent of it meanwhile
    /// was earned by somebody, too.
    fn credit_of(&mut self, credited: Credited, there: Millipence) -> Result<Option<Released>, PartiesError> {
        let Credited { account, amount, seq } = credited;
        let unspent = there.get().clamp(0, amount);
        let spent = Millipence::new(amount.saturating_sub(unspent));
        if !spent.is_zero() {
            self.spending_of(&Payer::Account(account.clone()), spent, seq)?;
        }
        let amount = Millipence::new(unspent);
        Ok((!amount.is_zero()).then_some(Released { account, amount }))
    }

    /// What was found of earnings, as far as it is still on hold.
    fn on_hold(self) -> Result<Vec<Released>, PartiesError> {
        let mut held = Vec::new();
        for (account, amount) in self.held {
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

    fn take_earned(&mut self, record: &Record, counts: i64) {
        for (account, part) in earned_with(record, counts) {
            let slot = self.held.entry(account).or_default();
            *slot = slot.saturating_add(part);
        }
    }
}

/// What a record earned with `counts` of all that was paid for it, by account.
/// Others may have paid, too: the owner of a plugin pays what its price does not
/// cover. In all no more than `counts`.
fn earned_with(record: &Record, counts: i64) -> Vec<(String, i64)> {
    let paid = record.postings.iter().filter(|leg| leg.amount.is_negative()).map(|leg| leg.amount.get());
    let paid = paid.fold(0_i64, i64::saturating_add).saturating_neg().max(1);
    let earned = record.postings.iter().filter(|leg| leg.amount > Millipence::ZERO);
    earned
        .filter_map(|leg| match LedgerAccount::parse(&leg.account) {
            // Less than a millipence stays with the owner.
            Some(LedgerAccount::DevPending(account)) => {
                let part = i128::from(leg.amount.get()) * i128::from(counts) / i128::from(paid);
                Some((account, i64::try_from(part).unwrap_or(0)))
            }
            _ => None,
        })
        .collect()
}

/// What earlier disputes of a payer took for already. Records are met newest
/// first, so a dispute before the spending that it is about.
#[derive(Default)]
struct Earlier {
    won: HashSet<String>,
    /// Spending, newest first, that is taken for.
    taken: i64,
}

impl Earlier {
    fn meet(&mut self, record: &Record, payer: &Payer) {
        let Ok(Entry::Dispute(dispute)) = Entry::read(&record.kind, &record.body) else { return };
        if dispute.payer != *payer {
            return;
        }
        if dispute.stage == DisputeStage::Won {
            self.won.insert(dispute.dispute);
        } else if !self.won.contains(&dispute.dispute) {
            let lost = dispute.amount.get().saturating_sub(dispute.recovered.get());
            self.taken = self.taken.saturating_add(lost);
        }
    }

    /// How much of what was spent nobody has taken for.
    fn leaves(&mut self, spent: i64) -> i64 {
        let taken = self.taken.min(spent);
        self.taken -= taken;
        spent - taken
    }
}

/// How much of a payer's money a record spent on others or turned into credit.
fn spent_of(record: &Record, paying: &str, name: &str) -> i64 {
    let task = record.body.get("payer").and_then(|payer| payer.get("task")?.get("account")?.as_str());
    let queued = task == Some(name);
    let pays = |account: &str| account == paying || (queued && account.starts_with("held:"));
    let earns = |account: &str| match LedgerAccount::parse(account) {
        Some(LedgerAccount::DevPending(_)) => true,
        Some(LedgerAccount::Credit(_)) => record.kind == TOPUP,
        _ => false,
    };
    if !record.postings.iter().any(|leg| leg.amount > Millipence::ZERO && earns(&leg.account)) {
        return 0;
    }
    let spent = record.postings.iter().filter(|leg| pays(&leg.account)).map(|leg| leg.amount.get());
    spent.fold(0_i64, i64::saturating_add).saturating_neg().max(0)
}

fn party_of(payer: &Payer) -> &str {
    match payer {
        Payer::Intent(party) | Payer::Account(party) | Payer::Task { account: party, .. } => party,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::ledger::Leg;

    fn record(kind: &str, postings: &[(&str, i64)], body: Value) -> Record {
        let leg =
            |(account, amount): &(&str, i64)| Leg { account: (*account).to_owned(), amount: Millipence::new(*amount) };
        let body: Map<String, Value> = body.as_object().cloned().unwrap_or_default();
        let postings = postings.iter().map(leg).collect();
        Record { seq: 7, kind: kind.to_owned(), tx: [1; 32], time_ms: 1, postings, prev: [0; 32], body }
    }

    /// An agent of 100 that called a plugin of 500: its owner paid the rest.
    const DEARER_BELOW: [(&str, i64); 4] =
        [("unearned:i", -100), ("credit:owner", -400), ("dev:y:pending", 450), ("platform", 50)];

    #[test]
    fn nobody_gives_back_more_than_the_payer_paid() {
        let route = record("route", &DEARER_BELOW, json!({}));
        assert_eq!(spent_of(&route, "unearned:i", "i"), 100);
        assert_eq!(earned_with(&route, 100), [("y".to_owned(), 90)]);
        assert_eq!(earned_with(&route, 10), [("y".to_owned(), 9)]);
        let owner = spent_of(&route, "credit:owner", "owner");
        assert_eq!(owner, 400);
        assert_eq!(earned_with(&route, owner), [("y".to_owned(), 360)]);
    }

    #[test]
    fn a_later_dispute_passes_over_what_an_earlier_one_took_for() {
        let payer = Payer::Intent("i".to_owned());
        let body = |id: &str, stage: &str| {
            json!({"amount_millipence": 400, "dispute": id, "payer": {"intent": "i"},
                "recovered_millipence": 100, "stage": stage})
        };
        let mut earlier = Earlier::default();
        earlier.meet(&record("dispute", &[], body("dp_1", "opened")), &Payer::Account("i".to_owned()));
        assert_eq!(earlier.leaves(50), 50, "of another payer");
        earlier.meet(&record("dispute", &[], body("dp_2", "won")), &payer);
        earlier.meet(&record("dispute", &[], body("dp_2", "opened")), &payer);
        assert_eq!(earlier.leaves(50), 50, "it was won");
        earlier.meet(&record("dispute", &[], body("dp_1", "opened")), &payer);
        assert_eq!([earlier.leaves(200), earlier.leaves(150), earlier.leaves(70)], [0, 50, 70]);
    }
}
