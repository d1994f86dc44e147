//! The client of Stripe: its addresses and requests.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use tollbridge_core::config::{BaseUrl, Secret};

use super::super::error::{LookupError, ProcessorError};
use super::http::{API_VERSION, decode, exchange, form};
use super::http_transport::HttpTransport;
use super::transport::{StripeRequest, StripeTransport};

/// Stripe as a payment processor.
pub struct StripeProcessor {
    transport: Arc<dyn StripeTransport>,
    pub(super) api_base: String,
    pub(super) connect_base: String,
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
        Ok(Self::over(Arc::new(HttpTransport::new(secret_key)?), client_id, api_base, connect_base))
    }

    /// Creates a client whose requests take another transport than HTTP.
    pub fn over(
        transport: Arc<dyn StripeTransport>,
        client_id: Option<String>,
        api_base: &BaseUrl,
        connect_base: &BaseUrl,
    ) -> Self {
        Self { transport, api_base: api_base.to_string(), connect_base: connect_base.to_string(), client_id }
    }

    /// Sends a POST; a repeat with the same idempotency key is the same request.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        fields: Vec<(String, String)>,
        idempotency_key: String,
    ) -> Result<T, ProcessorError> {
        self.post_at(API_VERSION, path, fields, idempotency_key).await
    }

    /// Sends a request as [`Self::post`] does, in another version of the API.
    pub(super) async fn post_at<T: DeserializeOwned>(
        &self,
        version: &'static str,
        path: &str,
        fields: Vec<(String, String)>,
        idempotency_key: String,
    ) -> Result<T, ProcessorError> {
        let url = format!("{}{path}", self.api_base);
        let idempotency_key = Some(idempotency_key);
        self.send(StripeRequest { method: "POST", url, version, fields, idempotency_key }).await
    }

    /// Sends a GET.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, LookupError> {
        let url = format!("{}{path}", self.api_base);
        let (version, fields) = (API_VERSION, form(query));
        Ok(self.send(StripeRequest { method: "GET", url, version, fields, idempotency_key: None }).await?)
    }

    pub(super) async fn send<T: DeserializeOwned>(&self, request: StripeRequest) -> Result<T, ProcessorError> {
        decode(exchange(self.transport.as_ref(), request).await?)
    }
}
