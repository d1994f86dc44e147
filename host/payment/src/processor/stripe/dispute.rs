//! Disputes at Stripe.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::dispute::{DisputeStatus, ProcessorDispute};
use super::super::error::LookupError;
use super::amount::parse_pence;
use super::balance::FeeLine;
use super::checkout_session::INTENT_KEY;
use super::client::StripeProcessor;
use super::http::{path_segment, unexpected};

#[derive(Deserialize)]
struct Dispute {
    id: String,
    amount: i64,
    currency: String,
    status: String,
    payment_intent: Option<String>,
    /// The lines that took the money, and those that gave it back.
    #[serde(default)]
    balance_transactions: Vec<FeeLine>,
}

#[derive(Deserialize)]
struct PaymentIntent {
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
}

impl StripeProcessor {
    /// A dispute as it stands now, with the intent whose payment it is about.
    pub(crate) async fn dispute(&self, id: &str) -> Result<ProcessorDispute, LookupError> {
        let dispute: Dispute = self.get(&format!("/v1/disputes/{}", path_segment(id)), &[]).await?;
        let payment = dispute.payment_intent.ok_or_else(|| unexpected("a dispute without a payment"))?;
        let path = format!("/v1/payment_intents/{}", path_segment(&payment));
        let intent: PaymentIntent = self.get(&path, &[]).await?;
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
}
