//! Tests that every event has every member that the API documents.

use serde_json::{Value, json};
use tollbridge_core::money::{Millipence, SplitPolicy};
use tollbridge_store::OutboxEvent;
use tollbridge_store::{OutboxPosition, OutboxRow};

use super::*;

const NOW: u64 = 1_780_000_000_123;

fn row(outgoing: &OutboxEvent) -> OutboxRow {
    OutboxRow {
        place: OutboxPosition { seq: 41, index: 2 },
        event: outgoing.event.to_owned(),
        time_ms: outgoing.time_ms,
        seal: [0xab; 32],
        tx: [0xcd; 32],
        balance: outgoing.balance_of.as_ref().map(|_| Millipence::new(123_456)),
        data: outgoing.data.clone(),
    }
}

fn sent(outgoing: &OutboxEvent) -> Value {
    serde_json::from_slice(&body(&row(outgoing))).unwrap()
}

fn policy() -> SplitPolicy {
    SplitPolicy::new(800, 175, 25, 800).unwrap()
}

fn every_event() -> Vec<(OutboxEvent, &'static [&'static str])> {
    let amount = Millipence::new(78_000);
    let split = policy().split(Millipence::new(10_000));
    let deployed = Deployed {
        owner: "acct_a",
        agent_id: "agent_1",
        name: "Reviewer",
        price: Millipence::new(30_000),
        policy: &policy(),
        constitution: &[7; 32],
    };
    let suspicion = Suspicion {
        owner: "acct_a",
        agent_id: "agent_1",
        ip: Some("192.0.2.1"),
        risk_permille: 905,
        action: "blocked",
    };
    vec![
        (
            earn_completed("acct_a", "label-1", amount, NOW),
            &["user_id", "task", "earned_pence", "earned_gbp", "balance_pence", "worm_seal", "record_id"],
        ),
        (withdrawal_initiated("acct_a", amount, "tr_1", NOW), &["user_id", "amount_pence", "stripe_transfer"]),
        (withdrawal_failed("acct_a", "closed account", NOW), &["user_id", "error", "record_id"]),
        (agent_completed("acct_a", "task_1", "agent_1", 12, NOW), &["task_id", "agent_id", "duration_ms"]),
        (agent_failed("acct_a", "task_1", "agent_1", "E018", 3, NOW), &["task_id", "error", "retries"]),
        (signup_created("acct_b", Some("acct_a"), Some("x"), NOW).remove(1), &["user_id", "referral_code"]),
        (fraud_blocked("acct_a", "velocity", "high", NOW).remove(0), &["user_id", "reason", "risk_level"]),
        (credit_low("acct_a", amount, amount, NOW), &["user_id", "credit_pence", "threshold_pence"]),
        (webhook_test("acct_a", NOW), &["user_id", "message"]),
        (
            refund_failed(Some("acct_a"), "rf_1", amount, Millipence::ZERO, "lost_or_stolen_card", NOW).remove(0),
            &["user_id", "refund_id", "amount_pence", "restored_pence", "reason"],
        ),
        (agent_deployed(&deployed, NOW), &["agent_id", "name", "price_gbp", "earn_rate", "constitution"]),
        (
            payout_completed("acct_a", "wd_1", amount, Millipence::new(2_999), &policy(), NOW),
            &["payout_id", "amount_gbp", "earn_rate", "dream_tax_pence", "worm_sealed"],
        ),
        (
            billing_split("acct_a", "bridge/echo", &split.into(), &[7; 32], NOW),
            &["gross_pence", "dt_pence", "platform_pence", "agent_pence", "constitution"],
        ),
        (fraud_detected(&suspicion, NOW).remove(0), &["agent_id", "ip", "risk_score", "action"]),
    ]
}

#[test]
fn every_event_has_its_envelope_and_members() {
    let every = every_event();
    assert_eq!(every.iter().map(|(event, _)| event.event).collect::<Vec<_>>(), ALL.map(|(name, _)| name));
    for (event, members) in every {
        assert_eq!(event.account, "acct_a", "{}", event.event);
        let sent = sent(&event);
        let envelope: Vec<&str> = sent.as_object().unwrap().keys().map(String::as_str).collect();
        match by_name(event.event).unwrap().1 {
            Set::A => assert_eq!((envelope, &sent["ts"]), (vec!["data", "event", "ts"], &json!(NOW))),
            Set::B => {
                assert_eq!((envelope, &sent["timestamp"]), (vec!["data", "event", "timestamp"], &json!(NOW / 1000)));
            }
        }
        assert_eq!(sent["event"], event.event);
        assert_eq!(sent["data"]["worm_seal"], "ab".repeat(32));
        for member in members {
            assert!(sent["data"].get(member).is_some(), "{} has no {member}: {sent}", event.event);
        }
    }
}

#[test]
fn amounts_are_whole_pence_that_sum() {
    let every = every_event();
    let data = |name: &str| sent(&every.iter().find(|(event, _)| event.event == name).unwrap().0)["data"].clone();
    let split = data(BILLING_SPLIT);
    let pence = ["agent_pence", "platform_pence", "dt_pence", "gross_pence"].map(|name| split[name].as_i64().unwrap());
    assert_eq!(pence, [8, 2, 0, 10]);
    assert_eq!((&split["platform_millipence"], &split["dt_millipence"]), (&json!(1_750), &json!(250)));
    let earned = data(EARN_COMPLETED);
    assert_eq!((&earned["earned_pence"], &earned["earned_gbp"]), (&json!(78), &json!("£0.78")));
    assert_eq!(earned["balance_pence"], 123);
    let (deployed, payout) = (data(AGENT_DEPLOYED), data(PAYOUT_COMPLETED));
    assert_eq!((&deployed["price_gbp"], &deployed["earn_rate"]), (&json!(0.3), &json!(0.8)));
    assert_eq!((&payout["amount_gbp"], &payout["dream_tax_pence"]), (&json!(0.78), &json!(2)));
}

#[test]
fn owner_and_operator_learn_where_a_suspicious_request_came_from() {
    let suspicion = Suspicion {
        owner: "acct_a",
        agent_id: "agent_1",
        ip: Some("192.0.2.1"),
        risk_permille: 905,
        action: "blocked",
    };
    let events = fraud_detected(&suspicion, NOW);
    assert_eq!(events.iter().map(|event| event.account.as_str()).collect::<Vec<_>>(), ["acct_a", OPERATOR]);
    for event in &events {
        let data = &sent(event)["data"];
        assert_eq!((&data["ip"], &data["risk_score"]), (&json!("192.0.2.1"), &json!(0.905)));
    }
}

#[test]
fn ids_are_stable_and_read_back() {
    let event = row(&webhook_test("acct_a", NOW));
    let id = EventId::of(&event).to_string();
    assert_eq!(id, "evt_41-2-abababab");
    assert_eq!(id.parse::<EventId>().unwrap(), EventId::of(&event));
    for bad in ["", "evt_", "evt_1-2", "evt_1-2-ab", "evt_01-2-abababab", "evt_1-70000-abababab", "x_1-2-abababab"] {
        assert!(bad.parse::<EventId>().is_err(), "{bad}");
    }
}
