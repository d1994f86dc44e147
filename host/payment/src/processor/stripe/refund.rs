//! Refunds at Stripe.

use std::collections::BTreeMap;

use serde::Deserialize;
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;

use super::super::error::{LookupError, ProcessorError};
use super::super::refund::ProcessorRefund;
use super::amount::format_pence;
use super::client::StripeClient;
use super::http::{List, form, path_segment};

/// Key in Stripe's metadata under which this server's id of the refund is stored.
const REFUND_KEY: &str = "tollbridge_refund";

#[derive(Deserialize)]
struct Refund {
    id: String,
    status: Option<String>,
    failure_reason: Option<String>,
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
}

pub(super) async fn refund(
    client: &StripeClient,
    refund: &str,
    payment: &str,
    amount: Millipence,
) -> Result<ProcessorRefund, ProcessorError> {
    let fields = form(&[
        ("payment_intent", payment),
        ("amount", &format_pence(amount)?),
        (&format!("metadata[{REFUND_KEY}]"), refund),
    ]);
    let mut key = format!("tb_refund_{refund}");
    if Defect::RefundWithNewKey.is_planted() {
        key.push_str(&getrandom::u32().unwrap_or(0).to_string());
    }
    let created: Refund = client.post("/v1/refunds", fields, key).await?;
    Ok(created.into())
}

pub(super) async fn find_refund(
    client: &StripeClient,
    refund: &str,
    payment: &str,
) -> Result<Option<ProcessorRefund>, LookupError> {
    let page: List<Refund> = client.get("/v1/refunds", &[("payment_intent", payment), ("limit", "100")]).await?;
    Ok(page.data.into_iter().find(|candidate| candidate.ours() == Some(refund)).map(ProcessorRefund::from))
}

/// Finds a refund by Stripe's id, and returns it with this server's id; `None` for
/// refunds made elsewhere.
pub(super) async fn refund_of(
    client: &StripeClient,
    id: &str,
) -> Result<Option<(String, ProcessorRefund)>, LookupError> {
    let refund: Refund = client.get(&format!("/v1/refunds/{}", path_segment(id)), &[]).await?;
    Ok(refund.ours().map(str::to_owned).map(|ours| (ours, refund.into())))
}

impl Refund {
    /// Returns the id under which this server requested the refund.
    fn ours(&self) -> Option<&str> {
        self.metadata.as_ref()?.get(REFUND_KEY).map(String::as_str)
    }
}

impl From<Refund> for ProcessorRefund {
    fn from(refund: Refund) -> Self {
        match refund.status.as_deref() {
            Some("succeeded") => Self::Paid { reference: refund.id },
            Some("failed" | "canceled") => {
                Self::Failed { reason: refund.failure_reason.unwrap_or_else(|| "failed".to_owned()) }
            }
            _ => Self::Pending,
        }
    }
}
