//! Constructors of the events; each takes the members of its event.

use serde_json::{Map, Value, json};
use tollbridge_core::money::{Millipence, Share, SplitPolicy};
use tollbridge_store::{Hash, OutboxEvent};

use super::names::{
    AGENT_COMPLETED, AGENT_DEPLOYED, AGENT_FAILED, CREDIT_LOW, EARN_COMPLETED, FRAUD_BLOCKED, FRAUD_DETECTED, OPERATOR,
    PAYOUT_COMPLETED, REFUND_FAILED, SIGNUP_CREATED, WEBHOOK_TEST, WITHDRAWAL_FAILED, WITHDRAWAL_INITIATED,
};
use crate::chart::LedgerAccount;

/// Builds the event for a user who earned money. `task` names the completed task.
pub fn earn_completed(user: &str, task: &str, earned: Millipence, time_ms: u64) -> OutboxEvent {
    let data = json!({
        "user_id": user,
        "task": task,
        "earned_pence": earned.pence_floor(),
        "earned_millipence": earned.get(),
        "earned_gbp": earned.display_gbp(),
    });
    let balance_of = Some(LedgerAccount::DevAvailable(user.to_owned()).to_string());
    OutboxEvent { balance_of, ..outgoing(user, EARN_COMPLETED, time_ms, data) }
}

/// Builds the event for a withdrawal that the processor accepted; `transfer` is the
/// processor's reference.
pub fn withdrawal_initiated(user: &str, amount: Millipence, transfer: &str, time_ms: u64) -> OutboxEvent {
    let data = json!({ "user_id": user, "amount_pence": amount.pence_floor(), "stripe_transfer": transfer });
    outgoing(user, WITHDRAWAL_INITIATED, time_ms, data)
}

/// Builds the event for a withdrawal that the processor refused; the money is back in the
/// balance.
pub fn withdrawal_failed(user: &str, error: &str, time_ms: u64) -> OutboxEvent {
    outgoing(user, WITHDRAWAL_FAILED, time_ms, json!({ "user_id": user, "error": error }))
}

/// Builds the event for a withdrawal of which all or a part came back after it was paid
/// out; that money is in the balance again.
pub fn withdrawal_returned(
    user: &str,
    withdrawal: &str,
    returned: Millipence,
    is_whole: bool,
    time_ms: u64,
) -> OutboxEvent {
    let data = json!({
        "user_id": user,
        "error": if is_whole { "returned" } else { "partly_returned" },
        "withdrawal_id": withdrawal,
        "returned_pence": returned.pence_floor(),
    });
    outgoing(user, WITHDRAWAL_FAILED, time_ms, data)
}

/// Builds the event for a refund that did not reach the payer. Its recipients are the
/// operator and, if the payer has an account, that account. `restored` is the part of
/// `amount` that the payer can spend again; a dispute took the rest in the meantime.
pub fn refund_failed(
    payer: Option<&str>,
    refund: &str,
    amount: Millipence,
    restored: Millipence,
    reason: &str,
    time_ms: u64,
) -> Vec<OutboxEvent> {
    let data = json!({
        "user_id": payer,
        "refund_id": refund,
        "amount_pence": amount.pence_floor(),
        "restored_pence": restored.pence_floor(),
        "reason": reason,
    });
    payer.into_iter().chain([OPERATOR]).map(|to| outgoing(to, REFUND_FAILED, time_ms, data.clone())).collect()
}

/// Builds the event for a completed task of an agent. `to` is the recipient: the agent's
/// owner, or the caller.
pub fn agent_completed(to: &str, task_id: &str, agent_id: &str, duration_ms: u64, time_ms: u64) -> OutboxEvent {
    let data = json!({ "task_id": task_id, "agent_id": agent_id, "duration_ms": duration_ms });
    outgoing(to, AGENT_COMPLETED, time_ms, data)
}

/// Builds the event for a task that an agent failed after all its retries.
pub fn agent_failed(to: &str, task_id: &str, agent_id: &str, error: &str, retries: u32, time_ms: u64) -> OutboxEvent {
    let data = json!({ "task_id": task_id, "agent_id": agent_id, "error": error, "retries": retries });
    outgoing(to, AGENT_FAILED, time_ms, data)
}

/// Builds the event for a new account. Its recipients are the operator and the referrer,
/// if there is one.
pub fn signup_created(
    user: &str,
    referrer: Option<&str>,
    referral_code: Option<&str>,
    time_ms: u64,
) -> Vec<OutboxEvent> {
    let data = || json!({ "user_id": user, "referral_code": referral_code });
    let accounts = std::iter::once(OPERATOR).chain(referrer);
    accounts.map(|to| outgoing(to, SIGNUP_CREATED, time_ms, data())).collect()
}

