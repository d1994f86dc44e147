//! Runs the host's code for holds, limits and caches under Shuttle, which executes
//! threads one at a time and picks the next thread at random at every lock operation.
//!
//! The host's source files are compiled a second time here: their imports of
//! `parking_lot` resolve to [`locks`]. Their other imports come from the original crates,
//! or are defined here under the same name.

// Test code may panic, and uses only some items of the host's files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(dead_code, unreachable_pub)]

extern crate self as parking_lot;

#[path = "../../../host/payment/src/balance_holds.rs"]
mod balance_holds;
#[path = "../../../host/access/src/bounded.rs"]
mod bounded;
#[path = "../../../host/access/src/call_slices.rs"]
mod call_slices;
#[path = "../../../host/registry/src/digest.rs"]
mod digest;
#[path = "../../../host/core/src/in_flight.rs"]
mod in_flight;
#[path = "../../../host/registry/src/limits.rs"]
mod limits;
pub mod locks;
#[path = "../../../host/market/src/checkout/owner_losses.rs"]
mod owner_losses;
#[path = "../../../host/access/src/rate_limiter.rs"]
mod rate_limiter;
pub mod scenarios;
#[path = "../../../host/payment/src/spend_limiter.rs"]
mod spend_limiter;
#[path = "../../../host/registry/src/table.rs"]
pub mod table;
#[path = "../../../host/registry/src/table_cache.rs"]
mod table_cache;

mod client {
    pub use tollbridge_access::RateLimitKey;
}

mod tier {
    pub use tollbridge_access::RateLimits;
}

pub use locks::{Mutex, MutexGuard};
