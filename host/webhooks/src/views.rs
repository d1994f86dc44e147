//! Webhooks and deliveries as the API shows them.

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_core::timestamp::Timestamp;

use crate::delivery_progress::Attempt;
use crate::endpoint::WebhookEndpoint;
use crate::service::EndpointView;

/// A webhook.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
pub struct WebhookView {
    id: String,
    url: String,
    /// Names of the subscribed events; `*` is all of them.
    events: Vec<String>,
    created_at: Timestamp,
    #[schemars(extend("enum" = ["enabled", "disabled"]))]
    status: &'static str,
    disabled_because: Option<String>,
}

impl WebhookView {
    /// Creates the view of an endpoint.
    pub fn new(endpoint: &WebhookEndpoint) -> Self {
        Self {
            id: endpoint.id.clone(),
            url: endpoint.url.clone(),
            events: endpoint.events.clone(),
            created_at: Timestamp::from_ms(endpoint.created_ms),
            status: if endpoint.disabled.is_some() { "disabled" } else { "enabled" },
            disabled_because: endpoint.disabled.clone(),
        }
    }
}

/// Numbers of a webhook's events, by outcome.
#[derive(Serialize, JsonSchema)]
pub struct DeliveryCounts {
    delivered: u64,
    /// Failed deliveries that wait for a retry.
    waiting: u64,
    /// Deliveries that ran out of attempts and are kept.
    dead: u64,
    /// Events that the account missed because its webhooks lagged, since this server started.
    missed: u64,
    /// Failed attempts since the last success.
    failing: u64,
}

impl DeliveryCounts {
    /// Creates the counts of an endpoint.
    pub const fn new(shown: &EndpointView) -> Self {
        let EndpointView { progress, missed, .. } = shown;
        Self {
            delivered: progress.delivered,
            waiting: progress.waiting,
            dead: progress.dead,
            missed: *missed,
            failing: progress.failing,
        }
    }
}

/// An attempt to deliver an event.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeliveryAttempt")]
pub struct AttemptView {
    event_id: String,
    event: String,
    /// Number of the attempt, from 1.
    attempt: u32,
    at: Timestamp,
    duration_ms: u64,
    /// HTTP status, if there was a response.
    status: Option<u16>,
    error: Option<String>,
    next_at: Option<Timestamp>,
}

impl AttemptView {
    /// Creates the view of an attempt.
    pub fn new(attempt: Attempt) -> Self {
        Self {
            event_id: attempt.event_id,
            event: attempt.event,
            attempt: attempt.number,
            at: Timestamp::from_ms(attempt.time_ms),
            duration_ms: attempt.duration_ms,
            status: attempt.status,
            error: attempt.error,
            next_at: attempt.next_ms.map(Timestamp::from_ms),
        }
    }
}
