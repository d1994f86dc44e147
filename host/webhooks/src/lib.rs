//! Webhooks: who listens, and bringing it to them.
//!
//! Events are in the outbox before anybody sends them. Each endpoint has a
//! courier of its own, a task that reads its account's outbox from where it
//! stands, so a dead or slow receiver delays only itself. Nothing here is on the
//! path of a call.
//!
//! Invariants: an endpoint hears its own account's events and no others; an
//! event is sent at least once with the same id and bytes, or is kept as dead
//! and can be replayed; every delivery goes through `egress`.

mod attempt;
mod courier;
mod endpoint;
mod error;
mod janitor;
mod listeners;
mod queue;
mod replay;
mod secret;
mod service;
mod standing;
#[cfg(test)]
mod tests;

pub use endpoint::{Endpoint, Registration, Signing};
pub use error::WebhookError;
pub use listeners::Listeners;
pub use replay::Replay;
pub use secret::{headers as signed_headers, signature, verifies};
pub use service::{OVERLAP_MS, Shown, Webhooks};
pub use standing::{Attempt, Standing};
