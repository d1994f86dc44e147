//! The transport of requests to Stripe over HTTP.

use std::time::Duration;

use async_trait::async_trait;
use reqwest::Client;
use tollbridge_core::config::Secret;

use super::super::error::ProcessorError;
use super::transport::{StripeRequest, StripeTransport};

/// Maximum time to connect to the payment processor, including name resolution and TLS.
const PROCESSOR_CONNECT_MS_MAX: u64 = 5_000;
/// Maximum size of a response of the payment processor; a page of its books is about 100
/// KiB.
const PROCESSOR_RESPONSE_BYTES_MAX: usize = 2 << 20;

/// An HTTP client with Stripe's secret key.
pub(super) struct HttpTransport {
    client: Client,
    secret_key: Secret,
}

impl HttpTransport {
    pub(super) fn new(secret_key: Secret) -> Result<Self, ProcessorError> {
        tollbridge_core::tls_provider::install();
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .connect_timeout(Duration::from_millis(PROCESSOR_CONNECT_MS_MAX))
            .user_agent(concat!("tollbridge/", env!("CARGO_PKG_VERSION")))
            .build();
        let client = client.map_err(|error| ProcessorError::OutcomeUnknown(root_cause(&error)))?;
        Ok(Self { client, secret_key })
    }
}

#[async_trait]
impl StripeTransport for HttpTransport {
    async fn exchange(&self, request: StripeRequest) -> Result<(u16, Vec<u8>), String> {
        let sent = match request.method {
            "POST" => self.client.post(&request.url).form(&request.fields),
            _ => self.client.get(&request.url).query(&request.fields),
        };
        let sent = match &request.idempotency_key {
            Some(key) => sent.header("Idempotency-Key", key),
            None => sent,
        };
        let sent = sent.bearer_auth(self.secret_key.expose()).header("Stripe-Version", request.version);
        let broken = |error: reqwest::Error| root_cause(&error);
        let mut response = sent.send().await.map_err(broken)?;
        let status = response.status().as_u16();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            if body.len().saturating_add(chunk.len()) > PROCESSOR_RESPONSE_BYTES_MAX {
                return Err("the response is too large".to_owned());
            }
            body.extend_from_slice(&chunk);
        }
        Ok((status, body))
    }
}

/// Returns the innermost cause; the outer errors repeat the whole URL.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if error.is_timeout() { "no response in time".to_owned() } else { cause.to_string() }
}
