//! Queries about the last requests.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tollbridge_core::request_log::{RequestFilter, RequestLine, RequestLog};
use tollbridge_core::time::{now_ms, rfc3339, rfc3339_millis};

use super::answers::answers;
use super::error::OperatorError;
use super::payments::moment;

answers! {
    /// Answered requests, newest first.
    RequestsPage { requests: Vec<RequestView> }
    /// An answered HTTP request, as commands return it.
    RequestView {
        at: String, request_id: String, method: String, path: String, account_id: Option<String>, status: u16,
        code: Option<String>, message: Option<String>, micros: u64,
    }
    /// The requests of the last minutes.
    TrafficByMinute { minutes: Vec<MinuteTraffic> }
    /// The requests of one minute.
    MinuteTraffic { at: String, #[serde(flatten)] traffic: TrafficView }
    /// The number of requests, and percentiles of the time that they took.
    TrafficView { answered: usize, refused: usize, failed: usize, median_us: u64, p95_us: u64, p99_us: u64 }
}

/// A filter for lists of requests; omitted members match everything.
#[expect(missing_docs, reason = "each field is named after its command-line option")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequestQuery {
    pub id: Option<String>,
    pub account: Option<String>,
    /// Prefix of the path.
    pub path: Option<String>,
    /// A status such as 404, or 4 or 5 for all statuses of that class.
    pub status: Option<u16>,
    pub code: Option<String>,
    pub since: Option<String>,
    pub limit: Option<usize>,
}

const PAGE: usize = 50;
const PAGE_MAX: usize = 1_000;
const MINUTE_MS: u64 = 60_000;

/// The commands for answered requests.
pub(super) struct RequestCommands {
    pub(super) log: Option<Arc<RequestLog>>,
}

impl RequestCommands {
    /// Lists answered requests, newest first.
    pub(super) fn list(&self, query: RequestQuery) -> Result<RequestsPage, OperatorError> {
        let now_ms = now_ms();
        let since_ms = query.since.map_or(Ok(0), |text| moment("since", &text, now_ms))?;
        let RequestQuery { id, account, path, status, code, limit, .. } = query;
        let filter = RequestFilter { id, account, path, status, code, since_ms };
        let lines = self.log.as_ref().ok_or_else(not_kept)?.search(&filter, limit.unwrap_or(PAGE).clamp(1, PAGE_MAX));
        Ok(RequestsPage { requests: lines.iter().map(view).collect() })
    }

    /// Returns the number and latency of requests in each of the last minutes.
    pub(super) fn by_minute(&self, minutes: u64) -> Result<TrafficByMinute, OperatorError> {
        let now_ms = now_ms();
        let minutes = minutes.clamp(1, 24 * 60);
        let first = now_ms.div_euclid(MINUTE_MS).saturating_sub(minutes - 1);
        let mut by_minute: BTreeMap<u64, Traffic> =
            (0..minutes).map(|place| (first.saturating_add(place), Traffic::default())).collect();
        self.log.as_ref().ok_or_else(not_kept)?.since(first.saturating_mul(MINUTE_MS), |line| {
            by_minute.entry(line.at_ms.div_euclid(MINUTE_MS)).or_default().add(line);
        });
        let rows = by_minute.into_iter().map(|(minute, traffic)| MinuteTraffic {
            at: rfc3339(minute.saturating_mul(MINUTE_MS)),
            traffic: traffic.view(),
        });
        Ok(TrafficByMinute { minutes: rows.collect() })
    }
}

/// Returns the error of a stopped server, which has no log of requests.
pub(super) fn not_kept() -> OperatorError {
    OperatorError::Refused("only a running server has a log of requests".to_owned())
}

/// The number and latencies of some requests.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    refused: usize,
    failed: usize,
    micros: Vec<u64>,
}

impl Traffic {
    pub(super) fn add(&mut self, line: &RequestLine) {
        match line.status.div_euclid(100) {
            4 => self.refused += 1,
            5 => self.failed += 1,
            _ => {}
        }
        self.micros.push(line.micros);
    }

    /// Returns the counts, and percentiles of the latencies.
    pub(super) fn view(mut self) -> TrafficView {
        self.micros.sort_unstable();
        let last = self.micros.len().saturating_sub(1);
        let at = |percent: usize| {
            let place = last.saturating_mul(percent).div_euclid(100);
            self.micros.get(place).copied().unwrap_or_default()
        };
        TrafficView {
            answered: self.micros.len(),
            refused: self.refused,
            failed: self.failed,
            median_us: at(50),
            p95_us: at(95),
            p99_us: at(99),
        }
    }
}

fn view(line: &RequestLine) -> RequestView {
    let (code, message) = line.refused.as_ref().map(|(code, why)| ((*code).to_owned(), why.to_string())).unzip();
    RequestView {
        at: rfc3339_millis(line.at_ms),
        request_id: line.id.to_string(),
        method: line.method.to_string(),
        path: line.path.to_string(),
        account_id: line.account.as_ref().map(ToString::to_string),
        status: line.status,
        code,
        message,
        micros: line.micros,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_is_counted_by_class_and_ranked_by_time() {
        let mut traffic = Traffic::default();
        for micros in (1..=100).rev() {
            let status = if micros > 98 {
                503
            } else if micros > 90 {
                402
            } else {
                200
            };
            traffic.add(&RequestLine {
                at_ms: 0,
                id: "req_1".into(),
                method: "POST".into(),
                path: "/v1/oracle/echo".into(),
                account: None,
                status,
                refused: None,
                micros,
            });
        }
        let seen = serde_json::to_value(traffic.view()).unwrap();
        assert_eq!(
            seen,
            serde_json::json!({
                "answered": 100, "refused": 8, "failed": 2, "median_us": 50, "p95_us": 95, "p99_us": 99,
            })
        );
        let none = Traffic::default().view();
        assert_eq!((none.answered, none.median_us), (0, 0));
    }
}
