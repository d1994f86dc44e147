//! The host functions that plugins import, the grants that allow them, and their state.

mod bridges;
pub(super) mod buckets;
mod config;
pub(super) mod counter_locks;
pub(super) mod grants;
mod http;
mod inference;
mod kv;
mod ledger;
pub(super) mod link;
mod log;
pub(super) mod outgoing;
mod panic;
pub(super) mod plugin_tables;
mod proposal;
mod secret;
mod tables;
mod wasi;
pub(super) mod wasi_basics;
pub(super) mod write_budget;
