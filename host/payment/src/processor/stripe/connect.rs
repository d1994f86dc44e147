//! Stripe Connect: payout accounts of developers.

use serde::Deserialize;

use super::super::error::ProcessorError;
use super::client::StripeClient;
use super::http::{API_VERSION, form};
use super::transport::StripeRequest;

/// The pages of Stripe Connect.
pub(super) struct StripeConnect {
    pub(super) base: String,
    /// This server's client id at Stripe Connect; `None` if no payout account can be
    /// connected.
    pub(super) client_id: Option<String>,
}

#[derive(Deserialize)]
struct ConnectedAccount {
    stripe_user_id: String,
}

impl StripeConnect {
    /// Returns the URL where a developer connects a payout account.
    pub(super) fn url(&self, state: &str, return_url: &str) -> Result<String, ProcessorError> {
        let client_id = self.client_id.as_deref();
        let client_id = client_id.ok_or(ProcessorError::NotConfigured("set payments.stripe.client_id"))?;
        let mut url = reqwest::Url::parse(&format!("{}/oauth/authorize", self.base))
            .map_err(|_| ProcessorError::NotConfigured("payments.stripe.connect_base is not a URL"))?;
        url.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", client_id),
            ("scope", "read_write"),
            ("state", state),
            ("redirect_uri", return_url),
        ]);
        Ok(url.into())
    }

    /// Exchanges a code for the id of the connected account.
    pub(super) async fn exchange(&self, client: &StripeClient, code: &str) -> Result<String, ProcessorError> {
        let fields = form(&[("grant_type", "authorization_code"), ("code", code)]);
        let (url, version) = (format!("{}/oauth/token", self.base), API_VERSION);
        let request = StripeRequest { method: "POST", url, version, fields, idempotency_key: None };
        let account: ConnectedAccount = client.send(request).await?;
        Ok(account.stripe_user_id)
    }
}
