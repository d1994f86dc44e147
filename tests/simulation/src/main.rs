//! The whole money path in one thread, repeated by a seed.
//!
//! The real crates, from store and journal to checkout, queue, payments,
//! withdrawals and webhooks, run unchanged on a runtime of one thread whose time
//! is paused. One seed decides what the disk does (`disk`), what the network does
//! (`network`), who the others are (`stripe`, `receivers`, `plugins`), what people
//! do (`operation`), every random number that the process asks for (`entropy`)
//! and when anything is awake. The host dies at any write, is opened again over
//! what is left, and at the end an auditor who knows nothing of its inside holds
//! its public ledger against what people were told and what the processor has.
//!
//! What is not in it: wasmtime (plugins are scripts behind the real limits),
//! HTTP (callers stand where the routes do), the gateway's client of providers
//! (models answer and cost behind the real budget, or are paid by `upto` in the
//! gateway's steps), and TCP (`network` says why).
//!
//! `docs/simulation.md` says how to repeat a seed and which planted defects it
//! finds.

// Test code, which may panic.
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
