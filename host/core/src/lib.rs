//! The foundation of every other crate of the host: limits, money, secrets, signing keys,
//! configuration, JSON from clients, and outgoing requests to addresses that users chose.
//!
//! Invariants:
//! - amounts are integers, and the parts of a split sum to the whole;
//! - a damaged secret is never replaced, and a key signs for one purpose only;
//! - an unknown configuration key is refused, and the error names it;
//! - requests to addresses that users chose go through [`egress`].
//!
//! This crate never imports another crate of the host, a database or a plugin runtime.

pub mod artifact_problems;
pub mod artifact_reference;
pub mod blocking;
pub mod client_json;
pub mod config;
pub mod egress;
pub mod encryption;
pub mod excerpt;
pub mod fair_limiter;
pub mod fair_queue;
pub mod finish;
#[cfg(any(test, feature = "testing"))]
pub mod fuzzing;
pub mod in_flight;
pub mod json_pointer;
pub mod limits;
pub mod money;
pub mod planted;
pub mod plugin_kind;
pub mod request_log;
pub mod signing;
pub mod time;
pub mod timestamp;
pub mod tls_provider;
pub mod turns;
pub mod vault;
