//! The HTTP client for providers.
//!
//! Requests with JSON, which are nearly all, use `hyper-util`'s client with the parts built at load
//! that are the same in each: a third less processor time than `reqwest`, which sends the forms.
//!
//! Invariants: redirects are not followed and proxies of the environment are not used; a provider
//! that could not be reached did not get the request, and any other failure leaves that open.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use reqwest::Body;
use reqwest::multipart::Form;
use tollbridge_core::limits::INFERENCE_CONNECT_MS_MAX;
use tower::{BoxError, Service};

use super::provider_error::ProviderError;

/// Idle connections kept for the next request, per provider.
const IDLE_CONNECTIONS: usize = 256;
/// Lifetime of idle connections; servers close theirs after a minute or two.
const IDLE_TIME: Duration = Duration::from_secs(90);
const CONNECT_TIME: Duration = Duration::from_millis(INFERENCE_CONNECT_MS_MAX);

/// The head of a response whose body is still to come, whatever its status.
pub(crate) type ResponseHead = Response<Body>;

/// An error of building the client: the certificates of this machine cannot be used, or a library
/// refuses its settings.
#[derive(Debug, thiserror::Error)]
#[error("the client of model providers: {0}")]
pub struct ClientError(#[source] BoxError);

/// Connections to all providers.
#[derive(Clone, Debug)]
pub(crate) struct ProviderClient {
    json: Client<Bounded<HttpsConnector<HttpConnector>>, Full<Bytes>>,
    forms: reqwest::Client,
}

impl ProviderClient {
    pub(crate) fn new() -> Result<Self, ClientError> {
        tollbridge_core::tls_provider::install();
        let forms = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(CONNECT_TIME)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .tcp_nodelay(true)
            .build();
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        // The TLS connector checks the scheme.
        tcp.enforce_http(false);
        let tls = HttpsConnectorBuilder::new()
            .with_provider_and_platform_verifier(rustls::crypto::ring::default_provider())
            .map_err(failed)?;
        let connector = Bounded(tls.https_or_http().enable_all_versions().wrap_connector(tcp));
        let json = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIME)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .build(connector);
        Ok(Self { json, forms: forms.map_err(failed)? })
    }

    /// Sends JSON and waits for the head of the response.
    pub(crate) async fn post(
        &self,
        address: &Uri,
        headers: &HeaderMap,
        body: Vec<u8>,
    ) -> Result<ResponseHead, ProviderError> {
        let mut request = Request::new(Full::from(body));
        *request.method_mut() = Method::POST;
        request.uri_mut().clone_from(address);
        request.headers_mut().clone_from(headers);
        tollbridge_telemetry::inject(request.headers_mut());
        let sent = self.json.request(request).await;
        let response = sent.map_err(|error| failure(error.is_connect()))?;
        Ok(response.map(Body::wrap))
    }

    /// Sends a form and waits for the head of the response.
    pub(crate) async fn post_form(
        &self,
        address: &Uri,
        headers: &HeaderMap,
        form: Form,
    ) -> Result<ResponseHead, ProviderError> {
        let request = self.forms.post(address.to_string()).multipart(form).build();
        let mut request = request.map_err(|_| ProviderError::Unreachable)?;
        // A form has its own content type.
        let others = headers.iter().filter(|(name, _)| *name != header::CONTENT_TYPE);
        request.headers_mut().extend(others.map(|(name, value)| (name.clone(), value.clone())));
        tollbridge_telemetry::inject(request.headers_mut());
        let sent = self.forms.execute(request).await;
        sent.map(Response::from).map_err(|error| failure(error.is_connect()))
    }
}

/// Returns the next piece of a response's body; `None` at its end.
pub(crate) async fn next_chunk(response: &mut ResponseHead) -> Result<Option<Bytes>, ProviderError> {
    while let Some(frame) = response.body_mut().frame().await {
        // Frames without data are trailers.
        if let Ok(data) = frame.map_err(|_| ProviderError::Truncated)?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

fn failed(error: impl Into<BoxError>) -> ClientError {
    ClientError(error.into())
}

/// Maps a failed connection to "not asked"; after any other failure the provider may have got the
/// request, at least in part.
const fn failure(is_connect: bool) -> ProviderError {
    if is_connect { ProviderError::Unreachable } else { ProviderError::Truncated }
}

/// A connector with one time-out for name resolution, TCP and TLS together.
#[derive(Clone, Debug)]
struct Bounded<C>(C);

impl<C> Service<Uri> for Bounded<C>
where
    C: Service<Uri>,
    C::Error: Into<BoxError>,
    C::Future: Send + 'static,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, address: Uri) -> Self::Future {
        let connecting = self.0.call(address);
        Box::pin(async move { tokio::time::timeout(CONNECT_TIME, connecting).await?.map_err(Into::into) })
    }
}
