//! The client of Stripe: its secrets, addresses and requests.

use serde::de::DeserializeOwned;
use tollbridge_core::config::{BaseUrl, Secret};

use super::super::error::{LookupError, ProcessorError};
use super::http::{API_VERSION, StripeHttp, decode};

/// Stripe as a payment processor.
pub struct StripeProcessor {
    pub(super) http: StripeHttp,
    pub(super) api_base: String,
    pub(super) connect_base: String,
    pub(super) secret_key: Secret,
    pub(super) client_id: Option<String>,
}

impl StripeProcessor {
    /// Creates a client of Stripe; sends nothing. `client_id` is the id for Stripe
    /// Connect; without it no payout account can be connected.
    ///
    /// # Errors
    ///
    /// Fails if the HTTP client cannot be created.
    pub fn new(
        secret_key: Secret,
        client_id: Option<String>,
        api_base: &BaseUrl,
        connect_base: &BaseUrl,
    ) -> Result<Self, ProcessorError> {
        let http = StripeHttp::new()?;
        Ok(Self { http, api_base: api_base.to_string(), connect_base: connect_base.to_string(), secret_key, client_id })
    }

    /// Sends a POST; a repeat with the same idempotency key is the same request.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        fields: &[(String, String)],
        idempotency_key: &str,
    ) -> Result<T, ProcessorError> {
        self.post_at(API_VERSION, path, fields, idempotency_key).await
    }

    /// Sends a request as [`Self::post`] does, in another version of the API.
    pub(super) async fn post_at<T: DeserializeOwned>(
        &self,
        version: &'static str,
        path: &str,
        fields: &[(String, String)],
        idempotency_key: &str,
    ) -> Result<T, ProcessorError> {
        let url = format!("{}{path}", self.api_base);
        let sent = self.http.post(&url, (version, self.secret_key.expose()), fields, Some(idempotency_key));
        decode(sent.await?)
    }

    /// Sends a GET.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, LookupError> {
        let url = format!("{}{path}", self.api_base);
        Ok(decode(self.http.get(&url, self.secret_key.expose(), query).await?)?)
    }
}
