//! Webhooks: endpoints, and the delivery of events to them.
//!
//! Events are stored in the outbox before they are sent. Each endpoint has a delivery
//! worker: a task with a cursor into the outbox of its account, so a dead or slow
//! receiver delays only itself. Calls never wait for deliveries.
//!
//! Invariants: an endpoint receives the events of its own account and no others; an event
//! is sent at least once, with the same id and bytes, or is kept as dead and can be
//! replayed; every delivery goes through `egress`; secrets are encrypted wherever they
//! are stored.
//!
//! This crate never imports plugins, payments or HTTP routes.

mod attempt;
mod delivery_progress;
mod delivery_worker;
mod endpoint;
mod endpoint_index;
mod endpoint_rows;
mod error;
mod janitor;
pub mod limits;
mod queue;
mod replay;
mod secret;
mod service;
#[cfg(test)]
mod tests;
mod views;

pub use delivery_progress::{Attempt, DeliveryProgress};
pub use endpoint::{Registration, Signing, WebhookEndpoint};
pub use endpoint_index::EndpointIndex;
pub use endpoint_rows::EndpointRows;
pub use error::WebhookError;
pub use replay::Replay;
pub use secret::{headers as signed_headers, signature, verifies};
pub use service::{EndpointView, OVERLAP_MS, Webhooks};
pub use views::{AttemptView, DeliveryCounts, WebhookView};
