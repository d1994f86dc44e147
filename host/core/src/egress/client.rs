//! The client that sends requests to addresses that users chose.

use std::error::Error as _;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use reqwest::{Client, Url};

use super::error::EgressError;
use super::exchange::{Bounds, Request, Response};
use super::network;
#[cfg(feature = "testing")]
use super::peer::EgressPeer;
use super::resolver::{self, CheckingResolver, Lookup, Prohibited, SystemLookup};
use crate::config::Network;
use crate::limits::EGRESS_IDLE_MS_MAX;

/// Maximum time to connect to another server, including name resolution and TLS.
const EGRESS_CONNECT_MS_MAX: u64 = 5_000;
/// Maximum time without data from another server, after which the request fails.
const EGRESS_READ_MS_MAX: u64 = 15_000;

/// A client that sends requests under one policy of allowed addresses.
pub struct Egress {
    client: Client,
    allowed: Arc<[Network]>,
    /// A server in this process that replaces the network in tests.
    #[cfg(feature = "testing")]
    peer: Option<Arc<dyn EgressPeer>>,
}

impl Egress {
    /// Creates a client that may reach public addresses and the private networks in
    /// `allowed`.
    pub fn new(allowed: Vec<Network>) -> Result<Self, EgressError> {
        Self::with_lookup(allowed, Arc::new(SystemLookup))
    }

    /// Creates a client with another source of DNS look-ups, for tests.
    pub fn with_lookup(allowed: Vec<Network>, lookup: Arc<dyn Lookup>) -> Result<Self, EgressError> {
        crate::tls_provider::install();
        let allowed: Arc<[Network]> = allowed.into();
        let client = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(Duration::from_millis(EGRESS_CONNECT_MS_MAX))
            .read_timeout(Duration::from_millis(EGRESS_READ_MS_MAX))
            .pool_max_idle_per_host(8)
            .pool_idle_timeout(Duration::from_millis(EGRESS_IDLE_MS_MAX))
            .dns_resolver(Arc::new(CheckingResolver { lookup, allowed: allowed.clone() }))
            .build()
            .map_err(|error| EgressError::SetUp(chain(&error)))?;
        Ok(Self {
            client,
            allowed,
            #[cfg(feature = "testing")]
            peer: None,
        })
    }

    /// Creates a client that sends every request to `peer` instead of the network, with
    /// the same checks and time-outs.
    #[cfg(feature = "testing")]
    pub fn with_peer(peer: Arc<dyn EgressPeer>) -> Result<Self, EgressError> {
        // The inner client sends nothing here but is slow to build, so all tests share
        // one.
        static CLIENT: std::sync::OnceLock<Client> = std::sync::OnceLock::new();
        if CLIENT.get().is_none() {
            let _ = CLIENT.set(Self::new(Vec::new())?.client);
        }
        let client = CLIENT.get().cloned().ok_or_else(|| EgressError::SetUp("no client".to_owned()))?;
        Ok(Self { client, allowed: Arc::default(), peer: Some(peer) })
    }

    /// Sends a request and reads the whole response. Dropping the future aborts the
    /// request.
    pub async fn send(&self, request: Request, bounds: Bounds) -> Result<Response, EgressError> {
        let host = self.check(&request.url)?;
        #[cfg(feature = "testing")]
        if let Some(peer) = &self.peer {
            let answer = tokio::time::timeout(bounds.time, peer.exchange(request)).await;
            return answer.unwrap_or(Err(EgressError::TimedOut { host }));
        }
        let sent = self.client.request(request.method, request.url).headers(request.headers).body(request.body);
        let mut response = sent.timeout(bounds.time).send().await.map_err(|error| explain(&host, &error))?;
        let limit = bounds.response_bytes;
        let too_large = || EgressError::TooLarge { host: host.clone(), limit };
        if response.content_length().is_some_and(|length| usize::try_from(length).map_or(true, |length| length > limit))
        {
            return Err(too_large());
        }
        let mut body = BytesMut::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| explain(&host, &error))? {
            if body.len().saturating_add(chunk.len()) > limit {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        let headers = std::mem::take(response.headers_mut());
        Ok(Response { status: response.status(), headers, body: body.freeze() })
    }

    /// Whether the host is an IP address in an allowed network.
    pub fn is_allowed_private(&self, url: &Url) -> bool {
        literal(url).is_some_and(|address| self.allowed.iter().any(|network| network.contains(address)))
    }

    /// Checks whether requests may go to a URL, as far as this is possible without
    /// resolving its host name.
    pub fn check_url(&self, url: &Url) -> Result<(), EgressError> {
        self.check(url).map(drop)
    }

    /// Checks a URL without resolving its host name; returns the host.
    pub fn check(&self, url: &Url) -> Result<String, EgressError> {
        let bad = || EgressError::BadUrl(format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default()));
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
            return Err(bad());
        }
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(bad)?.to_owned();
        // A URL with an IP address never reaches the resolver, so the address is checked
        // here.
        match literal(url) {
            Some(address) if !network::may_reach(address, &self.allowed) => Err(EgressError::Prohibited { host }),
            _ => Ok(host),
        }
    }
}

/// Returns the IP address if the URL's host is written as one, in any notation.
fn literal(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?;
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn explain(host: &str, error: &reqwest::Error) -> EgressError {
    let host = host.to_owned();
    let mut cause = error.source();
    while let Some(inner) = cause {
        if inner.is::<Prohibited>() {
            return EgressError::Prohibited { host };
        }
        if inner.is::<resolver::NotFound>() {
            return EgressError::Unresolved { host };
        }
        cause = inner.source();
    }
    if error.is_timeout() {
        EgressError::TimedOut { host }
    } else if error.is_connect() {
        EgressError::Unreachable { host, why: root(error) }
    } else {
        EgressError::Broken { host, why: root(error) }
    }
}

/// Returns the innermost cause of an error; the outer errors repeat the whole URL, which
/// may contain secrets.
fn root(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    match cause.is::<reqwest::Error>() {
        true => "unknown".to_owned(),
        false => cause.to_string(),
    }
}

fn chain(error: &reqwest::Error) -> String {
    format!("{error}: {}", root(error))
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
