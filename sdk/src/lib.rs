//! Write a Tollbridge bridge or agent as a typed Rust function.
//!
//! A bridge is a function from a typed input to a typed output; [`bridge!`]
//! makes it a component. The JSON Schemas that callers see are derived from the
//! two types, and their doc comments become the descriptions.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use tollbridge_sdk::{Call, Error};
//!
//! /// Numbers to add up.
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! pub struct Input {
//!     /// At least one number.
//!     values: Vec<f64>,
//! }
//!
//! #[derive(Serialize, JsonSchema)]
//! pub struct Output {
//!     /// All values added up.
//!     sum: f64,
//! }
//!
//! pub fn handle(_call: &Call, input: Input) -> Result<Output, Error> {
//!     if input.values.is_empty() {
//!         return Err(Error::invalid("/values", "give at least one number"));
//!     }
//!     Ok(Output { sum: input.values.iter().sum() })
//! }
//!
//! tollbridge_sdk::bridge! { handle: handle }
//! # fn main() {}
//! ```
//!
//! Access beyond the input is granted in the manifest: [`log`], [`config`], [`kv`], [`http`],
//! [`tables`], [`ledger`], [`inference`], [`bridges`]. A component imports only what it uses.
//!
//! On the developer's machine the same function runs natively: `testing` holds the golden-case
//! runner behind [`test_cases!`] and doubles of the host.

#![warn(missing_docs, unreachable_pub)]

// Makes cargo rebuild when the digest of the SDK's copy changes: see `bridge!`.
const _: Option<&str> = option_env!("TOLLBRIDGE_SDK");

mod call;
mod error;
mod export;
mod host;
mod ready;
mod schema;

pub mod bridges;
pub mod config;
pub mod http;
pub mod inference;
pub mod kv;
pub mod ledger;
pub mod log;
pub mod tables;

#[cfg(not(target_family = "wasm"))]
pub mod testing;

/// The generated bindings of the plugin contract, used only by this crate's macros.
#[cfg(target_family = "wasm")]
#[doc(hidden)]
pub mod bindings;
#[cfg(target_family = "wasm")]
mod contract;
#[cfg(target_family = "wasm")]
mod proposal;

/// The standard library's allocator (dlmalloc), changed to use the component's initial
/// memory first, so that a small call never grows the memory.
#[cfg(target_family = "wasm")]
#[global_allocator]
static HEAP: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// Support for the macros; not public API.
#[doc(hidden)]
pub mod guest;

pub use call::{Call, Stored};
pub use error::Error;
pub use ready::Ready;
pub use schema::{AnyOf, OneOf};
pub use schemars;
pub use serde;
pub use serde_json;
