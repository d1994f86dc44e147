//! Refunds at Stripe.

use std::collections::BTreeMap;

use serde::Deserialize;
use tollbridge_core::money::Millipence;

use super::super::error::{LookupError, ProcessorError};
use super::super::refund::ProcessorRefund;
use super::amount::format_pence;
use super::client::StripeProcessor;
use super::http::{List, form};

/// The member of Stripe's metadata that names our refund.
const REFUND_KEY: &str = "tollbridge_refund";

#[derive(Deserialize)]
struct Refund {
    id: String,
    status: Option<String>,
    failure_reason: Option<String>,
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
}

impl StripeProcessor {
    pub(in crate::processor) async fn refund(
        &self,
        refund: &str,
        payment: &str,
        amount: Millipence,
    ) -> Result<ProcessorRefund, ProcessorError> {
        let fields = form(&[
            ("payment_intent", payment),
            ("amount", &format_pence(amount)?),
            (&format!("metadata[{REFUND_KEY}]"), refund),
        ]);
        let created: Refund = self.post("/v1/refunds", &fields, &format!("tb_refund_{refund}")).await?;
        Ok(created.into())
    }

    pub(in crate::processor) async fn find_refund(
        &self,
        refund: &str,
        payment: &str,
    ) -> Result<Option<ProcessorRefund>, LookupError> {
        let page: List<Refund> = self.get("/v1/refunds", &[("payment_intent", payment), ("limit", "100")]).await?;
        Ok(page.data.into_iter().find(|candidate| candidate.is_of(refund)).map(ProcessorRefund::from))
    }
}

impl Refund {
    fn is_of(&self, refund: &str) -> bool {
        self.metadata.as_ref().and_then(|metadata| metadata.get(REFUND_KEY)).is_some_and(|id| id == refund)
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
