//! Simulates the whole money path in one thread, repeatable by a seed.
//!
//! The real crates, from store and journal to checkout, queue, payments,
//! withdrawals and webhooks, run unchanged on a single-threaded runtime with paused
//! time. One seed decides the behaviour of the disk (`disk`), the network
//! (`network`), the other servers (`stripe`, `receivers`, `plugins`) and people
//! (`operation`), every random number that the process asks for (`entropy`), and
//! when each task wakes up. The host dies at any write and is opened again over the
//! remaining data; at the end an auditor that knows nothing of its internals checks
//! its public ledger against what clients were answered and what the processor
//! holds.
//!
//! Not simulated: wasmtime (plugins are scripts behind the real limits), HTTP
//! (callers replace the routes), the gateway's client of providers (models answer
//! and cost behind the real budget, or are paid by `upto` in the gateway's steps),
//! and TCP (`network` explains why).
//!
//! `docs/simulation.md` explains how to repeat a seed and lists the planted defects
//! it finds.

// Test code may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(missing_docs, reason = "nothing here is for others")]

mod auditor;
mod book;
mod calls;
mod chance;
mod clock;
mod credentials;
mod disk;
mod entropy;
mod event_log;
mod fellows;
mod host;
mod ledger_reader;
mod models;
mod network;
mod operation;
mod people;
mod permits;
mod plugins;
mod receivers;
mod seeds;
mod shared_log;
mod simulation;
mod stripe;
mod stripe_books;
mod stripe_tokens;
mod token_auditor;
mod tokens;
mod upto_auditor;
mod wallets;
mod world;
