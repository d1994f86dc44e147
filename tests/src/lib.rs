//! Runs a real server in a separate folder, with a client for it.
//!
//! All tests use the binary, its command line and real sockets, so they depend only on
//! the product's documented behaviour and not on its code.

pub mod agents;
pub mod answering;
mod client;
mod folder;
pub mod guest;
mod hooks;
pub mod http2;
pub mod mcp;
mod person;
pub mod provider;
mod provider_check;
mod provider_media;
mod provider_responses;
pub mod receiver;
mod server;
pub mod source;
pub mod stripe;
mod wait;
mod worker;

pub use client::{Client, Reply, http, intent_of};
pub use folder::{Folder, binary, manifest, published_plugins, target, workspace};
pub use hooks::{Hook, Reaction, Receiver};
pub use person::{Person, hidden};
pub use server::Server;
pub use wait::eventually;
pub use worker::{worker, worker_manifest};
