//! Plugins: the sandbox that loads and runs their components.
//!
//! Invariants:
//! - a component runs within its grants and limits, in a fresh instance for each call, and can harm
//!   only that call;
//! - its callers pass only components whose signature was verified;
//! - this is the only crate that uses wasmtime, and the only one with unsafe code: it loads
//!   compiled code after authenticating it.
//!
//! This crate never imports the ledger, the payment crates or any crate above them, so it has no
//! notion of prices.

pub mod limits;
pub mod plugins;
