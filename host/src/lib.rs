//! Tollbridge: a WebAssembly-plugin host for paid data bridges and agents.
//!
//! `ARCHITECTURE.md` is the map of these rooms. A room imports only rooms below
//! it; `tests/it/house.rs` has the order.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub mod a2a;
pub mod access;
pub mod accounts;
pub mod agents;
pub mod app;
pub mod catalog;
pub mod checkout;
pub mod cli;
pub mod config;
pub mod control;
pub mod earning;
pub mod egress;
pub mod events;
pub mod finish;
pub mod http;
pub mod inference;
pub mod ledger;
pub mod limits;
pub mod money;
pub mod payment;
pub mod plugins;
pub mod registry;
pub mod reputation;
pub mod risk;
pub mod signing;
pub mod store;
pub mod vault;
pub mod webhooks;
