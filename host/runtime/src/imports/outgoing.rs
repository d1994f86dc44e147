//! HTTP requests of plugins to their granted hosts, sent through the host's egress.
//!
//! Invariants:
//! 1. A host that was not granted is not even resolved.
//! 2. A secret's value is inserted after the guest has handed over the request, into headers only,
//!    and only for a granted host over TLS. Secrets are removed from the response, so that a server
//!    that echoes headers reveals nothing.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use http_body_util::{BodyExt, Full, Limited};
use reqwest::Url;
use tokio::time::Instant;
use tollbridge_core::config::HostPattern;
use tollbridge_core::egress::{Bounds, EgressError, Request, Response};
use tollbridge_plugin::CallLog;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

use super::secret::placeholder;
use crate::loading::loaded::LoadedPlugin;

/// Maximum number of requests to other servers in one call.
const HTTP_REQUESTS_MAX: u32 = 32;
/// Maximum request body that a plugin sends.
const HTTP_REQUEST_BYTES_MAX: usize = 1 << 20;
/// Maximum response body that a plugin receives.
const HTTP_RESPONSE_BYTES_MAX: usize = 4 << 20;

/// The outgoing HTTP requests of one call.
pub(crate) struct OutgoingRequests {
    plugin: Arc<LoadedPlugin>,
    log: Arc<CallLog>,
    deadline: Instant,
    left: u32,
}

impl OutgoingRequests {
    pub(crate) fn new(plugin: Arc<LoadedPlugin>, log: Arc<CallLog>, deadline: Instant) -> Self {
        Self { plugin, log, deadline, left: HTTP_REQUESTS_MAX }
    }
}

type Sent = Result<(http::Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>), Error>;

impl WasiHttpHooks for OutgoingRequests {
    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _processed: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Sent> + Send> {
        let Some(left) = self.left.checked_sub(1) else {
            self.log.write(tracing::Level::WARN, &format!("more than {HTTP_REQUESTS_MAX} requests in one call"));
            return Box::new(async { Err(Error::ConnectionLimitReached) });
        };
        self.left = left;
        let (plugin, log) = (self.plugin.clone(), self.log.clone());
        let time = time_left(self.deadline, options.unwrap_or_default());
        Box::new(async move {
            let sent = send(&plugin, request, time).await;
            let response = sent.map_err(|refused| {
                log.write(tracing::Level::WARN, &refused.to_string());
                refused.for_guest()
            })?;
            let done: Box<dyn Future<Output = Result<(), Error>> + Send> = Box::new(async { Ok(()) });
            Ok((response, done))
        })
    }

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        64 << 10
    }
}

/// Returns the time-out of a request: the guest's own, if shorter than the call's remaining time.
fn time_left(deadline: Instant, options: RequestOptions) -> Duration {
    let left = deadline.saturating_duration_since(Instant::now());
    match (options.connect_timeout, options.first_byte_timeout) {
        (None, None) => left,
        (connect, first) => left.min(connect.unwrap_or(left).saturating_add(first.unwrap_or(left))),
    }
}

/// The reason why a request was not sent or has no response.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("the request's address is not valid")]
    BadUrl,
    #[error(
        "requests to {0} are not granted: add it to `hosts` of the plugin's manifest; \
         the operator must allow it in `plugins.allow_hosts`"
    )]
    NotGranted(String),
    #[error("the secret {0} is not sent without TLS")]
    SecretInTheClear(String),
    #[error("the body of a request may have at most {HTTP_REQUEST_BYTES_MAX} bytes")]
    BodyTooLarge,
    #[error("the body of the request ended early")]
    BodyBroken,
    #[error(transparent)]
    Egress(#[from] EgressError),
}

impl Refused {
    fn for_guest(&self) -> Error {
        match self {
            Self::BadUrl => Error::HttpRequestUriInvalid,
            Self::NotGranted(_) | Self::SecretInTheClear(_) => Error::HttpRequestDenied,
            Self::BodyTooLarge => Error::HttpRequestBodySize(None),
            Self::BodyBroken => Error::InternalError(None),
            Self::Egress(error) => match error {
                EgressError::BadUrl(_) => Error::HttpRequestUriInvalid,
                EgressError::Prohibited { .. } => Error::DestinationIpProhibited,
                EgressError::Unresolved { .. } => Error::DnsError { rcode: None, info_code: None },
                EgressError::Unreachable { .. } => Error::ConnectionRefused,
                EgressError::TimedOut { .. } => Error::HttpResponseTimeout,
                EgressError::TooLarge { .. } => Error::HttpResponseBodySize(None),
                EgressError::Broken { .. } => Error::HttpResponseIncomplete,
                EgressError::SetUp(_) => Error::ConfigurationError,
            },
        }
    }
}

