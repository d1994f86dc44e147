//! Tollbridge: a WebAssembly-plugin host for paid data bridges and agents.
//!
//! This crate builds the parts of the host once, in order ([`app`]), and is the
//! `tollbridge` command ([`cli`]). `ARCHITECTURE.md` is the map.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub mod app;
pub mod cli;
mod exit;
