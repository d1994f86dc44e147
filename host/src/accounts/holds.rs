//! Earnings whose hold has ended become free to withdraw.
//!
//! Goes through the records in their order, as far as they are old enough, and
//! moves what they put on hold. How far it has come is a row that changes with
//! the record that moves the money, so nothing moves twice and nothing is
//! passed over.

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::ledger::{Entry, EntryError, LedgerAccount, LedgerError, Notary, Release, Released};
use crate::limits::{HELD_RECORDS_PER_STEP_MAX, RELEASED_PER_RECORD_MAX};
use crate::money::Millipence;
use crate::store::{Change, Collection, Expect, Hash, Put, Store, StoreError, SubmitError, Writer};

/// Row of `Collection::Meta`: every record below this number has been looked at.
const BELOW: &str = "holds_released_below";
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

pub struct Holds {
    pub store: Arc<dyn Store>,
    pub writer: Arc<Writer>,
    pub notary: Arc<Notary>,
    /// Days for which earnings stay pending.
    pub days: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum HoldsError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Write(#[from] SubmitError),
}

/// What one step has found.
struct Ripe {
    accounts: BTreeMap<String, Millipence>,
    /// Every record below this number has been looked at.
    below: u64,
}

impl Holds {
    /// Moves everything whose hold has ended by now; how many records were
    /// looked at.
    pub async fn release(&self, now_ms: u64) -> Result<u64, HoldsError> {
        let mut looked = 0;
        loop {
            let (from, row) = self.come_so_far()?;
            let ripe = self.gather(from, now_ms)?;
            if ripe.below == from {
                return Ok(looked);
            }
            looked += ripe.below - from;
            let put = Put {
                collection: Collection::Meta,
                key: BELOW.to_owned(),
                value: Some(ripe.below.to_string().into_bytes()),
                expect: row.map_or(Expect::Absent, Expect::Exactly),
            };
            let record = self.record(&ripe, now_ms)?;
            self.writer.submit(Change { puts: vec![put], record, ..Change::default() }).await?;
        }
    }

    fn come_so_far(&self) -> Result<(u64, Option<Vec<u8>>), HoldsError> {
        let row = self.store.get(Collection::Meta, BELOW)?;
        let below = row.as_deref().and_then(|row| std::str::from_utf8(row).ok()?.parse().ok()).unwrap_or(0);
        Ok((below, row))
    }

    fn gather(&self, from: u64, now_ms: u64) -> Result<Ripe, HoldsError> {
        let born_by = now_ms.saturating_sub(u64::from(self.days).saturating_mul(DAY_MS));
        let mut ripe = Ripe { accounts: BTreeMap::new(), below: from };
        while ripe.below - from < HELD_RECORDS_PER_STEP_MAX {
            let Some((_, record)) = self.notary.ledger().record(ripe.below)? else { break };
            if record.time_ms > born_by {
                break;
            }
            let held = record.postings.iter().filter(|leg| leg.amount > Millipence::ZERO);
            let held: Vec<_> = held.filter_map(|leg| Some((pending_of(&leg.account)?, leg.amount))).collect();
            let new = held.iter().filter(|(account, _)| !ripe.accounts.contains_key(account)).count();
            if ripe.accounts.len() + new > RELEASED_PER_RECORD_MAX {
                break;
            }
            for (account, amount) in held {
                let slot = ripe.accounts.entry(account).or_default();
                *slot = slot.checked_add(amount).unwrap_or(*slot);
            }
            ripe.below += 1;
        }
        Ok(ripe)
    }

    fn record(&self, ripe: &Ripe, now_ms: u64) -> Result<Option<crate::store::Draft>, HoldsError> {
        let mut accounts = Vec::new();
        for (account, amount) in &ripe.accounts {
            // Never more than is still there.
            let pending = self.store.balance(&LedgerAccount::DevPending(account.clone()).to_string())?;
            let amount = pending.min(*amount);
            if amount > Millipence::ZERO {
                accounts.push(Released { account: account.clone(), amount });
            }
        }
        if accounts.is_empty() {
            return Ok(None);
        }
        let tx: Hash = Sha256::new()
            .chain_update(b"tollbridge release v1")
            .chain_update(ripe.below.to_be_bytes())
            .finalize()
            .into();
        Ok(Some(Entry::Release(Release { accounts, below: ripe.below }).draft(tx, now_ms)?))
    }
}

/// The account whose earnings on hold a ledger account is.
fn pending_of(name: &str) -> Option<String> {
    match LedgerAccount::parse(name)? {
        LedgerAccount::DevPending(account) => Some(account),
        _ => None,
    }
}
