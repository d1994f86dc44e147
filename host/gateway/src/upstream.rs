//! Sends one request to one provider, and reads the head of its response or its complete
//! body.
//!
//! Invariants: redirects are not followed, and proxies named in the environment are not
//! used; the size of an answer is limited; dropping a future closes its connection.

use std::borrow::Cow;

use bytes::{Bytes, BytesMut};
use http::Uri;
use reqwest::multipart::Form;
use tollbridge_core::config::{ProviderKind, Secret};

use super::provider::ModelDeployment;
use super::provider_client::{ClientError, HttpResponse, ProviderClient, next_chunk};
use super::provider_error::ProviderError;
use super::request::{InferenceEndpoint, ModelRequest};
use super::wire::anthropic;
use crate::limits::INFERENCE_RESPONSE_BYTES_MAX;

const NOT_SENT: ProviderError = ProviderError::Malformed("nothing, because no request was sent");
const TOO_LONG: ProviderError = ProviderError::Malformed("an oversized answer");
/// Maximum number of bytes read of an error response.
const ERROR_BYTES_MAX: usize = 64 << 10;

/// Sends requests to providers.
#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    client: ProviderClient,
}

impl Upstream {
    pub(crate) fn new() -> Result<Self, ClientError> {
        Ok(Self { client: ProviderClient::new()? })
    }

    /// Sends a request and waits for the head of a successful response.
    pub(crate) async fn send(
        &self,
        request: &ModelRequest,
        deployment: &ModelDeployment,
    ) -> Result<HttpResponse, ProviderError> {
        let (address, payload) = address_and_payload(request, deployment)?;
        self.post(address, payload, deployment).await
    }

    /// Requests Anthropic's token count of a request.
    pub(crate) async fn count_tokens(
        &self,
        request: &ModelRequest,
        deployment: &ModelDeployment,
    ) -> Result<Bytes, ProviderError> {
        let native = request.native.as_deref().zip(deployment.provider.count_tokens.as_ref());
        let (native, address) = native.ok_or(ProviderError::UnknownModel)?;
        let body = native.body(deployment).map_err(|_| NOT_SENT)?;
        read(self.post(address, Payload::Json(body), deployment).await?, ERROR_BYTES_MAX).await
    }

    async fn post(
        &self,
        address: &Uri,
        payload: Payload,
        deployment: &ModelDeployment,
    ) -> Result<HttpResponse, ProviderError> {
        let provider = &deployment.provider;
        let address = provider.engine.as_ref().map_or(Cow::Borrowed(address), |engine| engine.at_port(address));
        let sent = match payload {
            Payload::Json(body) => self.client.post(&address, &provider.headers, body).await,
            Payload::Form(form) => self.client.post_form(&address, &provider.headers, form).await,
        };
        let response = sent.map_err(|error| {
            tracing::debug!(place = deployment.label(), ?error, "a request to a provider failed");
            error
        })?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, headers) = (response.status(), response.headers().clone());
        let body = read(response, ERROR_BYTES_MAX).await.unwrap_or_default();
        Err(ProviderError::from_status(status, &headers, &body, provider.key.as_ref().map(Secret::expose)))
    }

    /// Sends a request and reads the complete answer.
    pub(crate) async fn send_and_read(
        &self,
        request: &ModelRequest,
        deployment: &ModelDeployment,
    ) -> Result<Bytes, ProviderError> {
        read(self.send(request, deployment).await?, INFERENCE_RESPONSE_BYTES_MAX).await
    }
}

/// The payload of a request to a provider.
enum Payload {
    Json(Vec<u8>),
    Form(Form),
}

/// Returns the address and the payload for a request.
fn address_and_payload<'d>(
    request: &ModelRequest,
    deployment: &'d ModelDeployment,
) -> Result<(&'d Uri, Payload), ProviderError> {
    let provider = &deployment.provider;
    let not_sent = |_| NOT_SENT;
    if let Some(native) = request.native.as_deref()
        && let Some(address) = native.address(provider)
    {
        return Ok((address, Payload::Json(native.body(deployment).map_err(not_sent)?)));
    }
    match (provider.kind, request.endpoint) {
        (ProviderKind::Anthropic, InferenceEndpoint::Chat) => {
            Ok((&provider.chat, Payload::Json(anthropic::request(request, deployment)?)))
        }
        (ProviderKind::Anthropic, _) => Err(ProviderError::UnknownModel),
        (ProviderKind::OpenAi, endpoint) => {
            let address = match endpoint {
                InferenceEndpoint::Chat => &provider.chat,
                InferenceEndpoint::Embeddings => &provider.embeddings,
                InferenceEndpoint::Speech => &provider.speech,
                InferenceEndpoint::Transcription => &provider.transcriptions,
                InferenceEndpoint::Images => &provider.images,
            };
            let payload = match request.form(deployment) {
                Some(form) => form.map(Payload::Form).map_err(|_| NOT_SENT)?,
                None => request.for_openai(deployment).map(Payload::Json).map_err(not_sent)?,
            };
            Ok((address, payload))
        }
    }
}

async fn read(mut response: HttpResponse, limit: usize) -> Result<Bytes, ProviderError> {
    let Some(first) = next_chunk(&mut response).await? else { return Ok(Bytes::new()) };
    // Most answers arrive in one piece, which is returned without copying.
    let mut body = BytesMut::from(first);
    while let Some(chunk) = next_chunk(&mut response).await? {
        if body.len().saturating_add(chunk.len()) > limit {
            return Err(TOO_LONG);
        }
        body.extend_from_slice(&chunk);
    }
    if body.len() > limit { Err(TOO_LONG) } else { Ok(body.freeze()) }
}
