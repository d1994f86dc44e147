//! Plugins: the registry that publishes, verifies and chooses their versions,
//! and the sandbox that runs them.
//!
//! Invariants:
//! - a component runs within its grants and limits, in a fresh instance for
//!   each call, and harms nothing but that call;
//! - nothing is compiled whose signature was not verified, and no version goes
//!   down by itself;
//! - this is the only crate that uses wasmtime, and the only one with unsafe
//!   code: it loads compiled code after checking who wrote it.
//!
//! Never imports the ledger, payment or any crate above: it does not know what
//! anything costs.

pub mod plugins;
pub mod registry;
