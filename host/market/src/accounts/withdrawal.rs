//! Withdrawals as stored, and the records they create.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, EntryError, Withdraw, WithdrawStage};
use tollbridge_store::{Collection, Draft, Expect, Hash, Put};

/// Row of `Collection::Withdrawals` under `own/<account>/<id>`; while it is pending,
/// `open/<id>` holds its account.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Withdrawal {
    /// `wd_` and hex digits; later ids sort before earlier ones.
    pub id: String,
    /// Account id.
    pub account: String,
    /// Whole pence.
    pub amount: Millipence,
    /// The processor's id of the payout account.
    pub destination: String,
    /// Unix time, milliseconds.
    pub created_ms: u64,
    /// Time at which this attempt's first request to the processor was due.
    pub due_ms: u64,
    /// Current state.
    pub state: WithdrawalState,
    /// The processor's id of the transfer.
    pub reference: Option<String>,
    /// Time at which it ended, Unix milliseconds.
    pub ended_ms: Option<u64>,
    /// Amount that has come back since it was settled.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub returned: Millipence,
}

/// Row of `Collection::Withdrawals` under `paid/<id>`: a recently settled withdrawal that may
/// still come back.
#[derive(Serialize, Deserialize)]
pub(super) struct SettledRow {
    pub(super) account: String,
    /// Unix milliseconds.
    pub(super) settled_ms: u64,
}

/// The state of a withdrawal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum WithdrawalState {
    /// Set aside; the processor is being asked.
    Sending,
    /// The processor's answer was unclear; the transfer is being looked up.
    Unclear,
    /// Stopped by a rule until the operator decides.
    Blocked {
        /// The reason.
        reason: String,
    },
    /// The processor paid it out.
    Settled,
    /// The processor refused; the balance was restored.
    Failed {
        /// The reason.
        reason: String,
    },
    /// The operator refused; the balance was restored.
    Rejected {
        /// The reason.
        reason: String,
    },
    /// Settled, then returned in full; the balance was restored.
    Returned,
}

const OWN: &str = "own/";
const OPEN: &str = "open/";
const SETTLED: &str = "paid/";

impl Withdrawal {
    /// Returns whether the withdrawal has reached its final state, except for returns.
    pub const fn is_over(&self) -> bool {
        !matches!(self.state, WithdrawalState::Sending | WithdrawalState::Unclear | WithdrawalState::Blocked { .. })
    }

    /// Returns the row changes relative to `before`, which is `None` for a new withdrawal.
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

    /// Returns the withdrawal in its final state, and the record of that step.
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

    /// Returns the withdrawal after its release by the operator.
    pub(super) fn released(&self, now_ms: u64) -> Self {
        Self { state: WithdrawalState::Sending, due_ms: now_ms, ..self.clone() }
    }

    /// Returns the withdrawal after some or all of its transfer came back, and the record of
    /// that step.
    pub(super) fn restored(&self, part: Millipence, now_ms: u64) -> Result<(Self, Draft), EntryError> {
        let returned = self.returned.checked_add(part).unwrap_or(self.amount);
        let state = if returned == self.amount { WithdrawalState::Returned } else { WithdrawalState::Settled };
        let after = Self { state, returned, ..self.clone() };
        let record = after.return_record(part, now_ms)?;
        Ok((after, record))
    }

    /// Builds the record of a step. Transaction ids allow one reservation and one end per
    /// withdrawal.
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

    /// Builds the record of a returned part. Its transaction id includes the total returned
    /// so far, so a repeated report cannot be booked twice.
    fn return_record(&self, part: Millipence, now_ms: u64) -> Result<Draft, EntryError> {
        let sum = Sha256::new().chain_update(self.tx(b"returned")).chain_update(self.returned.get().to_be_bytes());
        let returned = Self { amount: part, ..self.clone() };
        returned.entry(WithdrawStage::Returned, None).draft(sum.finalize().into(), now_ms)
    }

    fn tx(&self, step: &[u8]) -> Hash {
        let digest = Sha256::new().chain_update(b"tollbridge withdrawal v1").chain_update(step);
        digest.chain_update(&self.id).finalize().into()
    }

    /// Returns the amount that the payout account still has.
    pub(super) fn kept(&self) -> Millipence {
        self.amount.checked_sub(self.returned()).unwrap_or_default()
    }

    /// Returns the amount that has come back.
    pub fn returned(&self) -> Millipence {
        match self.state {
            // Rows of earlier versions came back as a whole and do not store `returned`.
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
    /// Returns the machine-readable name.
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

    /// Returns the reason for a blocked, failed or rejected withdrawal.
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

/// Writes or removes the row of a settled withdrawal that may still come back.
pub(super) fn settled_put(id: &str, row: Option<&SettledRow>) -> Result<Put, serde_json::Error> {
    let value = row.map(serde_json::to_vec).transpose()?;
    Ok(Put { collection: Collection::Withdrawals, key: settled_key(id), value, expect: Expect::Any })
}

pub(super) fn settled_key(id: &str) -> String {
    format!("{SETTLED}{id}")
}

/// Key prefix of settled withdrawals that may still come back.
pub(super) const fn settled_prefix() -> &'static str {
    SETTLED
}

/// Key prefix of pending withdrawals.
pub(super) const fn open_prefix() -> &'static str {
    OPEN
}

fn is_zero(amount: &Millipence) -> bool {
    amount.is_zero()
}

/// Creates an id that sorts before those of earlier withdrawals.
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
