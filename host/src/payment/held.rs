//! Who bears a dispute before it is a loss: the credit that a payment became, and
//! earnings on hold, as far as disputes and the end of holds must agree on them.
//!
//! Earnings are set free in the order of the records that brought them. When a
//! dispute takes some away, the same amount of what would be set free next is
//! passed over: a row says how much for each account.
//!
//! Invariant: what is pending of an account is what records brought that were
//! not looked at yet, less what is to be passed over.

use std::collections::BTreeMap;

use crate::ledger::{LedgerAccount, Parties, PartiesError, Payer, Record, Released};
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
/// `since` on; the newest spending first. Blocks.
pub(super) fn bearers_of(
    store: &dyn Store,
    parties: &Parties,
    payer: &Payer,
    lost: Millipence,
    since: u64,
) -> Result<Bearers, PartiesError> {
    let on_hold_from = HoldsPlace::read(store)?.below;
    let mut search = Search { store, parties, on_hold_from, held: BTreeMap::new(), credited: None };
    search.spending_of(payer, lost, since)?;
    let credit = match search.credited.take() {
        Some(credited) => search.credit_of(credited)?,
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
        while left > 0 && looked < DISPUTED_RECORDS_MAX {
            let numbers = self.parties.newest(name, below, PAGE)?;
            for seq in &numbers {
                if left <= 0 || *seq < since {
                    return Ok(());
                }
                let bytes = self.store.record(*seq)?.ok_or(PartiesError::Missing { seq: *seq })?;
                let record = Record::parse(&bytes).map_err(|source| PartiesError::Record { seq: *seq, source })?;
                let credited = self.take_credit(&record, &paying, left);
                let spent = if credited > 0 { credited } else { self.take_earned(&record, &paying, name, left) };
                left = left.saturating_sub(spent);
            }
            looked += numbers.len();
            match numbers.last() {
                Some(last) => below = Some(*last),
                None => break,
            }
        }
        Ok(())
    }

    /// How much of at most `left` of the payer's money a record turned into
    /// credit.
    fn take_credit(&mut self, record: &Record, paying: &str, left: i64) -> i64 {
        if record.kind != TOPUP {
            return 0;
        }
        let from = record.postings.iter().find(|leg| leg.account == paying);
        let to = record.postings.iter().find_map(|leg| match LedgerAccount::parse(&leg.account) {
            Some(LedgerAccount::Credit(account)) => Some(account),
            _ => None,
        });
        let (Some(from), Some(account)) = (from, to) else { return 0 };
        let amount = from.amount.get().saturating_neg().clamp(0, left);
        // An intent belongs to one account for life.
        let before = self.credited.take().map_or(0, |before| before.amount);
        self.credited = Some(Credited { account, amount: before.saturating_add(amount), seq: record.seq });
        amount
    }

    /// What is left of money that became credit; what was spent of it meanwhile
    /// was earned by somebody, too.
    fn credit_of(&mut self, credited: Credited) -> Result<Option<Released>, PartiesError> {
        let Credited { account, amount, seq } = credited;
        let there = self.store.balance(&LedgerAccount::Credit(account.clone()).to_string())?;
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

    /// Adds what a record earned for others of at most `left` of the payer's
    /// money; how much of that money it spent.
    fn take_earned(&mut self, record: &Record, paying: &str, name: &str, left: i64) -> i64 {
        let task = record.body.get("payer").and_then(|payer| payer.get("task")?.get("account")?.as_str());
        let queued = task == Some(name);
        let pays = |account: &str| account == paying || (queued && account.starts_with("held:"));
        let spent = record.postings.iter().filter(|leg| pays(&leg.account)).map(|leg| leg.amount.get());
        let spent = spent.sum::<i64>().saturating_neg();
        let earned = record.postings.iter().filter(|leg| leg.amount > Millipence::ZERO);
        let earned: Vec<(String, i64)> = earned
            .filter_map(|leg| match LedgerAccount::parse(&leg.account) {
                Some(LedgerAccount::DevPending(account)) => Some((account, leg.amount.get())),
                _ => None,
            })
            .collect();
        if spent <= 0 || earned.is_empty() {
            return 0;
        }
        let counts = spent.min(left);
        for (account, amount) in earned.into_iter().filter(|_| record.seq >= self.on_hold_from) {
            // A part of what was spent is a part of what it earned; less than a
            // millipence stays with the owner.
            let part = i128::from(amount) * i128::from(counts) / i128::from(spent);
            let slot = self.held.entry(account).or_default();
            *slot = slot.saturating_add(i64::try_from(part).unwrap_or(0));
        }
        counts
    }
}

fn party_of(payer: &Payer) -> &str {
    match payer {
        Payer::Intent(party) | Payer::Account(party) | Payer::Task { account: party, .. } => party,
    }
}
