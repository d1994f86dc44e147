//! The client of Stripe's API.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::super::error::{LookupError, ProcessorError};
use super::http::{API_VERSION, decode, exchange, form};
use super::transport::{StripeRequest, StripeTransport};

/// A client of Stripe's API.
pub(super) struct StripeClient {
    transport: Arc<dyn StripeTransport>,
    api_base: String,
}

impl StripeClient {
    /// Creates a client for the API at `api_base`; sends nothing.
    pub(super) fn new(transport: Arc<dyn StripeTransport>, api_base: String) -> Self {
        Self { transport, api_base }
    }

    /// Sends a POST request; Stripe answers a repeat with the same idempotency key like
    /// the first request.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        fields: Vec<(String, String)>,
        idempotency_key: String,
    ) -> Result<T, ProcessorError> {
        self.post_at(API_VERSION, path, fields, idempotency_key).await
    }

    /// Same as [`Self::post`], with another version of the API.
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

    /// Sends a GET request.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, LookupError> {
        let url = format!("{}{path}", self.api_base);
        let (version, fields) = (API_VERSION, form(query));
        Ok(self.send(StripeRequest { method: "GET", url, version, fields, idempotency_key: None }).await?)
    }

    /// Sends a request to any address.
    pub(super) async fn send<T: DeserializeOwned>(&self, request: StripeRequest) -> Result<T, ProcessorError> {
        decode(exchange(self.transport.as_ref(), request).await?)
    }
}
