//! The transport of requests to Stripe.

use async_trait::async_trait;

/// A request to Stripe. Its fields may contain secrets, so it has no `Debug`.
pub struct StripeRequest {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Full URL with scheme and host.
    pub url: String,
    /// Version of Stripe's API.
    pub version: &'static str,
    /// Fields of the form or of the query string.
    pub fields: Vec<(String, String)>,
    /// Value of the header `Idempotency-Key`.
    pub idempotency_key: Option<String>,
}

/// A transport of requests to Stripe: HTTP, or a simulated network.
#[async_trait]
pub trait StripeTransport: Send + Sync {
    /// Sends a request and returns status and body of the response.
    ///
    /// # Errors
    ///
    /// Returns the reason if no complete response arrives. The request may still have
    /// been carried out.
    async fn exchange(&self, request: StripeRequest) -> Result<(u16, Vec<u8>), String>;
}
