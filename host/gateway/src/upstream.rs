//! One request to one provider, as far as the head of its answer or its whole
//! body.
//!
//! Invariants: nothing is followed and no proxy of the environment is used; an
//! answer is bounded; dropping a future breaks its connection off.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header;
use reqwest::multipart::Form;
use reqwest::{Client, Method, Response, Url};
use tollbridge_core::config::{ProviderKind, Secret};
use tollbridge_core::limits::{INFERENCE_CONNECT_MS_MAX, INFERENCE_RESPONSE_BYTES_MAX};

use super::provider::ModelDeployment;
use super::provider_error::ProviderError;
use super::request::{InferenceEndpoint, ModelRequest};
use super::wire::anthropic;

const NOT_ASKED: ProviderError = ProviderError::Malformed("nothing: it was not asked");
/// Enough to read what is wrong.
const ERROR_BYTES_MAX: usize = 64 << 10;
/// Connections kept for the next request, for each provider.
const IDLE_CONNECTIONS: usize = 256;

/// Sends requests to providers.
#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    client: Client,
}

impl Upstream {
    pub(crate) fn new() -> Result<Self, reqwest::Error> {
        // An error means that a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(Duration::from_millis(INFERENCE_CONNECT_MS_MAX))
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .tcp_nodelay(true)
            .build()?;
        Ok(Self { client })
    }

    /// Sends a request and waits for the head of a good answer.
    pub(crate) async fn open(
        &self,
        request: &ModelRequest,
        deployment: &ModelDeployment,
    ) -> Result<Response, ProviderError> {
        let (address, payload) = address_and_payload(request, deployment)?;
        self.post(address, payload, deployment).await
    }

    /// Asks Anthropic how many tokens a request has.
    pub(crate) async fn count_tokens(
        &self,
        request: &ModelRequest,
        deployment: &ModelDeployment,
    ) -> Result<Bytes, ProviderError> {
        let native = request.native.as_deref().zip(deployment.provider.count_tokens.as_ref());
        let (native, address) = native.ok_or(ProviderError::UnknownModel)?;
        let body = native.body(deployment).map_err(|_| NOT_ASKED)?;
        read(self.post(address, Payload::Json(body), deployment).await?, ERROR_BYTES_MAX).await
    }

    async fn post(
        &self,
        address: &Url,
        payload: Payload,
        deployment: &ModelDeployment,
    ) -> Result<Response, ProviderError> {
        let provider = &deployment.provider;
        let sent = match payload {
            Payload::Json(body) => {
                let mut sent = reqwest::Request::new(Method::POST, address.clone());
                sent.headers_mut().clone_from(&provider.headers);
                *sent.body_mut() = Some(body.into());
                sent
            }
            Payload::Form(form) => {
                let sent = self.client.post(address.clone()).multipart(form).build();
                let mut sent = sent.map_err(|error| send_error(&error, deployment))?;
                // A form has a content type of its own.
                let others = provider.headers.iter().filter(|(name, _)| *name != header::CONTENT_TYPE);
                sent.headers_mut().extend(others.map(|(name, value)| (name.clone(), value.clone())));
                sent
            }
        };
        let response = self.client.execute(sent).await.map_err(|error| send_error(&error, deployment))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, headers) = (response.status(), response.headers().clone());
        let body = read(response, ERROR_BYTES_MAX).await.unwrap_or_default();
        Err(ProviderError::from_status(status, &headers, &body, provider.key.as_ref().map(Secret::expose)))
    }

    /// Sends a request and reads the whole answer.
    pub(crate) async fn ask(
        &self,
        request: &ModelRequest,
        deployment: &ModelDeployment,
    ) -> Result<Bytes, ProviderError> {
        read(self.open(request, deployment).await?, INFERENCE_RESPONSE_BYTES_MAX).await
    }
}

/// What a request says.
enum Payload {
    Json(Vec<u8>),
    Form(Form),
}

/// Where a request goes, and what it says there.
fn address_and_payload<'d>(
    request: &ModelRequest,
    deployment: &'d ModelDeployment,
) -> Result<(&'d Url, Payload), ProviderError> {
    let provider = &deployment.provider;
    let not_asked = |_| NOT_ASKED;
    if let Some(native) = request.native.as_deref()
        && let Some(address) = native.address(provider)
    {
        return Ok((address, Payload::Json(native.body(deployment).map_err(not_asked)?)));
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
                Some(form) => form.map(Payload::Form).map_err(|_| NOT_ASKED)?,
                None => request.for_openai(deployment).map(Payload::Json).map_err(not_asked)?,
            };
            Ok((address, payload))
        }
    }
}

async fn read(mut response: Response, limit: usize) -> Result<Bytes, ProviderError> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| ProviderError::Truncated)? {
        if body.len().saturating_add(chunk.len()) > limit {
            return Err(ProviderError::Malformed("more than is taken of one answer"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn send_error(error: &reqwest::Error, deployment: &ModelDeployment) -> ProviderError {
    tracing::debug!(place = deployment.label(), connect = error.is_connect(), "a request to a provider failed");
    if error.is_timeout() && !error.is_connect() {
        ProviderError::TimedOut
    } else if error.is_connect() || error.is_builder() {
        ProviderError::Unreachable
    } else {
        // It went out, at least in part.
        ProviderError::Truncated
    }
}
