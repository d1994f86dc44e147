//! Releases earnings for withdrawal when their hold period ends.
//!
//! Reads the ledger's records in order, up to those whose hold period has not ended, and
//! releases the earnings that they put on hold. The row with the position reached (the
//! cursor) is written together with the record that moves the money, so no earnings are
//! released twice or skipped. Amounts that a dispute clawed back during the hold are not
//! released (`payment/earnings_release.rs`).
//!
//! Not a `LedgerIndexer`: an index can be deleted and rebuilt, but this service moves
//! money, so each step is sealed as a record.

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::DAY_MS;
use tollbridge_ledger::limits::RELEASED_PER_RECORD_MAX;
use tollbridge_ledger::{Entry, EntryError, LedgerAccount, LedgerError, Notary, RecordSummary, Release, Released};
use tollbridge_payment::{ClawbackOffset, HoldReleaseCursor};
use tollbridge_store::{Change, Db, Draft, Hash, Put, Refusal, StoreError, SubmitError};

/// Maximum number of records that one step of releasing earnings reads, which takes about
/// a tenth of a second.
const HELD_RECORDS_PER_STEP_MAX: u64 = 10_000;

/// Maximum number of attempts at a step that conflicts with concurrent disputes.
const TRIES: usize = 16;

/// The service that releases earnings whose hold period has ended.
pub struct HoldReleaser {
    /// Handle on the data folder.
    pub db: Db,
    /// Notary that seals records.
    pub notary: Arc<Notary>,
    /// Length of the hold period in days.
    pub days: u32,
}

/// The reason earnings could not be released.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum HoldReleaseError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Write(#[from] SubmitError),
}

/// Earnings that one step can release.
struct ReleasableEarnings {
    accounts: BTreeMap<String, Millipence>,
    /// The new cursor: every record below this number has been processed.
    below: u64,
}

impl HoldReleaser {
    /// Releases all earnings whose hold period has ended at `now_ms`; returns the number
    /// of records processed.
    pub async fn release(&self, now_ms: u64) -> Result<u64, HoldReleaseError> {
        let (mut looked, mut refused) = (0, 0);
        loop {
            let place = HoldReleaseCursor::read(self.db.store())?;
            let ripe = self.gather(place.released_below, now_ms)?;
            if ripe.below == place.released_below {
                return Ok(looked);
            }
            let (mut puts, record) = self.record(&ripe, now_ms)?;
            puts.push(place.put(ripe.below));
            match self.db.submit(Change { puts, record, ..Change::default() }).await {
                Ok(_) => looked += ripe.below - place.released_below,
                Err(SubmitError::Refused(Refusal::Unexpected { .. })) if refused < TRIES => refused += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn gather(&self, from: u64, now_ms: u64) -> Result<ReleasableEarnings, HoldReleaseError> {
        let born_by = now_ms.saturating_sub(u64::from(self.days).saturating_mul(DAY_MS));
        let mut ripe = ReleasableEarnings { accounts: BTreeMap::new(), below: from };
        let end = self.db.head()?.size.min(from.saturating_add(HELD_RECORDS_PER_STEP_MAX));
        for record in self.notary.ledger().records(from..end) {
            let (seq, bytes) = record?;
            let record = RecordSummary::of(&bytes).map_err(|source| LedgerError::Record { seq, source })?;
            // Records are ordered by time, so the hold period of all later ones has not
            // ended either.
            if record.time_ms > born_by {
                break;
            }
            let held = record.postings.iter().filter(|leg| leg.amount > Millipence::ZERO);
            let held: Vec<_> = held.filter_map(|leg| Some((pending_of(leg.account)?, leg.amount))).collect();
            let new = held.iter().filter(|(account, _)| !ripe.accounts.contains_key(account)).count();
            if ripe.accounts.len() + new > RELEASED_PER_RECORD_MAX {
                break;
            }
            for (account, amount) in held {
                let slot = ripe.accounts.entry(account).or_default();
                *slot = slot.checked_add(amount).unwrap_or(*slot);
            }
            ripe.below = seq.saturating_add(1);
        }
        Ok(ripe)
    }

    /// Builds the record that releases earnings, and the row changes that update the
    /// clawback offsets (the amounts that disputes have already clawed back).
    fn record(&self, ripe: &ReleasableEarnings, now_ms: u64) -> Result<(Vec<Put>, Option<Draft>), HoldReleaseError> {
        let (mut accounts, mut puts) = (Vec::new(), Vec::new());
        for (account, amount) in &ripe.accounts {
            let passed = ClawbackOffset::read(self.db.store(), account)?;
            let over = passed.amount.min(*amount);
            // Write the offset's row even if it stays zero: the write fails if a
            // concurrent dispute changed the row.
            puts.push(passed.put(passed.amount.checked_sub(over).unwrap_or_default()));
            let amount = amount.checked_sub(over).unwrap_or_default();
            // Never release more than the pending balance.
            let pending = self.db.balance(&LedgerAccount::DevPending(account.clone()).to_string())?;
            let amount = pending.min(amount);
            if amount > Millipence::ZERO {
                accounts.push(Released { account: account.clone(), amount });
            }
        }
        if accounts.is_empty() {
            return Ok((puts, None));
        }
        // The id depends only on the position, so that the same records cannot be released
        // twice.
        let tx: Hash = Sha256::new()
            .chain_update(b"tollbridge release v1")
            .chain_update(ripe.below.to_be_bytes())
            .finalize()
            .into();
        let record = Entry::Release(Release { accounts, below: ripe.below }).draft(tx, now_ms)?;
        Ok((puts, Some(record)))
    }
}

/// Returns the id of the account whose pending earnings are held in the ledger account
/// `name`.
fn pending_of(name: &str) -> Option<String> {
    match LedgerAccount::parse(name)? {
        LedgerAccount::DevPending(account) => Some(account),
        _ => None,
    }
}
