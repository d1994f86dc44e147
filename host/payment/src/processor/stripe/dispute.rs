//! Disputes at Stripe.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::dispute::{DisputeCase, DisputeStatus, ProcessorDispute};
use super::super::error::LookupError;
use super::amount::parse_pence;
use super::balance::FeeLine;
use super::checkout_session::INTENT_KEY;
use super::client::StripeClient;
use super::http::{path_segment, unexpected};

#[derive(Deserialize)]
struct Dispute {
    id: String,
    amount: i64,
    currency: String,
    status: String,
    payment_intent: Option<String>,
    /// Balance lines of the dispute: those that withdrew the money and those that
    /// returned it.
    #[serde(default)]
    balance_transactions: Vec<FeeLine>,
}

/// The part of Stripe's dispute object that is needed to answer the dispute.
#[derive(Deserialize)]
struct Case {
    status: String,
    reason: Option<String>,
    payment_intent: Option<String>,
    #[serde(default)]
    evidence_details: EvidenceDetails,
    #[serde(default)]
    livemode: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct EvidenceDetails {
    due_by: Option<u64>,
    submission_count: u64,
}

#[derive(Deserialize)]
struct PaymentIntent {
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
}

/// Returns the data needed to answer a dispute.
pub(super) async fn dispute_case(client: &StripeClient, id: &str) -> Result<DisputeCase, LookupError> {
    let case: Case = client.get(&format!("/v1/disputes/{}", path_segment(id)), &[]).await?;
    Ok(DisputeCase {
        status: case.status,
        reason: case.reason,
        payment: case.payment_intent,
        evidence_due_s: case.evidence_details.due_by,
        evidence_sent: case.evidence_details.submission_count,
        is_live: case.livemode,
    })
}

/// Returns the current state of a dispute, with the intent of the disputed payment.
pub(super) async fn dispute(client: &StripeClient, id: &str) -> Result<ProcessorDispute, LookupError> {
    let dispute: Dispute = client.get(&format!("/v1/disputes/{}", path_segment(id)), &[]).await?;
    let payment = dispute.payment_intent.ok_or_else(|| unexpected("a dispute without a payment"))?;
    let path = format!("/v1/payment_intents/{}", path_segment(&payment));
    let intent: PaymentIntent = client.get(&path, &[]).await?;
    let status = match dispute.status.as_str() {
        "won" => DisputeStatus::Won,
        inquiry if inquiry.starts_with("warning_") => DisputeStatus::Inquiry,
        _ => DisputeStatus::FundsWithdrawn,
    };
    let fees = dispute.balance_transactions.into_iter().map(FeeLine::into_fee);
    Ok(ProcessorDispute {
        id: dispute.id,
        payment,
        handle: intent.metadata.and_then(|mut metadata| metadata.remove(INTENT_KEY)),
        amount: parse_pence(dispute.amount, Some(&dispute.currency))?,
        status,
        fees: fees.collect::<Result<_, _>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_may_lack_what_only_some_have() {
        let read = |text: &str| serde_json::from_str::<Case>(text).unwrap();
        let case = read(
            r#"{"id":"dp_1","status":"needs_response","reason":"fraudulent","payment_intent":"pi_1","livemode":true,
               "evidence_details":{"due_by":1795000000,"has_evidence":false,"past_due":false,"submission_count":2}}"#,
        );
        assert_eq!((case.evidence_details.due_by, case.evidence_details.submission_count), (Some(1_795_000_000), 2));
        let case = read(r#"{"status":"lost","evidence_details":{"due_by":null,"submission_count":0}}"#);
        assert!(case.evidence_details.due_by.is_none() && case.reason.is_none() && !case.livemode);
        assert!(read(r#"{"status":"won"}"#).payment_intent.is_none());
    }
}
