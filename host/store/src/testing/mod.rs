//! Test support for the engine, used here and, with the feature `testing`, in other crates.

// Test code, which may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod changes;
pub mod damage;
pub mod memory_log;
pub mod model;
pub mod paper_store;
pub mod steps;
pub mod watched;

/// The backend of a database or journal file; tests implement it to fail on purpose.
pub use redb::StorageBackend;
