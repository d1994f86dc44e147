//! The names of events, and the envelope that each event uses.

/// The recipient of events about the whole server: the operator's own endpoints.
pub const OPERATOR: &str = "operator";

/// An earn task was paid.
pub const EARN_COMPLETED: &str = "earn.completed";

/// The processor accepted a withdrawal.
pub const WITHDRAWAL_INITIATED: &str = "withdrawal.initiated";

/// A withdrawal was refused, or came back after it was paid out.
pub const WITHDRAWAL_FAILED: &str = "withdrawal.failed";

/// An agent answered a task.
pub const AGENT_COMPLETED: &str = "agent.completed";

/// An agent failed a task.
pub const AGENT_FAILED: &str = "agent.failed";

/// A new account signed up.
pub const SIGNUP_CREATED: &str = "signup.created";

/// A payout was blocked.
pub const FRAUD_BLOCKED: &str = "fraud.blocked";

/// An account's credit fell below its threshold.
pub const CREDIT_LOW: &str = "credit.low";

/// The owner of an endpoint requested a test.
pub const WEBHOOK_TEST: &str = "webhook.test";

/// A refund did not reach the payer.
pub const REFUND_FAILED: &str = "refund.failed";

/// A version of an agent was put in service.
pub const AGENT_DEPLOYED: &str = "agent.deployed";

/// A withdrawal was paid out.
pub const PAYOUT_COMPLETED: &str = "payout.completed";

/// The price of a paid call was split.
pub const BILLING_SPLIT: &str = "billing.split";

/// An account was used in a suspicious way.
pub const FRAUD_DETECTED: &str = "fraud.detected";

/// The envelope (the outer JSON object) of an event. The API has two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// The envelope with `event`, `ts` (milliseconds) and `data`.
    A,
    /// The envelope with `event`, `timestamp` (seconds) and `data`.
    B,
}

/// Every event with its envelope.
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

/// Finds an event by its name; returns the name and the envelope.
pub fn by_name(name: &str) -> Option<(&'static str, Set)> {
    ALL.into_iter().find(|(known, _)| *known == name)
}
