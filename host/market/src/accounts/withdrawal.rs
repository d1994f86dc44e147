//! Withdrawals as stored in rows, and the ledger records that they create.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, EntryError, Withdraw, WithdrawStage};
use tollbridge_store::{Collection, Draft, Expect, Hash, Put};

/// A withdrawal; a row of `Collection::Withdrawals` under `own/<account>/<id>`. While the
/// withdrawal is pending, a second row `open/<id>` contains its account.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Withdrawal {
    /// `wd_` and hexadecimal digits; ids of later withdrawals sort before earlier ones.
    pub id: String,
    /// Account id.
    pub account: String,
    /// Withdrawn amount, in whole pence.
    pub amount: Millipence,
    /// The processor's id of the payout account.
    pub destination: String,
    /// Time of the request, Unix milliseconds.
    pub created_ms: u64,
    /// Unix milliseconds at which the first request to the processor was due; restarts
    /// when the operator releases the withdrawal.
    pub due_ms: u64,
    /// Current state.
    pub state: WithdrawalState,
    /// The processor's id of the transfer.
    pub reference: Option<String>,
    /// Time at which the withdrawal was finished, Unix milliseconds.
    pub ended_ms: Option<u64>,
    /// Amount that was returned after the withdrawal was settled.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub returned: Millipence,
}

/// A recently settled withdrawal, which may still be returned; a row of
/// `Collection::Withdrawals` under `paid/<id>`.
#[derive(Serialize, Deserialize)]
pub(super) struct SettledRow {
    pub(super) account: String,
    /// Time of the settlement, Unix milliseconds.
    pub(super) settled_ms: u64,
}

/// The state of a withdrawal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum WithdrawalState {
    /// The amount is reserved; the transfer is being requested from the processor.
    Sending,
    /// The processor's answer was unclear; the transfer is being looked up.
    Unclear,
    /// A risk rule blocked the withdrawal until the operator decides.
    Blocked {
        /// The reason for the block.
        reason: String,
    },
    /// The processor paid the amount out.
    Settled,
    /// The processor refused the transfer; the balance was restored.
    Failed {
        /// The processor's reason.
        reason: String,
    },
    /// The operator rejected the withdrawal; the balance was restored.
    Rejected {
        /// The operator's reason.
        reason: String,
    },
    /// The settled amount was returned in full; the balance was restored.
    Returned,
}

const OWN: &str = "own/";
const OPEN: &str = "open/";
const SETTLED: &str = "paid/";

impl Withdrawal {
    /// Returns whether the withdrawal is finished. The money of a settled withdrawal may
    /// still be returned later.
    pub const fn is_over(&self) -> bool {
        !matches!(self.state, WithdrawalState::Sending | WithdrawalState::Unclear | WithdrawalState::Blocked { .. })
    }

    /// Returns the row changes from `before` to this state; `before` is `None` for a new
    /// withdrawal.
    pub(super) fn puts(&self, before: Option<&Self>) -> Result<Vec<Put>, serde_json::Error> {
        let put = |key, value, expect| Put { collection: Collection::Withdrawals, key, value, expect };
        let expect = match before {
            Some(before) => Expect::Exactly(serde_json::to_vec(before)?),
            None => Expect::Absent,
        };
        let mut puts = vec![put(own_key(&self.account, &self.id), Some(serde_json::to_vec(self)?), expect)];
        if before.is_none() {
            puts.push(put(open_key(&self.id), Some(self.account.clone().into_bytes()), Expect::Absent));
        } else if self.is_over() {
            puts.push(put(open_key(&self.id), None, Expect::Any));
        }
        Ok(puts)
    }

    /// Returns the withdrawal in a final state, and the record of that step.
    pub(super) fn ended(
        &self,
        state: WithdrawalState,
        reference: Option<String>,
        now_ms: u64,
    ) -> Result<(Self, Draft), EntryError> {
        let stage = match &state {
            WithdrawalState::Settled => WithdrawStage::Settled,
            WithdrawalState::Rejected { .. } => WithdrawStage::Rejected,
            _ => WithdrawStage::Failed,
        };
        let reason = state.reason().map(str::to_owned);
        let after = Self { state, reference, ended_ms: Some(now_ms), ..self.clone() };
        let record = after.record(stage, reason, now_ms)?;
        Ok((after, record))
    }

    /// Returns the withdrawal as it is after the operator has released it.
    pub(super) fn released(&self, now_ms: u64) -> Self {
        Self { state: WithdrawalState::Sending, due_ms: now_ms, ..self.clone() }
    }

