//! Payment intents and refunds as the API shows them.

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_core::timestamp::Timestamp;

use crate::intent::IntentStatus;
use crate::refund_row::{RefundRow, RefundStatus};

/// A payment intent.
#[derive(Serialize, JsonSchema)]
pub struct PaymentState {
    payment_intent_id: String,
    #[schemars(extend("enum" = ["unpaid", "paid", "used_up", "refunded", "expired"]))]
    state: &'static str,
    bridge: String,
    amount_gbp: String,
    charge_gbp: String,
    remaining_gbp: String,
    remaining_pence: i64,
    #[schemars(extend("const" = "gbp"))]
    currency: &'static str,
    expires_at: Timestamp,
    paid_at: Option<Timestamp>,
    refund: Option<RefundView>,
}

impl PaymentState {
    /// Creates the view of an intent and its last refund.
    pub fn new(intent: String, status: &IntentStatus, refund: Option<RefundRow>) -> Self {
        let terms = &status.quote.terms;
        Self {
            payment_intent_id: intent,
            state: state(status, refund.as_ref()),
            bridge: terms.bridge.clone(),
            amount_gbp: terms.price.pounds(),
            charge_gbp: terms.charge.pounds(),
            remaining_gbp: status.remaining.pounds(),
            remaining_pence: status.remaining.pence_floor(),
            currency: "gbp",
            expires_at: Timestamp::from_ms(terms.expires_s.saturating_mul(1000)),
            paid_at: status.paid.as_ref().map(|row| Timestamp::from_ms(row.paid_ms)),
            refund: refund.map(RefundView::new),
        }
    }
}

fn state(status: &IntentStatus, refund: Option<&RefundRow>) -> &'static str {
    let went_back =
        refund.is_some_and(|row| !matches!(row.state, RefundStatus::Failing { .. } | RefundStatus::Failed { .. }));
    match (&status.paid, status.expired) {
        (None, true) => "expired",
        (None, false) => "unpaid",
        (Some(_), _) if status.remaining.is_zero() && went_back => "refunded",
        (Some(_), _) if status.remaining.is_zero() && status.quote.terms.product().is_none() => "used_up",
        (Some(_), _) => "paid",
    }
}

/// A refund to the payer.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Refund")]
pub struct RefundView {
    refund_id: String,
    #[schemars(extend("enum" = ["refunded", "pending", "failed"]))]
    status: &'static str,
    amount_gbp: String,
    amount_pence: i64,
    requested_at: Timestamp,
    /// The reason for the failure.
    reason: Option<String>,
}

impl RefundView {
    /// Creates the view of a row.
    pub fn new(row: RefundRow) -> Self {
        let (status, reason) = match row.state {
            RefundStatus::Owed | RefundStatus::Failing { .. } => ("pending", None),
            RefundStatus::Paid => ("refunded", None),
            RefundStatus::Failed { reason } => ("failed", Some(reason)),
        };
        Self {
            refund_id: row.id,
            status,
            amount_gbp: row.amount.pounds(),
            amount_pence: row.amount.pence_floor(),
            requested_at: Timestamp::from_ms(row.created_ms),
            reason,
        }
    }
}
