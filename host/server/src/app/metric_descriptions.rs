//! Descriptions of metrics for `/metrics`, and the counters that are initialized to zero:
//! Prometheus does not count the first value of a new counter as an increase.

use anyhow::{Context, Result};
use metrics::{counter, describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use tollbridge_http::{REQUEST_SECONDS, REQUEST_SECONDS_BUCKETS};

#[derive(Clone, Copy)]
enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// Kind, name and description; `tests/ops` compares the names with those in use.
const DESCRIPTIONS: [(Kind, &str, &str); 51] = [
    (Kind::Counter, "tollbridge_calls_total", "Calls that ran, by plugin and outcome."),
    (Kind::Counter, "tollbridge_call_microseconds_total", "Time that calls spent in their plugin, in microseconds."),
    (Kind::Histogram, "tollbridge_swap_seconds", "Time from a change in the registry until the version serves."),
    (Kind::Gauge, "tollbridge_tables", "Tables of plugins in memory."),
    (Kind::Gauge, "tollbridge_table_bytes", "Bytes of the tables of plugins in memory."),
    (
        Kind::Counter,
        "tollbridge_commits_total",
        "Commits of the store; each is one fsync, or one commit of the database.",
    ),
    (Kind::Counter, "tollbridge_changes_total", "Changes in these commits."),
    (
        Kind::Counter,
        "tollbridge_log_collisions_total",
        "Commits that were retried because another host of the same ledger committed first.",
    ),
    (
        Kind::Counter,
        "tollbridge_canaries_ended_total",
        "Canary versions that were stopped because they performed worse.",
    ),
    (Kind::Counter, "tollbridge_artifacts_total", "Checks of configured artifacts in other registries, by outcome."),
    (Kind::Gauge, "tollbridge_artifacts_failing", "Configured artifacts that cannot be copied because of an error."),
    (Kind::Gauge, "tollbridge_connections", "Open connections."),
    (Kind::Counter, "tollbridge_connections_refused_total", "Refused connections, by reason."),
    (Kind::Counter, "tollbridge_connections_closed_total", "Connections that the server closed, by reason."),
    (
        Kind::Counter,
        "tollbridge_http2_streams_unread_total",
        "HTTP/2 streams that were closed because the client did not read them.",
    ),
    (
        Kind::Gauge,
        "tollbridge_tls_certificate_expires_seconds",
        "Expiry of the public listener's certificate, in seconds since 1970.",
    ),
    (
        Kind::Counter,
        "tollbridge_tls_reload_failures_total",
        "Reads of certificate files that could not replace the certificate in use.",
    ),
    (Kind::Counter, "tollbridge_disputes_unbooked_total", "Attempts to book a dispute that failed."),
    (Kind::Counter, "tollbridge_payouts_blocked_total", "Payouts that a risk rule stopped."),
    (Kind::Counter, "tollbridge_webhook_attempts_total", "Attempts to deliver a webhook, by outcome."),
    (
        Kind::Counter,
        "tollbridge_webhook_events_missed_total",
        "Events not written because the account's deliveries are too far behind.",
    ),
    (Kind::Counter, "tollbridge_letters_total", "E-mails that were sent, refused or given up, by outcome."),
    (
        Kind::Counter,
        "tollbridge_letter_failures_total",
        "Failed attempts to send an e-mail; each is retried while the e-mail is still useful.",
    ),
    (Kind::Counter, "tollbridge_inference_attempts_total", "Attempts to call a provider's model, by outcome."),
    (Kind::Counter, "tollbridge_inference_tokens_total", "Tokens by provider, model and kind."),
    (
        Kind::Counter,
        "tollbridge_inference_cost_millipence_total",
        "Cost charged by providers, in thousandths of a penny.",
    ),
    (Kind::Counter, "tollbridge_inference_requests_by_total", "Requests to models, by key or plugin."),
    (Kind::Counter, "tollbridge_inference_tokens_by_total", "Tokens by key or plugin."),
    (
        Kind::Counter,
        "tollbridge_inference_cost_by_millipence_total",
        "Cost charged by providers for a key or plugin, in thousandths of a penny.",
    ),
    (Kind::Counter, "tollbridge_inference_streams_broken_total", "Streams that a provider aborted."),
    (
        Kind::Counter,
        "tollbridge_inference_streams_read_on_total",
        "Streams read to their end after the client had disconnected, by outcome.",
    ),
    (
        Kind::Counter,
        "tollbridge_inference_usage_lost_total",
        "Model usage that was dropped because too much waits to be written.",
    ),
    (Kind::Counter, "tollbridge_http_requests_total", "Answered requests, by route, method and status."),
    (Kind::Histogram, "tollbridge_http_request_seconds", "Time until the response headers, by route."),
    (
        Kind::Counter,
        "tollbridge_revenue_millipence_total",
        "Revenue from calls, as sealed in the ledger, in thousandths of a penny.",
    ),
    (Kind::Counter, "tollbridge_payments_total", "Payments received, by processor."),
    (Kind::Counter, "tollbridge_payments_millipence_total", "Payments received, in thousandths of a penny."),
    (Kind::Counter, "tollbridge_refunds_total", "Refunds that are owed, were paid, or failed."),
    (
        Kind::Counter,
        "tollbridge_refunds_millipence_total",
        "Refunds that are owed, were paid, or failed, in thousandths of a penny.",
    ),
    (Kind::Counter, "tollbridge_disputes_total", "Disputes opened, which take money, and won, which return it."),
    (
        Kind::Counter,
        "tollbridge_disputes_millipence_total",
        "Amounts of disputes opened and won, in thousandths of a penny.",
    ),
    (Kind::Gauge, "tollbridge_withdrawals_open", "Open withdrawals."),
    (Kind::Gauge, "tollbridge_withdrawals_open_millipence", "Amount of open withdrawals, in thousandths of a penny."),
    (
        Kind::Gauge,
        "tollbridge_withdrawals_oldest_timestamp_seconds",
        "Time of the oldest open withdrawal; NaN if there is none.",
    ),
    (Kind::Gauge, "tollbridge_data_disk_free_bytes", "Free space on the disk of the data folder."),
    (Kind::Gauge, "tollbridge_data_disk_size_bytes", "Size of the disk of the data folder."),
    (Kind::Gauge, "tollbridge_backup_timestamp_seconds", "Time of the last completed backup."),
    (Kind::Gauge, "tollbridge_currency_rate_timestamp_seconds", "Time of the exchange rate for payments by wallet."),
    (Kind::Gauge, "tollbridge_currency_rate_max_age_seconds", "Maximum age of that rate."),
    (Kind::Gauge, "tollbridge_inference_breakers_open", "Models that are paused after failures, by provider."),
    (Kind::Gauge, "tollbridge_hosts", "Hosts that serve this ledger."),
];

/// Counters without labels that are initialized to zero.
const FROM_ZERO: [&str; 8] = [
    "tollbridge_letter_failures_total",
    "tollbridge_log_collisions_total",
    "tollbridge_http2_streams_unread_total",
    "tollbridge_tls_reload_failures_total",
    "tollbridge_disputes_unbooked_total",
    "tollbridge_payouts_blocked_total",
    "tollbridge_webhook_events_missed_total",
    "tollbridge_inference_usage_lost_total",
];

/// Counters that are initialized to zero for each value of their one label.
const FROM_ZERO_BY: [(&str, &str, &[&str]); 11] = [
    ("tollbridge_artifacts_total", "outcome", &["taken", "unchanged", "refused", "failed"]),
    ("tollbridge_letters_total", "outcome", &["sent", "refused", "given_up"]),
    ("tollbridge_connections_refused_total", "reason", &["client_full", "full"]),
    (
        "tollbridge_connections_closed_total",
        "reason",
        &["slow_handshake", "bad_handshake", "no_request", "slow_head", "idle", "unread", "flood", "made_room"],
    ),
    ("tollbridge_webhook_attempts_total", "outcome", &["delivered", "failed"]),
    ("tollbridge_payments_total", "processor", &PROCESSORS),
    ("tollbridge_payments_millipence_total", "processor", &PROCESSORS),
    ("tollbridge_refunds_total", "step", &REFUND_STEPS),
    ("tollbridge_refunds_millipence_total", "step", &REFUND_STEPS),
    ("tollbridge_disputes_total", "stage", &DISPUTE_STAGES),
    ("tollbridge_disputes_millipence_total", "stage", &DISPUTE_STAGES),
];

const PROCESSORS: [&str; 3] = ["sandbox", "stripe", "x402"];
const REFUND_STEPS: [&str; 3] = ["owed", "paid", "failed"];
const DISPUTE_STAGES: [&str; 2] = ["opened", "won"];

/// Returns the recorder's builder. Request durations are recorded in buckets, because
/// only buckets of several hosts can be added up.
pub(super) fn builder() -> Result<PrometheusBuilder> {
    let seconds = Matcher::Full(REQUEST_SECONDS.to_owned());
    let builder = PrometheusBuilder::new().set_buckets_for_metric(seconds, &REQUEST_SECONDS_BUCKETS);
    builder.context("cannot set the buckets for request durations")
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_used_by_alarms_start_at_zero() {
        let recorder = builder().unwrap().build_recorder();
        metrics::with_local_recorder(&recorder, describe_metrics);
        let text = recorder.handle().render();
        for line in [
            r#"tollbridge_refunds_total{step="failed"} 0"#,
            r#"tollbridge_disputes_total{stage="opened"} 0"#,
            r#"tollbridge_payments_millipence_total{processor="x402"} 0"#,
            "tollbridge_payouts_blocked_total 0",
            "# TYPE tollbridge_refunds_total counter",
        ] {
            assert!(text.lines().any(|there| there == line), "{line} is not in\n{text}");
        }
    }

    /// Compares the descriptions with the table in docs/metrics.md.
    #[test]
    fn every_metric_is_documented() {
        let kind = |kind| match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        let lines = include_str!("../../../../docs/metrics.md").lines().filter(|line| line.starts_with("| `"));
        let documented: Vec<(&str, &str, &str)> = lines
            .map(|line| {
                let mut cells = line.trim_matches(['|', ' ']).split(" | ");
                let (name, kind) = (cells.next().unwrap(), cells.next().unwrap());
                (name.trim_matches('`'), kind, cells.last().unwrap())
            })
            .collect();
        assert_eq!(documented, DESCRIPTIONS.map(|(of, name, help)| (name, kind(of), help)));
    }

    #[test]
    fn times_of_requests_are_in_buckets_and_others_in_quantiles() {
        let recorder = builder().unwrap().build_recorder();
        metrics::with_local_recorder(&recorder, || {
            for seconds in [0.0004, 0.0015, 75.0] {
                metrics::histogram!(REQUEST_SECONDS, "route" => "/docs").record(seconds);
            }
            metrics::histogram!("tollbridge_swap_seconds").record(0.1);
        });
        let text = recorder.handle().render();
        for (bound, count) in [("0.001", 1), ("0.0025", 2), ("60", 2), ("+Inf", 3)] {
            let line = format!(r#"tollbridge_http_request_seconds_bucket{{route="/docs",le="{bound}"}} {count}"#);
            assert!(text.lines().any(|there| there == line), "{line} is not in\n{text}");
        }
        assert!(text.contains("tollbridge_swap_seconds{quantile="), "{text}");
    }
}
