//! What metrics mean, as `/metrics` says it, and those that are there from zero,
//! because the first value of a counter that was not there is no increase to
//! Prometheus.

use metrics::{counter, describe_counter, describe_gauge, describe_histogram};

#[derive(Clone, Copy)]
enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// Kind, name and meaning; `tests/ops` compares the names with those in use.
const DESCRIPTIONS: [(Kind, &str, &str); 26] = [
    (Kind::Counter, "tollbridge_calls_total", "Calls that ran, by plugin and outcome."),
    (Kind::Counter, "tollbridge_call_microseconds_total", "Time that calls took in their plugin, in microseconds."),
    (Kind::Histogram, "tollbridge_swap_seconds", "From a change in the registry until the version serves."),
    (Kind::Gauge, "tollbridge_tables", "Tables of plugins in memory."),
    (Kind::Gauge, "tollbridge_table_bytes", "Bytes of the tables of plugins in memory."),
    (
        Kind::Counter,
        "tollbridge_commits_total",
        "Commits of the store; each is one fsync, or one commit of the database.",
    ),
    (Kind::Counter, "tollbridge_changes_total", "Changes in these commits."),
    (Kind::Counter, "tollbridge_log_collisions_total", "Commits that another host of the same ledger was before."),
    (Kind::Counter, "tollbridge_canaries_ended_total", "Versions that were tried out and found to be worse."),
    (Kind::Gauge, "tollbridge_connections", "Open connections."),
    (Kind::Counter, "tollbridge_connections_refused_total", "Connections that found no place, by reason."),
    (Kind::Counter, "tollbridge_connections_closed_total", "Connections that the server ended, by reason."),
    (
        Kind::Counter,
        "tollbridge_http2_streams_unread_total",
        "HTTP/2 streams that were ended because nobody read them.",
    ),
    (Kind::Counter, "tollbridge_disputes_unbooked_total", "Attempts to book a dispute that failed."),
    (Kind::Counter, "tollbridge_payouts_blocked_total", "Payouts that a rule has stopped."),
    (Kind::Counter, "tollbridge_webhook_attempts_total", "Attempts to deliver a webhook, by outcome."),
    (
        Kind::Counter,
        "tollbridge_webhook_events_missed_total",
        "Events not written for an account that is too far behind.",
    ),
    (Kind::Counter, "tollbridge_inference_attempts_total", "Attempts at a model of a provider, by outcome."),
    (Kind::Counter, "tollbridge_inference_tokens_total", "Tokens by provider, model and kind."),
    (Kind::Counter, "tollbridge_inference_cost_millipence_total", "What providers take, in thousandths of a penny."),
    (Kind::Counter, "tollbridge_inference_requests_by_total", "Requests to models, by key or plugin."),
    (Kind::Counter, "tollbridge_inference_tokens_by_total", "Tokens by key or plugin."),
    (
        Kind::Counter,
        "tollbridge_inference_cost_by_millipence_total",
        "What providers take for a key or plugin, in thousandths of a penny.",
    ),
    (Kind::Counter, "tollbridge_inference_streams_broken_total", "Streams that a provider broke off."),
    (
        Kind::Counter,
        "tollbridge_inference_streams_read_on_total",
        "Streams read to their end after the client had left, by outcome.",
    ),
    (
        Kind::Counter,
        "tollbridge_inference_usage_lost_total",
        "Uses of models that are in no sum, because too many wait to be written.",
    ),
];

/// Counters without labels that are there from zero.
const FROM_ZERO: [&str; 6] = [
    "tollbridge_log_collisions_total",
    "tollbridge_http2_streams_unread_total",
    "tollbridge_disputes_unbooked_total",
    "tollbridge_payouts_blocked_total",
    "tollbridge_webhook_events_missed_total",
    "tollbridge_inference_usage_lost_total",
];

/// And those whose label has few values.
const FROM_ZERO_BY: [(&str, &str, &[&str]); 3] = [
    ("tollbridge_connections_refused_total", "reason", &["client_full", "full"]),
    (
        "tollbridge_connections_closed_total",
        "reason",
        &["no_request", "slow_head", "idle", "unread", "flood", "made_room"],
    ),
    ("tollbridge_webhook_attempts_total", "outcome", &["delivered", "failed"]),
];

/// Once, when the recorder is there.
pub(super) fn describe_metrics() {
    for (kind, name, help) in DESCRIPTIONS {
        match kind {
            Kind::Counter => describe_counter!(name, help),
            Kind::Gauge => describe_gauge!(name, help),
            Kind::Histogram => describe_histogram!(name, help),
        }
    }
    for name in FROM_ZERO {
        counter!(name).increment(0);
    }
    for (name, label, values) in FROM_ZERO_BY {
        for value in values {
            counter!(name, label => *value).increment(0);
        }
    }
}
