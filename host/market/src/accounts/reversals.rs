//! Returned transfers: the processor reports how much of a transfer has been returned so
//! far, and the part that is not yet booked is added to the account's balance again.
//!
//! Invariants: the booked total never exceeds the processor's figure or the withdrawn
//! amount; repeated or outdated reports change nothing.

use tollbridge_ledger::events;
use tollbridge_payment::ProcessorTransfer;
use tollbridge_payment::limits::{REVIEW_MS_MAX, REVIEWED_PER_ROUND_MAX};
use tollbridge_store::{Collection, Rows};

use super::transfer_step::{ReturnStep, after_return};
use super::withdrawal::{SettledRow, Withdrawal, WithdrawalState, open_key, own_key, settled_key, settled_put};
use super::withdrawals::{WithdrawError, Withdrawals};

impl Withdrawals {
    /// Handles the processor's report that money of a withdrawal's transfer was returned;
    /// `transfer` is the transfer's current state.
    pub async fn returned(&self, id: &str, transfer: &ProcessorTransfer, now_ms: u64) -> Result<(), WithdrawError> {
        let Some(mut row) = self.find(id)? else { return Ok(()) };
        if after_return(&row, transfer) == ReturnStep::LookUp {
            // The transfer is not confirmed, because the answer to its request was lost;
            // look up its outcome first.
            row = self.send(row, false, now_ms).await?;
            if !row.is_over() {
                return Err(WithdrawError::InProgress);
            }
        }
        loop {
            match self.record_return(row.clone(), transfer, now_ms).await {
                // A concurrent report or review changed the row first: record only what it
                // did not. If nothing changed, the refusal has another reason.
                Err(WithdrawError::InProgress) => match self.find(id)? {
                    Some(changed) if changed != row => row = changed,
                    _ => return Err(WithdrawError::InProgress),
                },
                done => return done.map(drop),
            }
        }
    }

    /// Restores the account's balance by the part of the transfer that was returned and
    /// is not booked yet.
    pub(super) async fn record_return(
        &self,
        before: Withdrawal,
        transfer: &ProcessorTransfer,
        now_ms: u64,
    ) -> Result<Withdrawal, WithdrawError> {
        let ReturnStep::Restore(part) = after_return(&before, transfer) else { return Ok(before) };
        let (after, record) = before.restored(part, now_ms)?;
        let is_whole = after.state == WithdrawalState::Returned;
        let mut puts = after.puts(Some(&before))?;
        if is_whole {
            puts.push(settled_put(&after.id, None)?);
        }
        let event = events::withdrawal_returned(&after.account, &after.id, part, is_whole, now_ms);
        self.change(puts, Some(record), vec![event]).await?;
        Ok(after)
    }

    /// Asks the processor whether some recently settled withdrawals were returned. If the
    /// processor does not answer, the withdrawal is checked again later.
    pub(super) async fn review_settled(&self, now_ms: u64) -> Result<(), WithdrawError> {
        let since_ms = |row: &SettledRow| Some(row.settled_ms);
        for due in self.reviews.due(&self.payouts.db, now_ms, REVIEWED_PER_ROUND_MAX, since_ms)? {
            let (id, settled) = (due.key.as_str(), due.row);
            let is_old = now_ms.saturating_sub(settled.settled_ms) > REVIEW_MS_MAX;
            let transfer = match self.payouts.processor.find_transfer(id).await {
                Ok(transfer) => transfer,
                Err(error) => {
                    tracing::warn!(withdrawal = id, %error, "could not look up whether a transfer was returned");
                    continue;
                }
            };
            if let (Some(transfer), Some(row)) = (transfer, self.row(&settled.account, id)?) {
                match self.record_return(row, &transfer, now_ms).await {
                    // `InProgress` means that a concurrent request has just booked the
                    // return.
                    Ok(_) | Err(WithdrawError::InProgress) => {}
                    Err(error) => return Err(error),
                }
            }
            if is_old {
                self.change(vec![settled_put(id, None)?], None, Vec::new()).await?;
            }
        }
        Ok(())
    }

    /// Finds a withdrawal by its id, without its account. For a withdrawal settled long
    /// ago this scans all rows.
    fn find(&self, id: &str) -> Result<Option<Withdrawal>, WithdrawError> {
        let db = &self.payouts.db;
        if let Some(account) = db.get(Collection::Withdrawals, &open_key(id))? {
            return self.row(&String::from_utf8_lossy(&account), id);
        }
        if let Some(row) = db.get(Collection::Withdrawals, &settled_key(id))? {
            let settled: SettledRow = serde_json::from_slice(&row)?;
            return self.row(&settled.account, id);
        }
        let suffix = format!("/{id}");
        let own = own_key("", "");
        for row in Rows::of(db.store(), Collection::Withdrawals).with_prefix(own.trim_end_matches('/')) {
            let (key, value) = row?;
            if key.ends_with(&suffix) {
                return Ok(serde_json::from_slice(&value).map(Some)?);
            }
        }
        Ok(None)
    }
}
