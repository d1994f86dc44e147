//! A task that was accepted for later: its row, and what its caller sees of
//! any task.

use std::num::NonZeroU32;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tollbridge_core::fair_limiter::FairShare;
use tollbridge_core::money::Millipence;
use tollbridge_market::checkout::PaymentSource;
use tollbridge_payment::{DailySpendLimit, PaymentAuthorizer};
use tollbridge_store::{Collection, Expect, Hash, Put};

use super::proof::TaskProof;

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskState {
    /// Waits for its turn.
    Queued,
    /// An agent is at work.
    Working,
    /// Answered and paid.
    Completed,
    /// Ended without an answer; nothing was charged but what others had answered
    /// below it.
    Failed,
    /// Ended by its caller; nothing was charged.
    Canceled,
}

/// Why there is no answer, for the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskError {
    /// A fixed word, for example `timed_out`.
    pub kind: String,
    pub message: String,
    /// What was charged all the same, for what other plugins had answered.
    #[serde(skip_serializing_if = "is_nothing", default)]
    pub charged: Millipence,
}

impl TaskError {
    /// For the caller, telling what it cost.
    pub(crate) fn note(&self) -> String {
        note_of(&self.message, self.charged)
    }
}

/// A failure with what it cost; one that was charged says so itself.
pub(crate) fn note_of(failure: &str, charged: Millipence) -> String {
    if charged.is_zero() { format!("{failure}; nothing was charged") } else { failure.to_owned() }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_nothing(amount: &Millipence) -> bool {
    amount.is_zero()
}

/// A task as its caller sees it.
#[derive(Clone, Debug)]
pub struct TaskView {
    /// The id of the task.
    pub task_id: String,
    /// The name of the agent.
    pub agent: String,
    /// The current state.
    pub state: TaskState,
    /// Attempts that failed so far.
    pub failed_attempts: u32,
    /// Unix time in milliseconds of its acceptance.
    pub created_ms: u64,
    /// Unix time in milliseconds of its last change.
    pub updated_ms: u64,
    /// Why there is no answer, or not yet.
    pub error: Option<TaskError>,
    /// The answer's bytes, while they are kept.
    pub output: Option<Vec<u8>>,
    /// Of an answered task.
    pub proof: Option<TaskProof>,
}

/// How a queued task is paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TaskPayment {
    /// The price was set aside when it was queued.
    Held,
    /// When it is answered.
    Credit,
    Intent(String),
    /// When it is answered, by what a wallet signed.
    Wallet(String),
}

/// Row of `Collection::Tasks`, under the task's id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TaskRow {
    pub(super) account: String,
    /// How many turns it gets where others get one; one for rows of old.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) weight: Option<NonZeroU32>,
    pub(super) agent: String,
    /// The request, as long as the task is open.
    pub(super) body: String,
    #[serde(with = "hex::serde")]
    pub(super) fingerprint: Hash,
    pub(super) request_id: String,
    pub(super) payment: TaskPayment,
    pub(super) price: Millipence,
    /// The daily limit of the key that asked, for what is paid when it is answered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) spend: Option<DailySpendLimit>,
    /// Where the price that was set aside counts towards such a limit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) counted: Option<String>,
    pub(super) state: TaskState,
    pub(super) failed_attempts: u32,
    /// Unix time in milliseconds before which it is not tried again.
    pub(super) not_before_ms: u64,
    pub(super) created_ms: u64,
    pub(super) updated_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) error: Option<TaskError>,
}

impl TaskState {
    /// As clients read it, for example `queued`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Working => "working",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }

    /// Whether it may still change.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Working)
    }
}

impl TaskRow {
    /// Whose turn it waits for.
    pub(super) fn share(&self) -> FairShare {
        FairShare { tenant: self.account.as_str().into(), weight: self.weight.unwrap_or(NonZeroU32::MIN) }
    }

    pub(super) fn source(&self, id: &str, payments: &PaymentAuthorizer, now_ms: u64) -> PaymentSource {
        self.source_at_hand(id).unwrap_or_else(|signed| match payments.decode_wallet_payment(signed, now_ms) {
            Ok(payment) => PaymentSource::Wallet(Arc::new(payment)),
            Err(declined) => PaymentSource::UnusableWallet(declined),
        })
    }

    /// What pays, or what a wallet signed, which is to be read first.
    pub(super) fn source_at_hand(&self, id: &str) -> Result<PaymentSource, &str> {
        match &self.payment {
            TaskPayment::Held => Ok(PaymentSource::Held { task: id.to_owned(), amount: self.price }),
            TaskPayment::Credit => Ok(PaymentSource::Credit),
            TaskPayment::Intent(intent) => Ok(PaymentSource::Intent(intent.clone())),
            TaskPayment::Wallet(signed) => Err(signed),
        }
    }

    /// The limit that an attempt counts towards; what was set aside has counted.
    pub(super) fn limit(&self) -> Option<DailySpendLimit> {
        self.spend.clone().filter(|_| self.payment != TaskPayment::Held)
    }

    /// The row in an end state; the request is dropped.
    pub(super) fn ended(mut self, state: TaskState, error: Option<TaskError>, now_ms: u64) -> Self {
        self.state = state;
        self.error = error;
        self.updated_ms = now_ms;
        self.body.clear();
        // The secret of an intent has no business in a finished task.
        if let TaskPayment::Intent(secret) | TaskPayment::Wallet(secret) = &mut self.payment {
            secret.clear();
        }
        self
    }

    /// The row after an attempt that failed and is to be repeated.
    pub(super) fn queued_again(mut self, failure: TaskError, after_ms: u64, counts: bool, now_ms: u64) -> Self {
        self.state = TaskState::Queued;
        self.failed_attempts = self.failed_attempts.saturating_add(u32::from(counts));
        self.not_before_ms = now_ms.saturating_add(after_ms);
        self.updated_ms = now_ms;
        self.error = Some(failure);
        self
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        // Strings, numbers and enums always write.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Puts this row in the place of one that is exactly `before`.
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