/// Builds the event for a payout that was blocked. Its recipients are the user and the
/// operator.
pub fn fraud_blocked(user: &str, reason: &str, risk_level: &str, time_ms: u64) -> Vec<OutboxEvent> {
    let data = || json!({ "user_id": user, "reason": reason, "risk_level": risk_level });
    [user, OPERATOR].map(|to| outgoing(to, FRAUD_BLOCKED, time_ms, data())).into()
}

/// Builds the event for prepaid credit that fell below the threshold set by its account.
pub fn credit_low(user: &str, credit: Millipence, threshold: Millipence, time_ms: u64) -> OutboxEvent {
    let data = json!({
        "user_id": user,
        "credit_pence": credit.pence_floor(),
        "credit_gbp": credit.display_gbp(),
        "threshold_pence": threshold.pence_floor(),
    });
    outgoing(user, CREDIT_LOW, time_ms, data)
}

/// Builds the event that `POST /api/v1/webhooks/test` sends.
pub fn webhook_test(user: &str, time_ms: u64) -> OutboxEvent {
    let message = "a test: if its signature verifies, this endpoint is set up";
    outgoing(user, WEBHOOK_TEST, time_ms, json!({ "user_id": user, "message": message }))
}

/// An agent that was deployed, with the members of its event.
#[derive(Clone, Copy, Debug)]
pub struct Deployed<'a> {
    /// Account that owns the agent.
    pub owner: &'a str,
    /// Id of the agent.
    pub agent_id: &'a str,
    /// Name of the agent.
    pub name: &'a str,
    /// Price of one call.
    pub price: Millipence,
    /// The split that applies to the price.
    pub policy: &'a SplitPolicy,
    /// Seal of the policy record in force.
    pub constitution: &'a Hash,
}

/// Builds the event for a deployed agent.
pub fn agent_deployed(agent: &Deployed<'_>, time_ms: u64) -> OutboxEvent {
    let data = json!({
        "agent_id": agent.agent_id,
        "name": agent.name,
        "price_gbp": number(&agent.price.pounds()),
        "earn_rate": earn_rate(agent.policy),
        "constitution": hex::encode(agent.constitution),
    });
    outgoing(agent.owner, AGENT_DEPLOYED, time_ms, data)
}

/// Builds the event for a withdrawal that was paid out. `treasury` is the treasury's
/// share of the withdrawn earnings; the event has it in whole pence, rounded down.
pub fn payout_completed(
    user: &str,
    payout_id: &str,
    amount: Millipence,
    treasury: Millipence,
    policy: &SplitPolicy,
    time_ms: u64,
) -> OutboxEvent {
    let data = json!({
        "user_id": user,
        "payout_id": payout_id,
        "amount_gbp": number(&amount.pounds()),
        "earn_rate": earn_rate(policy),
        "dream_tax_pence": treasury.pence_floor(),
        "worm_sealed": true,
    });
    outgoing(user, PAYOUT_COMPLETED, time_ms, data)
}

/// A suspicious request made in an agent owner's name.
#[derive(Clone, Copy, Debug)]
pub struct Suspicion<'a> {
    /// Account that owns the agent.
    pub owner: &'a str,
    /// Id of the agent.
    pub agent_id: &'a str,
    /// Client address of the request made in the owner's name.
    pub ip: Option<&'a str>,
    /// Risk in thousandths, from 0 to 1000.
    pub risk_permille: u16,
    /// `blocked` or `flagged`.
    pub action: &'a str,
}

/// Builds the events about suspicious use of an account, one for the agent's owner and
/// one for the operator.
pub fn fraud_detected(suspicion: &Suspicion<'_>, time_ms: u64) -> Vec<OutboxEvent> {
    let permille = suspicion.risk_permille.min(1000);
    let score = number(&format!("{}.{:03}", permille / 1000, permille % 1000));
    let data = || {
        json!({
            "agent_id": suspicion.agent_id, "ip": suspicion.ip, "risk_score": score, "action": suspicion.action,
        })
    };
    [suspicion.owner, OPERATOR].map(|to| outgoing(to, FRAUD_DETECTED, time_ms, data())).into()
}

pub(super) fn outgoing(account: &str, event: &'static str, time_ms: u64, data: Value) -> OutboxEvent {
    let data = data.to_string().into_bytes();
    OutboxEvent { account: account.to_owned(), event, time_ms, data, balance_of: None }
}

/// Returns the developer's share of a price as a JSON number, for example 0.8.
pub(super) fn earn_rate(policy: &SplitPolicy) -> Value {
    let tenths = policy.tenths(Share::Developer);
    number(&format!("{}.{:03}", tenths / 1000, tenths % 1000))
}

/// Returns the JSON number with exactly these decimal digits.
pub(super) fn number(text: &str) -> Value {
    let parsed = text.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
    parsed.map_or(Value::Null, Value::Number)
}

/// Parses the members of an event's data.
pub(super) fn members(data: &[u8]) -> Map<String, Value> {
    serde_json::from_slice(data).unwrap_or_default()
}
