//! Stripe Connect: payout accounts of developers and transfers to them.

use serde::Deserialize;
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;

use super::super::error::{LookupError, ProcessorError};
use super::super::transfer::ProcessorTransfer;
use super::amount::{format_pence, parse_pence};
use super::client::StripeProcessor;
use super::http::{API_VERSION, List, form, path_segment};
use super::transport::StripeRequest;

#[derive(Deserialize)]
struct ObjectId {
    id: String,
}

#[derive(Deserialize)]
struct Transfer {
    id: String,
    currency: String,
    amount_reversed: i64,
    transfer_group: Option<String>,
}

#[derive(Deserialize)]
struct ConnectedAccount {
    stripe_user_id: String,
}

impl StripeProcessor {
    pub(super) fn connect_url(&self, state: &str, return_url: &str) -> Result<String, ProcessorError> {
        let client_id = self.client_id.as_deref();
        let client_id = client_id.ok_or(ProcessorError::NotConfigured("set payments.stripe.client_id"))?;
        let mut url = reqwest::Url::parse(&format!("{}/oauth/authorize", self.connect_base))
            .map_err(|_| ProcessorError::NotConfigured("payments.stripe.connect_base is not an address"))?;
        url.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", client_id),
            ("scope", "read_write"),
            ("state", state),
            ("redirect_uri", return_url),
        ]);
        Ok(url.into())
    }

    pub(super) async fn connect(&self, code: &str) -> Result<String, ProcessorError> {
        let fields = form(&[("grant_type", "authorization_code"), ("code", code)]);
        let (url, version) = (format!("{}/oauth/token", self.connect_base), API_VERSION);
        let request = StripeRequest { method: "POST", url, version, fields, idempotency_key: None };
        let account: ConnectedAccount = self.send(request).await?;
        Ok(account.stripe_user_id)
    }

    pub(super) async fn transfer(
        &self,
        withdrawal: &str,
        destination: &str,
        amount: Millipence,
    ) -> Result<String, ProcessorError> {
        let fields = form(&[
            ("amount", &format_pence(amount)?),
            ("currency", "gbp"),
            ("destination", destination),
            ("transfer_group", withdrawal),
            ("metadata[tollbridge_withdrawal]", withdrawal),
        ]);
        let mut key = format!("tb_transfer_{withdrawal}");
        if Defect::RetryWithNewKey.is_planted() {
            key.push_str(&getrandom::u32().unwrap_or(0).to_string());
        }
        let transfer: ObjectId = self.post("/v1/transfers", fields, key).await?;
        Ok(transfer.id)
    }

    pub(super) async fn find_transfer(&self, withdrawal: &str) -> Result<Option<ProcessorTransfer>, LookupError> {
        let query = [("transfer_group", withdrawal), ("limit", "1")];
        let page: List<Transfer> = self.get("/v1/transfers", &query).await?;
        page.data.into_iter().next().map(Transfer::into_stated).transpose()
    }

    /// Finds a transfer by Stripe's id, with the withdrawal that it paid; `None` if it
    /// paid no withdrawal.
    pub(super) async fn transfer_of(&self, id: &str) -> Result<Option<(String, ProcessorTransfer)>, LookupError> {
        let mut transfer: Transfer = self.get(&format!("/v1/transfers/{}", path_segment(id)), &[]).await?;
        let Some(withdrawal) = transfer.transfer_group.take() else { return Ok(None) };
        Ok(Some((withdrawal, transfer.into_stated()?)))
    }
}

impl Transfer {
    fn into_stated(self) -> Result<ProcessorTransfer, LookupError> {
        Ok(ProcessorTransfer { reversed: parse_pence(self.amount_reversed, Some(&self.currency))?, reference: self.id })
    }
}
