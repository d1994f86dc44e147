//! An in-process stand-in for Stripe in tests: the client is real down to the request,
//! and the network below it is replaced.

use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;
use tollbridge_core::config::{BaseUrl, Secret};

use super::super::error::ProcessorError;
use super::client::StripeProcessor;
use super::http::StripeHttp;

/// A request sent by the client.
#[derive(Clone, Debug)]
pub struct PeerRequest {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// Full URL with scheme and host.
    pub url: String,
    /// Fields of the form, or of the query.
    pub fields: Vec<(String, String)>,
    /// Value of the header `Idempotency-Key`.
    pub idempotency_key: Option<String>,
}

/// Answers requests in place of Stripe.
pub trait StripePeer: Send + Sync {
    /// Returns status and body; an error is a broken connection.
    fn exchange(&self, request: PeerRequest) -> BoxFuture<'_, Result<(u16, Vec<u8>), String>>;
}

impl StripeProcessor {
    /// Creates a client that sends all requests to `peer`, under the same time-outs.
    ///
    /// # Errors
    ///
    /// Same as [`StripeProcessor::new`].
    pub fn with_peer(base: &BaseUrl, peer: Arc<dyn StripePeer>) -> Result<Self, ProcessorError> {
        // Shared, because the HTTP client is unused here and slow to create.
        static CLIENT: OnceLock<StripeHttp> = OnceLock::new();
        if CLIENT.get().is_none() {
            let _ = CLIENT.set(StripeHttp::new()?);
        }
        let made = CLIENT.get().ok_or(ProcessorError::NotConfigured("no client"))?;
        Ok(Self {
            http: made.with_peer(peer),
            api_base: base.to_string(),
            connect_base: base.to_string(),
            secret_key: Secret::new("sk_test"),
            client_id: Some("ca_test".to_owned()),
        })
    }
}
