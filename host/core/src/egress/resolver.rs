//! A DNS resolver that returns only addresses to which connections are allowed.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::network;
use crate::config::Network;

/// A source of DNS look-ups.
pub trait Lookup: Send + Sync {
    /// Returns the addresses of a host.
    fn lookup(&self, host: String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
}

/// The operating system's resolver.
#[derive(Clone, Copy, Debug)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, host: String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect()) })
    }
}

/// The error for a name whose addresses are all private or reserved.
#[derive(Debug, thiserror::Error)]
#[error("only private or reserved addresses")]
pub(super) struct Prohibited;

/// The error for a name without addresses.
#[derive(Debug, thiserror::Error)]
#[error("no address")]
pub(super) struct NotFound;

/// A resolver that returns only addresses to which connections are allowed.
pub(super) struct CheckingResolver {
    pub(super) lookup: Arc<dyn Lookup>,
    pub(super) allowed: Arc<[Network]>,
}

impl Resolve for CheckingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let addresses = self.lookup.lookup(name.as_str().to_owned());
        let allowed = self.allowed.clone();
        Box::pin(async move {
            let addresses = addresses.await.map_err(|_| NotFound)?;
            if addresses.is_empty() {
                return Err(NotFound.into());
            }
            let good: Vec<SocketAddr> = addresses
                .into_iter()
                .filter(|address| network::may_reach(*address, &allowed))
                .map(|address| SocketAddr::new(address, 0))
                .collect();
            if good.is_empty() {
                return Err(Prohibited.into());
            }
            let good: Addrs = Box::new(good.into_iter());
            Ok(good)
        })
    }
}
