//! Simulates the whole money path in one thread, repeatable by a seed.
//!
//! The real crates, from store and journal to checkout, queue, payments, withdrawals and
//! webhooks, run unchanged on a single-threaded runtime with paused time. The seed
//! decides the behaviour of the disk (`disk`), the network (`network`), the other servers
//! (`stripe`, `receivers`, `plugins`) and people (`operation`), every random number that
//! the process asks for (`entropy`), and when each task wakes up. The host may be killed
//! at any write; it is then opened again with the data that is left. At the end an
//! auditor, which shares no code with the host, checks the public ledger against the
//! answers that clients got and the money that the processor holds.
//!
//! Not simulated: wasmtime (plugins are scripts behind the real limits), HTTP (tests call
//! the services directly instead of the routes), the gateway's client of providers (a
//! scripted model answers and charges within the real budget, or is paid by `upto` with
//! the gateway's steps), and TCP (`network` explains why).
//!
//! `docs/simulation.md` explains how to repeat a seed and lists the injected bugs
//! (planted defects) that the simulation finds.

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
