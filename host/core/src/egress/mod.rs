//! Outgoing requests to addresses that users chose, such as those of plugins' requests
//! and webhook endpoints.
//!
//! Invariants:
//! 1. A connection only goes to a checked address: our own resolver resolves names and
//!    returns only allowed addresses, and no other code resolves them again. DNS
//!    rebinding is therefore useless to an attacker.
//! 2. Redirects are not followed, and proxies from the environment are ignored.
//! 3. Every request has a time-out, and every response a size limit.

mod client;
mod error;
mod exchange;
mod network;
#[cfg(feature = "testing")]
mod peer;
mod resolver;

pub use client::Egress;
pub use error::EgressError;
pub use exchange::{Bounds, Request, Response};
#[cfg(feature = "testing")]
pub use peer::EgressPeer;
pub use resolver::{Lookup, SystemLookup};
