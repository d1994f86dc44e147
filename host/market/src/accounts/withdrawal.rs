//! A withdrawal as it is kept, and the records it makes.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, EntryError, Withdraw, WithdrawStage};
use tollbridge_store::{Collection, Draft, Expect, Hash, Put};

/// Row of `Collection::Withdrawals` under `own/<account>/<id>`; while it is not
/// over, `open/<id>` holds its account.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Withdrawal {
    /// `wd_` and hex; later ones sort before earlier ones.
    pub id: String,
    /// Account id.
    pub account: String,
    /// Whole pence.
    pub amount: Millipence,
    /// The processor's own name for the payout account.
    pub destination: String,
    /// Unix time, milliseconds.
    pub created_ms: u64,
    /// When the processor was first to be asked, of this attempt.
    pub due_ms: u64,
    /// How far it is.
    pub state: WithdrawalState,
    /// The processor's own name for the transfer.
    pub reference: Option<String>,
    /// When it ended, Unix milliseconds.
    pub ended_ms: Option<u64>,
}

/// How far a withdrawal is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum WithdrawalState {
    /// Set aside; the processor is being asked.
    Sending,
    /// The processor's answer was unclear: it is looked up.
    Unclear,
    /// Stopped by a rule until the operator decides.
    Blocked {
        /// Why.
        reason: String,
    },
    /// The processor paid it out.
    Settled,
    /// The processor refused; the balance is restored.
    Failed {
        /// Why.
        reason: String,
    },
    /// The operator refused; the balance is restored.
    Rejected {
        /// Why.
        reason: String,
    },
    /// It was settled and came back; the balance is restored.
    Returned,
}

const OWN: &str = "own/";
const OPEN: &str = "open/";

impl Withdrawal {
    /// Whether nothing more will happen to it.
    pub const fn is_over(&self) -> bool {
        !matches!(self.state, WithdrawalState::Sending | WithdrawalState::Unclear | WithdrawalState::Blocked { .. })
    }

    /// The change of its rows from what they were: `None` when it is new.
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

    /// Itself when it is over, and the record that says so.
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

    /// Itself when the operator lets it go.
    pub(super) fn released(&self, now_ms: u64) -> Self {
        Self { state: WithdrawalState::Sending, due_ms: now_ms, ..self.clone() }
    }

    /// Itself when its settled transfer came back, and the record that says so.
    pub(super) fn returned(&self, now_ms: u64) -> Result<(Self, Draft), EntryError> {
        let record = self.record(WithdrawStage::Returned, None, now_ms)?;
        Ok((Self { state: WithdrawalState::Returned, ..self.clone() }, record))
    }

    /// The record of a step. A withdrawal is reserved once, over once, and
    /// comes back at most once.
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
        let digest = Sha256::new().chain_update(b"tollbridge withdrawal v1").chain_update(step);
        let tx: Hash = digest.chain_update(&self.id).finalize().into();
        self.entry(stage, reason).draft(tx, now_ms)
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
    /// For programs.
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

    /// Why it is held, failed or was rejected.
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

/// What keys of withdrawals under way begin with.
pub(super) const fn open_prefix() -> &'static str {
    OPEN
}

/// An id that sorts before those of earlier withdrawals.
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
