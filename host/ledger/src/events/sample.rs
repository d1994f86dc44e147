//! One example of every event, for testing a receiver of webhooks.

use tollbridge_core::money::{Millipence, PolicyError, SplitPolicy};
use tollbridge_store::{OutboxEvent, OutboxPosition, OutboxRow};

use super::members::{
    Deployed, Suspicion, agent_completed, agent_deployed, agent_failed, credit_low, earn_completed, fraud_blocked,
    fraud_detected, payout_completed, refund_failed, signup_created, webhook_test, withdrawal_failed,
    withdrawal_initiated,
};
use super::split::billing_split;

const USER: &str = "acct_example";
const AGENT: &str = "acct_example-reviewer";

/// Returns one example of each event, in the order of `ALL`, with invented contents.
pub fn samples(time_ms: u64) -> Result<Vec<OutboxEvent>, PolicyError> {
    let amount = Millipence::new(78_000);
    let policy = SplitPolicy::new(800, 175, 25, 800)?;
    let split = policy.split(Millipence::new(10_000));
    let constitution = [7; 32];
    let deployed = Deployed {
        owner: USER,
        agent_id: AGENT,
        name: "Reviewer",
        price: Millipence::new(30_000),
        policy: &policy,
        constitution: &constitution,
    };
    let suspicion =
        Suspicion { owner: USER, agent_id: AGENT, ip: Some("192.0.2.1"), risk_permille: 905, action: "blocked" };
    let mut samples = vec![
        earn_completed(USER, "label-1", amount, time_ms),
        withdrawal_initiated(USER, Millipence::new(500_000), "tr_example", time_ms),
        withdrawal_failed(USER, "the bank account is closed", time_ms),
        agent_completed(USER, "task_example", AGENT, 12, time_ms),
        agent_failed(USER, "task_example", AGENT, "the agent ran out of time", 3, time_ms),
    ];
    samples.extend(signup_created("acct_new", Some(USER), Some("ref_example"), time_ms).pop());
    samples.extend(fraud_blocked(USER, "velocity", "high", time_ms).into_iter().next());
    samples.push(credit_low(USER, Millipence::new(90_000), Millipence::new(100_000), time_ms));
    samples.push(webhook_test(USER, time_ms));
    let refund = refund_failed(Some(USER), "rf_example", amount, amount, "expired_or_canceled_card", time_ms);
    samples.extend(refund.into_iter().next());
    samples.push(agent_deployed(&deployed, time_ms));
    samples.push(payout_completed(
        USER,
        "wd_example",
        Millipence::new(500_000),
        Millipence::new(15_625),
        &policy,
        time_ms,
    ));
    samples.push(billing_split(USER, "bridge/echo", &split.into(), &constitution, time_ms));
    samples.extend(fraud_detected(&suspicion, time_ms).into_iter().next());
    Ok(samples)
}

/// Returns an event as an outbox row without a record in the ledger: its seal is all
/// zeros.
pub fn unsealed(outgoing: OutboxEvent) -> OutboxRow {
    OutboxRow {
        place: OutboxPosition { seq: 0, index: 0 },
        event: outgoing.event.to_owned(),
        time_ms: outgoing.time_ms,
        seal: [0; 32],
        tx: [0; 32],
        balance: outgoing.balance_of.map(|_| Millipence::new(578_000)),
        data: outgoing.data,
    }
}
