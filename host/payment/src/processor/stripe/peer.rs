//! A Stripe in the process of a test: the client is the real one down to the
//! request, and below it there is no network.

use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;
use tollbridge_core::config::{BaseUrl, Secret};

use super::super::error::ProcessorError;
use super::client::StripeProcessor;
use super::http::StripeHttp;

/// A request of the client.
#[derive(Clone, Debug)]
pub struct PeerRequest {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// With scheme and host.
    pub url: String,
    /// Of the form, or of the query.
    pub fields: Vec<(String, String)>,
    /// Of the header `Idempotency-Key`.
    pub idempotency_key: Option<String>,
}

/// Answers requests in the place of Stripe.
pub trait StripePeer: Send + Sync {
    /// Status and body; an error is a connection that broke.
    fn exchange(&self, request: PeerRequest) -> BoxFuture<'_, Result<(u16, Vec<u8>), String>>;
}

impl StripeProcessor {
    /// A client that sends everything to `peer`, under the same time-outs.
    ///
    /// # Errors
    /// As [`StripeProcessor::new`].
    pub fn with_peer(base: &BaseUrl, peer: Arc<dyn StripePeer>) -> Result<Self, ProcessorError> {
        // It sends nothing, and takes long to make.
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
