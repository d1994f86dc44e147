//! Earnings on hold, as far as disputes and the end of holds must agree on them.
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

/// What owners earned of `lost`, the part of a payer's money that is spent, and
/// still have on hold, in records from a number on; the newest spending first.
/// Blocks.
pub(super) fn held_of(
    store: &dyn Store,
    parties: &Parties,
    payer: &Payer,
    lost: Millipence,
    from: u64,
) -> Result<Vec<Released>, PartiesError> {
    let (name, paying) = (party_of(payer), payer.ledger_account().to_string());
    let (mut held, mut left) = (BTreeMap::<String, i64>::new(), lost.get());
    let (mut below, mut looked) = (None, 0);
    'all: while left > 0 && looked < DISPUTED_RECORDS_MAX {
        let numbers = parties.newest(name, below, PAGE)?;
        for seq in &numbers {
            if left <= 0 || *seq < from {
                break 'all;
            }
            let bytes = store.record(*seq)?.ok_or(PartiesError::Missing { seq: *seq })?;
            let record = Record::parse(&bytes).map_err(|source| PartiesError::Record { seq: *seq, source })?;
            left = left.saturating_sub(earned_of(&record, &paying, name, left, &mut held));
        }
        looked += numbers.len();
        match numbers.last() {
            Some(last) => below = Some(*last),
            None => break,
        }
    }
    let mut held: Vec<(String, i64)> = held.into_iter().filter(|(_, amount)| *amount > 0).collect();
    for (account, amount) in &mut held {
        let pending = store.balance(&LedgerAccount::DevPending(account.clone()).to_string())?;
        *amount = pending.get().min(*amount);
    }
    held.retain(|(_, amount)| *amount > 0);
    // The most first, where there are more owners than a record has room for.
    held.sort_unstable_by_key(|(_, amount)| std::cmp::Reverse(*amount));
    held.truncate(DISPUTED_OWNERS_MAX);
    held.sort_unstable();
    Ok(held.into_iter().map(|(account, amount)| Released { account, amount: Millipence::new(amount) }).collect())
}

/// Adds what a record put on hold of at most `left` of the payer's money; how
/// much of that money it spent.
fn earned_of(record: &Record, paying: &str, name: &str, left: i64, held: &mut BTreeMap<String, i64>) -> i64 {
    let queued = record.body.get("payer").and_then(|payer| payer.get("task")?.get("account")?.as_str()) == Some(name);
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
    for (account, amount) in earned {
        // A part of what was spent is a part of what it earned; less than a
        // millipence stays with the owner.
        let part = i128::from(amount) * i128::from(counts) / i128::from(spent);
        let slot = held.entry(account).or_default();
        *slot = slot.saturating_add(i64::try_from(part).unwrap_or(0));
    }
    counts
}

fn party_of(payer: &Payer) -> &str {
    match payer {
        Payer::Intent(party) | Payer::Account(party) | Payer::Task { account: party, .. } => party,
    }
}
