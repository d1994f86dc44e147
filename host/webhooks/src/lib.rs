//! Webhooks: who listens, and bringing it to them.
//!
//! Events are in the outbox before anybody sends them. Each endpoint has a
//! delivery worker, a task that reads its account's outbox from where it
//! stands, so a dead or slow receiver delays only itself. Nothing here is on the
//! path of a call.
//!
//! Invariants: an endpoint hears its own account's events and no others; an
//! event is sent at least once with the same id and bytes, or is kept as dead
//! and can be replayed; every delivery goes through `egress`.

mod attempt;
mod delivery_progress;
mod delivery_worker;
mod endpoint;
mod endpoint_index;
mod error;
mod janitor;
mod queue;
mod replay;
mod secret;
mod service;
#[cfg(test)]
mod tests;

pub use delivery_progress::{Attempt, DeliveryProgress};
pub use endpoint::{Endpoint, Registration, Signing};
pub use endpoint_index::EndpointIndex;
pub use error::WebhookError;
pub use replay::Replay;
pub use secret::{headers as signed_headers, signature, verifies};
pub use service::{EndpointView, OVERLAP_MS, Webhooks};