async fn send(
    plugin: &LoadedPlugin,
    request: http::Request<WasiBody>,
    time: Duration,
) -> Result<http::Response<WasiBody>, Refused> {
    let (head, body) = request.into_parts();
    let url: Url = head.uri.to_string().parse().map_err(|_| Refused::BadUrl)?;
    if !is_granted(&plugin.allow_hosts, &url) {
        return Err(Refused::NotGranted(authority(&url)));
    }
    let mut headers = head.headers;
    // The HTTP client sets these headers itself, from the actual URL and body.
    headers.remove(http::header::HOST);
    headers.remove(http::header::CONTENT_LENGTH);
    let may_hold_secrets = url.scheme() == "https" || plugin.egress.is_allowed_private(&url);
    let used = fill_secrets(plugin, &mut headers, may_hold_secrets)?;
    let body = tokio::time::timeout(time, Limited::new(body, HTTP_REQUEST_BYTES_MAX).collect()).await;
    let body = match body {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => return Err(Refused::BodyTooLarge),
        Ok(Err(_)) | Err(_) => return Err(Refused::BodyBroken),
    };
    let bounds = Bounds { time, response_bytes: HTTP_RESPONSE_BYTES_MAX };
    let request = Request { method: head.method, url, headers, body };
    let response = plugin.egress.send(request, bounds).await?;
    Ok(for_guest(plugin, response, &used))
}

fn is_granted(granted: &[HostPattern], url: &Url) -> bool {
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else { return false };
    // In a URL, an IPv6 address has brackets; host patterns match without them.
    let host = host.trim_start_matches('[').trim_end_matches(']');
    granted.iter().any(|pattern| pattern.matches(host, port))
}

fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Replaces secret placeholders in header values; returns the values of the secrets used.
fn fill_secrets(plugin: &LoadedPlugin, headers: &mut HeaderMap, allowed: bool) -> Result<Vec<String>, Refused> {
    let mut used = Vec::new();
    for value in headers.values_mut() {
        let Ok(text) = value.to_str() else { continue };
        if !text.contains("{{secret:") {
            continue;
        }
        let mut text = text.to_owned();
        for (name, secret) in &plugin.secrets {
            let hidden = placeholder(name);
            if !text.contains(&hidden) {
                continue;
            }
            if !allowed {
                return Err(Refused::SecretInTheClear(name.clone()));
            }
            text = text.replace(&hidden, secret.expose());
            used.push(name.clone());
        }
        let mut filled = HeaderValue::from_str(&text).map_err(|_| Refused::BadUrl)?;
        filled.set_sensitive(true);
        *value = filled;
    }
    Ok(used)
}

/// Builds the guest's response and removes every secret of its request from it.
fn for_guest(plugin: &LoadedPlugin, response: Response, used: &[String]) -> http::Response<WasiBody> {
    let secrets: Vec<(&str, String)> = used
        .iter()
        .filter_map(|name| plugin.secrets.get(name).map(|secret| (secret.expose(), placeholder(name))))
        .filter(|(secret, _)| !secret.is_empty())
        .collect();
    let mut body = response.body;
    let mut headers = response.headers;
    for (secret, hidden) in &secrets {
        body = replace(body, secret.as_bytes(), hidden.as_bytes());
        for value in headers.values_mut() {
            let hidden = replace(Bytes::copy_from_slice(value.as_bytes()), secret.as_bytes(), hidden.as_bytes());
            *value = HeaderValue::from_bytes(&hidden).unwrap_or(HeaderValue::from_static(""));
        }
    }
    // The body is already complete and decoded; these headers describe its original encoding.
    for header in [http::header::CONTENT_LENGTH, http::header::TRANSFER_ENCODING, http::header::CONNECTION] {
        headers.remove(header);
    }
    let body = Full::new(body).map_err(|never| match never {}).boxed_unsync();
    let mut answer = http::Response::new(body);
    *answer.status_mut() = response.status;
    *answer.headers_mut() = headers;
    answer
}

fn replace(text: Bytes, from: &[u8], to: &[u8]) -> Bytes {
    if !text.windows(from.len()).any(|window| window == from) {
        return text;
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        out.extend_from_slice(before);
        out.extend_from_slice(to);
        rest = after.get(from.len()..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(granted: &str, url: &str, expect: bool) {
        assert_eq!(is_granted(&[granted.parse().unwrap()], &url.parse().unwrap()), expect, "{granted} {url}");
    }

    #[test]
    fn hosts_are_granted_by_name_and_port() {
        check("api.example.com", "https://api.example.com/x", true);
        check("api.example.com", "https://API.example.COM./x", true);
        check("api.example.com", "https://evil-api.example.com/", false);
        check("api.example.com", "https://api.example.com.evil.org/", false);
        check("api.example.com", "https://api.example.com@evil.org/", false);
        check("api.example.com:8443", "https://api.example.com:8443/", true);
        check("api.example.com:8443", "https://api.example.com/", false);
        check("api.example.com:443", "https://api.example.com/", true);
        check("[::1]:8080", "http://[::1]:8080/", true);
        check("[::1]", "http://[::1]/", true);
        check("*.example.com", "https://a.b.example.com/", true);
        check("*.example.com", "https://example.com/", false);
        check("*.example.com", "https://badexample.com/", false);
    }

    #[test]
    fn replaces_every_occurrence() {
        let replaced = |text: &'static str| replace(Bytes::from_static(text.as_bytes()), b"key", b"X");
        assert_eq!(replaced("key a keykey b").as_ref(), b"X a XX b");
        assert_eq!(replaced("nothing").as_ref(), b"nothing");
        assert_eq!(replaced("").as_ref(), b"");
    }
}
