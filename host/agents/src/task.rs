//! Tasks: the row of a queued task, and the caller's view of any task.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::tx_of_task;
use tollbridge_market::checkout::{Call, CheckoutError, PaymentSource};
use tollbridge_payment::DailySpendLimit;
use tollbridge_store::{Collection, Db, Expect, Hash, Put};

use super::error::AgentError;
use super::proof::TaskProof;

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskState {
    /// The task waits in the queue.
    Queued,
    /// The agent is working.
    Working,
    /// The task was answered and paid.
    Completed,
    /// The task failed; the only possible charge is for answers of other plugins.
    Failed,
    /// The caller canceled the task; nothing was charged.
    Canceled,
}

/// The reason why a task failed, for the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskError {
    /// A fixed code for the reason, for example `timed_out`.
    pub kind: String,
    pub message: String,
    /// The amount charged despite the failure, for answers of other plugins.
    #[serde(skip_serializing_if = "is_nothing", default)]
    pub charged: Millipence,
    /// The input that the agent proposes instead. It is client data, so it is not in the
    /// task's row, which stays, but stored for a day like an answer.
    #[serde(skip)]
    pub input: Option<Value>,
}

impl TaskError {
    /// Formats the failure and its charge as a text for the caller.
    pub(crate) fn note(&self) -> String {
        note_of(&self.message, self.charged)
    }
}

/// Formats a failure and its charge. If something was charged, `failure` already says so.
pub(crate) fn note_of(failure: &str, charged: Millipence) -> String {
    if charged.is_zero() { format!("{failure}; nothing was charged") } else { failure.to_owned() }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_nothing(amount: &Millipence) -> bool {
    amount.is_zero()
}

/// A task as shown to its caller.
#[derive(Clone, Debug)]
pub struct TaskView {
    /// The id of the task.
    pub task_id: String,
    /// The name of the agent.
    pub agent: String,
    /// The current state.
    pub state: TaskState,
    /// The number of failed attempts.
    pub failed_attempts: u32,
    /// Time of acceptance, Unix time in milliseconds.
    pub created_ms: u64,
    /// Time of the last change, Unix time in milliseconds.
    pub updated_ms: u64,
    /// The error of the last attempt, if the task failed or will be retried.
    pub error: Option<TaskError>,
    /// The bytes of the answer, while they are stored.
    pub output: Option<Vec<u8>>,
    /// The proof of an answered task.
    pub proof: Option<TaskProof>,
}

/// The source from which a queued task is paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TaskPayment {
    /// The price was reserved from credit when the task was queued.
    Held,
    /// Credit is charged when the task is answered.
    Credit,
    Intent(String),
    /// A wallet's signed payment is charged when the task is answered.
    Wallet(String),
}

/// A row of `Collection::Tasks`, under the task's id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TaskRow {
    pub(super) account: String,
    /// The weight of the account in fair queues; absent in old rows, which means 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) weight: Option<NonZeroU32>,
    pub(super) agent: String,
    /// The body of the request; emptied when the task ends.
    pub(super) body: String,
    #[serde(with = "hex::serde")]
    pub(super) fingerprint: Hash,
    pub(super) request_id: String,
    pub(super) payment: TaskPayment,
    pub(super) price: Millipence,
    /// The daily limit of the caller's key, which applies when the task is paid.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) spend: Option<DailySpendLimit>,
    /// Key of the row that counts the reserved price towards the daily limit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) counted: Option<String>,
    pub(super) state: TaskState,
    pub(super) failed_attempts: u32,
    /// The earliest time of the next attempt, Unix time in milliseconds.
    pub(super) not_before_ms: u64,
    pub(super) created_ms: u64,
    pub(super) updated_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) error: Option<TaskError>,
}

impl TaskState {
    /// Returns the name of the state in the API, for example `queued`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Working => "working",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }

    /// Returns whether the task has not ended yet.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Working)
    }
}

