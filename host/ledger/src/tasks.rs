//! Tasks in the ledger: their ids, and the money of queued tasks. The price is reserved
//! when a task is queued. When the task is answered, the record of the answer spends it;
//! without an answer, it is returned.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_store::{Hash, Posting};

use super::canonical_json;
use super::chart::LedgerAccount;
use super::entry_error::EntryError;

const PREFIX: &str = "task_";

/// Returns the id of the task whose answer is sealed under this transaction id.
pub fn task_id(tx: &Hash) -> String {
    format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(tx))
}

/// Returns the transaction id under which a task's answer is sealed.
pub fn tx_of_task(id: &str) -> Option<Hash> {
    let code = id.strip_prefix(PREFIX).filter(|code| code.len() == 43)?;
    URL_SAFE_NO_PAD.decode(code).ok()?.try_into().ok()
}

/// A move of a queued task's price between its caller's credit and the amount held for
/// the task. A free task moves no money, but is recorded as well.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskMoney {
    /// Account of the caller.
    pub account: String,
    /// The agent's name.
    pub agent: String,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
    /// Stage of the task.
    pub stage: TaskStage,
    /// Id of the task.
    pub task: String,
}

/// The stage of a queued task. It determines whether the price moves from the caller's
/// credit to the amount held for the task, or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStage {
    /// The task is queued: its price is reserved.
    Held,
    /// The agent failed: the price is returned.
    Failed,
    /// The task ended without an answer for another reason: the price is returned.
    Refused,
    /// The caller cancelled the task: the price is returned.
    Canceled,
}

impl TaskMoney {
    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        let amount = self.amount;
        let negated = amount.checked_neg().filter(|_| !amount.is_negative() && canonical_json::is_safe(amount.get()));
        let negated = negated.ok_or(EntryError::Amount(amount.get()))?;
        let credit = LedgerAccount::Credit(self.account.clone());
        let held = LedgerAccount::Held(self.task.clone());
        let (from, to) = match self.stage {
            TaskStage::Held => (credit, held),
            TaskStage::Failed | TaskStage::Refused | TaskStage::Canceled => (held, credit),
        };
        let postings = vec![from.posting(negated)?, to.posting(amount)?];
        Ok(postings.into_iter().filter(|posting| !posting.amount.is_zero()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_its_transaction() {
        let id = task_id(&[0xfb; 32]);
        assert!(super::super::is_party(&id), "{id}");
        assert_eq!(tx_of_task(&id), Some([0xfb; 32]));
        for wrong in ["", "task_", "task_x", &id[1..], &format!("{id}A"), &id.replace("task_", "tx_")] {
            assert_eq!(tx_of_task(wrong), None, "{wrong}");
        }
    }
}
