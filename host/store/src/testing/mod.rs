//! Test support for the storage engine, used in this crate and, with the feature
//! `testing`, in other crates.

// Panics are allowed: all of this is test code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod changes;
pub mod damage;
pub mod memory_log;
pub mod model;
pub mod paper_store;
pub mod steps;
pub mod watched;

/// The interface of the file that backs a database or journal; tests implement it to
/// simulate failures.
pub use redb::StorageBackend;
