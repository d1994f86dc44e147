//! The names of events, and the envelope of each.

/// The recipient of events about the whole server: the operator's own endpoints.
pub const OPERATOR: &str = "operator";

/// An earn task was paid.
pub const EARN_COMPLETED: &str = "earn.completed";

/// A withdrawal was reserved.
pub const WITHDRAWAL_INITIATED: &str = "withdrawal.initiated";

/// A withdrawal came back.
pub const WITHDRAWAL_FAILED: &str = "withdrawal.failed";

/// A task of an agent was answered.
pub const AGENT_COMPLETED: &str = "agent.completed";

/// A task of an agent failed.
pub const AGENT_FAILED: &str = "agent.failed";

/// An account signed up.
pub const SIGNUP_CREATED: &str = "signup.created";

/// A payout was blocked.
pub const FRAUD_BLOCKED: &str = "fraud.blocked";

/// Credit fell below a threshold.
pub const CREDIT_LOW: &str = "credit.low";

/// A test requested by an owner.
pub const WEBHOOK_TEST: &str = "webhook.test";

/// A refund did not reach the payer.
pub const REFUND_FAILED: &str = "refund.failed";

/// A version of an agent was put in service.
pub const AGENT_DEPLOYED: &str = "agent.deployed";

/// A withdrawal was paid out.
pub const PAYOUT_COMPLETED: &str = "payout.completed";

/// A paid call was split.
pub const BILLING_SPLIT: &str = "billing.split";

/// A payout looked suspicious.
pub const FRAUD_DETECTED: &str = "fraud.detected";

/// The two envelopes of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// `event`, `ts` (milliseconds), `data`.
    A,
    /// `event`, `timestamp` (seconds), `data`.
    B,
}

/// Every event and its envelope.
pub const ALL: [(&str, Set); 14] = [
    (EARN_COMPLETED, Set::A),
    (WITHDRAWAL_INITIATED, Set::A),
    (WITHDRAWAL_FAILED, Set::A),
    (AGENT_COMPLETED, Set::A),
    (AGENT_FAILED, Set::A),
    (SIGNUP_CREATED, Set::A),
    (FRAUD_BLOCKED, Set::A),
    (CREDIT_LOW, Set::A),
    (WEBHOOK_TEST, Set::A),
    (REFUND_FAILED, Set::A),
    (AGENT_DEPLOYED, Set::B),
    (PAYOUT_COMPLETED, Set::B),
    (BILLING_SPLIT, Set::B),
    (FRAUD_DETECTED, Set::B),
];

/// Finds an event by name.
pub fn by_name(name: &str) -> Option<(&'static str, Set)> {
    ALL.into_iter().find(|(known, _)| *known == name)
}