impl TaskRow {
    /// Creates the row of a task that waits for its first attempt.
    pub(super) fn queued(
        call: &Call,
        fingerprint: Hash,
        payment: TaskPayment,
        price: Millipence,
    ) -> Result<Self, AgentError> {
        let account = call.account.clone().ok_or(CheckoutError::CreditNeedsKey)?;
        let body = String::from_utf8(call.body.to_vec()).map_err(|error| AgentError::Damaged(error.to_string()))?;
        Ok(Self {
            weight: Some(call.share.weight),
            account,
            agent: call.name.clone(),
            body,
            fingerprint,
            request_id: call.request_id.clone(),
            payment,
            price,
            spend: call.spend.clone(),
            counted: None,
            state: TaskState::Queued,
            failed_attempts: 0,
            not_before_ms: call.now_ms,
            created_ms: call.now_ms,
            updated_ms: call.now_ms,
            error: None,
        })
    }

    /// Returns the row of a task, parsed and as exact bytes.
    pub(super) fn find(db: &Db, id: &str) -> Result<Option<(Self, Vec<u8>)>, AgentError> {
        if tx_of_task(id).is_none() {
            return Ok(None);
        }
        let Some(bytes) = db.get(Collection::Tasks, id)? else { return Ok(None) };
        let row = serde_json::from_slice(&bytes).map_err(|error| AgentError::Damaged(error.to_string()))?;
        Ok(Some((row, bytes)))
    }

    /// Returns the account's fair share, under which the task waits in the queue.
    pub(super) fn share(&self) -> FairShare {
        FairShare { tenant: self.account.as_str().into(), weight: self.weight.unwrap_or(NonZeroU32::MIN) }
    }

    /// Returns the payment source for an attempt; `wallet` decodes a wallet's signed
    /// payment.
    pub(super) fn source(&self, id: &str, wallet: impl FnOnce(&str) -> PaymentSource) -> PaymentSource {
        match &self.payment {
            TaskPayment::Held => PaymentSource::Held { task: id.to_owned(), amount: self.price },
            TaskPayment::Credit => PaymentSource::Credit,
            TaskPayment::Intent(intent) => PaymentSource::Intent(intent.clone()),
            TaskPayment::Wallet(signed) => wallet(signed),
        }
    }

    /// Returns the daily limit towards which an attempt counts; `None` for a reserved
    /// price, which was counted when the task was queued.
    pub(super) fn limit(&self) -> Option<DailySpendLimit> {
        self.spend.clone().filter(|_| self.payment != TaskPayment::Held)
    }

    /// Returns the row in an end state, without the request body.
    pub(super) fn ended(mut self, state: TaskState, error: Option<TaskError>, now_ms: u64) -> Self {
        self.state = state;
        self.error = error;
        self.updated_ms = now_ms;
        self.body.clear();
        // The row of an ended task must not keep the secret of its payment.
        if let TaskPayment::Intent(secret) | TaskPayment::Wallet(secret) = &mut self.payment {
            secret.clear();
        }
        self
    }

    /// Returns the row after a failed attempt that will be retried.
    pub(super) fn queued_again(mut self, failure: TaskError, after_ms: u64, counts: bool, now_ms: u64) -> Self {
        self.state = TaskState::Queued;
        self.failed_attempts = self.failed_attempts.saturating_add(u32::from(counts));
        self.not_before_ms = now_ms.saturating_add(after_ms);
        self.updated_ms = now_ms;
        self.error = Some(failure);
        self
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        // Cannot fail: strings, numbers and enums always serialize.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Returns the writes of this row, which fail unless the stored row is exactly
    /// `before`.
    pub(super) fn puts(&self, id: &str, before: Option<Vec<u8>>) -> Vec<Put> {
        let open = self.state.is_open();
        let expect = before.clone().map_or(Expect::Absent, Expect::Exactly);
        let mut puts =
            vec![Put { collection: Collection::Tasks, key: id.to_owned(), value: Some(self.bytes()), expect }];
        if before.is_none() || !open {
            let value = open.then(Vec::new);
            puts.push(Put { collection: Collection::OpenTasks, key: id.to_owned(), value, expect: Expect::Any });
        }
        puts
    }
}
