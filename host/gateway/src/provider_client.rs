//! The HTTP client for providers.
//!
//! Nearly all requests are JSON, and are sent with `hyper-util`'s client, which takes a
//! third less processor time than `reqwest`; the parts common to all requests are built
//! once at start. Forms are sent with `reqwest`.
//!
//! Invariants: redirects are not followed, and proxies named in the environment are not
//! used; if a connection fails, the provider did not get the request, and after any other
//! failure it may have.

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
use tower::{BoxError, Service};

use super::provider_error::ProviderError;

/// Maximum time to connect to a provider, including name resolution and TLS.
const INFERENCE_CONNECT_MS_MAX: u64 = 2_000;

/// Maximum number of idle connections kept per provider.
const IDLE_CONNECTIONS: usize = 256;
/// Time after which idle connections are closed; servers close theirs after a minute or
/// two.
const IDLE_TIMEOUT: Duration = Duration::from_secs(90);
const CONNECT_TIMEOUT: Duration = Duration::from_millis(INFERENCE_CONNECT_MS_MAX);

/// The head of a response, of any status, whose body has not been read yet.
pub(crate) type HttpResponse = Response<Body>;

/// An error of building the HTTP client: the certificates of this machine cannot be used,
/// or a library rejects its settings.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client for model providers cannot start: {0}")]
pub struct ClientError(#[source] BoxError);

/// The connections to all providers.
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
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .tcp_nodelay(true)
            .build();
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        // Allow `https` URLs here; the TLS connector checks the scheme.
        tcp.enforce_http(false);
        let tls = HttpsConnectorBuilder::new()
            .with_provider_and_platform_verifier(rustls::crypto::ring::default_provider())
            .map_err(failed)?;
        let connector = Bounded(tls.https_or_http().enable_all_versions().wrap_connector(tcp));
        let json = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .build(connector);
        Ok(Self { json, forms: forms.map_err(failed)? })
    }

    /// Sends a JSON request and waits for the head of the response.
    pub(crate) async fn post(
        &self,
        address: &Uri,
        headers: &HeaderMap,
        body: Vec<u8>,
    ) -> Result<HttpResponse, ProviderError> {
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
    ) -> Result<HttpResponse, ProviderError> {
        let request = self.forms.post(address.to_string()).multipart(form).build();
        let mut request = request.map_err(|_| ProviderError::Unreachable)?;
        // The form sets its own content type.
        let others = headers.iter().filter(|(name, _)| *name != header::CONTENT_TYPE);
        request.headers_mut().extend(others.map(|(name, value)| (name.clone(), value.clone())));
        tollbridge_telemetry::inject(request.headers_mut());
        let sent = self.forms.execute(request).await;
        sent.map(Response::from).map_err(|error| failure(error.is_connect()))
    }
}

/// Returns the next piece of a response body; `None` at the end.
pub(crate) async fn next_chunk(response: &mut HttpResponse) -> Result<Option<Bytes>, ProviderError> {
    while let Some(frame) = response.body_mut().frame().await {
        // Frames without data are trailers, which are ignored.
        if let Ok(data) = frame.map_err(|_| ProviderError::Truncated)?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

fn failed(error: impl Into<BoxError>) -> ClientError {
    ClientError(error.into())
}

/// Maps a failed connection to an error that rules out billing; after any other failure,
/// the provider may have received the request, at least in part.
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
        Box::pin(async move { tokio::time::timeout(CONNECT_TIMEOUT, connecting).await?.map_err(Into::into) })
    }
}