    /// Returns the withdrawal after a part or all of its transfer was returned, and the
    /// record of that return.
    pub(super) fn restored(&self, part: Millipence, now_ms: u64) -> Result<(Self, Draft), EntryError> {
        let returned = self.returned.checked_add(part).unwrap_or(self.amount);
        let state = if returned == self.amount { WithdrawalState::Returned } else { WithdrawalState::Settled };
        let after = Self { state, returned, ..self.clone() };
        let record = after.return_record(part, now_ms)?;
        Ok((after, record))
    }

    /// Builds the record of a step. Its transaction id ensures that a withdrawal is
    /// reserved once and finished once.
    pub(super) fn record(
        &self,
        stage: WithdrawStage,
        reason: Option<String>,
        now_ms: u64,
    ) -> Result<Draft, EntryError> {
        let step: &[u8] = match stage {
            WithdrawStage::Reserved => b"reserved",
            WithdrawStage::Settled | WithdrawStage::Failed | WithdrawStage::Rejected => b"over",
            WithdrawStage::Returned => b"returned",
        };
        self.entry(stage, reason).draft(self.tx(step), now_ms)
    }

    /// Builds the record of a returned part. Its transaction id includes the total
    /// returned so far, so that a repeated report cannot be recorded twice.
    fn return_record(&self, part: Millipence, now_ms: u64) -> Result<Draft, EntryError> {
        let sum = Sha256::new().chain_update(self.tx(b"returned")).chain_update(self.returned.get().to_be_bytes());
        let returned = Self { amount: part, ..self.clone() };
        returned.entry(WithdrawStage::Returned, None).draft(sum.finalize().into(), now_ms)
    }

    fn tx(&self, step: &[u8]) -> Hash {
        let digest = Sha256::new().chain_update(b"tollbridge withdrawal v1").chain_update(step);
        digest.chain_update(&self.id).finalize().into()
    }

    /// Returns the part of the amount that the payout account has kept.
    pub(super) fn kept(&self) -> Millipence {
        self.amount.checked_sub(self.returned()).unwrap_or_default()
    }

    /// Returns the part of the amount that was returned.
    pub fn returned(&self) -> Millipence {
        match self.state {
            // In rows of earlier versions, which lack the field `returned`, the whole
            // amount was returned.
            WithdrawalState::Returned => self.amount,
            _ => self.returned,
        }
    }

    pub(super) fn entry(&self, stage: WithdrawStage, reason: Option<String>) -> Entry {
        Entry::Withdraw(Withdraw {
            account: self.account.clone(),
            amount: self.amount,
            reason,
            reference: self.reference.clone(),
            stage,
            withdrawal: self.id.clone(),
        })
    }
}

impl WithdrawalState {
    /// Returns the machine-readable name of the state.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Sending => "sending",
            Self::Unclear => "being_confirmed",
            Self::Blocked { .. } => "blocked",
            Self::Settled => "settled",
            Self::Failed { .. } => "failed",
            Self::Rejected { .. } => "rejected",
            Self::Returned => "returned",
        }
    }

    /// Returns the reason if the withdrawal is blocked, failed or rejected.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Blocked { reason } | Self::Failed { reason } | Self::Rejected { reason } => Some(reason),
            _ => None,
        }
    }
}

pub(super) fn own_key(account: &str, id: &str) -> String {
    format!("{OWN}{account}/{id}")
}

pub(super) fn open_key(id: &str) -> String {
    format!("{OPEN}{id}")
}

/// Writes or removes the row of a recently settled withdrawal, which may still be
/// returned.
pub(super) fn settled_put(id: &str, row: Option<&SettledRow>) -> Result<Put, serde_json::Error> {
    let value = row.map(serde_json::to_vec).transpose()?;
    Ok(Put { collection: Collection::Withdrawals, key: settled_key(id), value, expect: Expect::Any })
}

pub(super) fn settled_key(id: &str) -> String {
    format!("{SETTLED}{id}")
}

/// Returns the key prefix of recently settled withdrawals, which may still be returned.
pub(super) const fn settled_prefix() -> &'static str {
    SETTLED
}

/// Returns the key prefix of pending withdrawals.
pub(super) const fn open_prefix() -> &'static str {
    OPEN
}

fn is_zero(amount: &Millipence) -> bool {
    amount.is_zero()
}

/// Creates an id that sorts before the ids of earlier withdrawals.
pub(super) fn new_id(random: [u8; 10], now_ms: u64) -> String {
    let downwards = (1_u64 << 48).saturating_sub(now_ms);
    format!("wd_{downwards:012x}{}", hex::encode(random))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_sort_first() {
        let ids: Vec<String> = [3, 2, 1].map(|ms| new_id([7; 10], 1_700_000_000_000 + ms)).to_vec();
        assert!(ids.is_sorted(), "{ids:?}");
        assert!(tollbridge_ledger::is_party(&ids[0]));
    }
}
