//! Queries about the last requests.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tollbridge_core::request_log::{RequestFilter, RequestLine};
use tollbridge_core::time::{rfc3339, rfc3339_millis};

use super::command::RequestQuery;
use super::error::OperatorError;
use super::payments::moment;
use super::service::OperatorService;

const PAGE: usize = 50;
const PAGE_MAX: usize = 1_000;
const MINUTE_MS: u64 = 60_000;

impl OperatorService {
    /// Lists answered requests, newest first.
    pub(super) fn request_list(&self, query: RequestQuery) -> Result<Value, OperatorError> {
        let now_ms = (self.now_ms)();
        let since_ms = query.since.map_or(Ok(0), |text| moment("since", &text, now_ms))?;
        let RequestQuery { id, account, path, status, code, limit, .. } = query;
        let filter = RequestFilter { id, account, path, status, code, since_ms };
        let lines = self.requests()?.search(&filter, limit.unwrap_or(PAGE).clamp(1, PAGE_MAX));
        Ok(json!({ "requests": lines.iter().map(view).collect::<Vec<_>>() }))
    }

    /// Returns the number and latency of requests in each of the last minutes.
    pub(super) fn request_minutes(&self, minutes: u64) -> Result<Value, OperatorError> {
        let now_ms = (self.now_ms)();
        let minutes = minutes.clamp(1, 24 * 60);
        let first = now_ms.div_euclid(MINUTE_MS).saturating_sub(minutes - 1);
        let mut by_minute: BTreeMap<u64, Traffic> =
            (0..minutes).map(|place| (first.saturating_add(place), Traffic::default())).collect();
        self.requests()?.since(first.saturating_mul(MINUTE_MS), |line| {
            by_minute.entry(line.at_ms.div_euclid(MINUTE_MS)).or_default().add(line);
        });
        let rows = by_minute.into_iter().map(|(minute, traffic)| {
            let mut row = traffic.view();
            row.insert("at".to_owned(), rfc3339(minute.saturating_mul(MINUTE_MS)).into());
            Value::Object(row)
        });
        Ok(json!({ "minutes": rows.collect::<Vec<_>>() }))
    }

    pub(super) fn requests(&self) -> Result<&tollbridge_core::request_log::RequestLog, OperatorError> {
        let stopped = || OperatorError::Refused("only a running server keeps its requests".to_owned());
        self.requests.as_deref().ok_or_else(stopped)
    }
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

    /// Returns the numbers as JSON, for programs and pages.
    pub(super) fn view(mut self) -> Map<String, Value> {
        self.micros.sort_unstable();
        let last = self.micros.len().saturating_sub(1);
        let at = |percent: usize| {
            let place = last.saturating_mul(percent).div_euclid(100);
            Value::from(self.micros.get(place).copied().unwrap_or_default())
        };
        let members = [
            ("answered", self.micros.len().into()),
            ("refused", self.refused.into()),
            ("failed", self.failed.into()),
            ("median_us", at(50)),
            ("p95_us", at(95)),
            ("p99_us", at(99)),
        ];
        members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    }
}

fn view(line: &RequestLine) -> Value {
    json!({
        "at": rfc3339_millis(line.at_ms),
        "request_id": line.id,
        "method": line.method,
        "path": line.path,
        "account_id": line.account.as_deref(),
        "status": line.status,
        "code": line.refused.as_ref().map(|(code, _)| *code),
        "message": line.refused.as_ref().map(|(_, message)| message.as_ref()),
        "micros": line.micros,
    })
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
        let seen = Value::Object(traffic.view());
        assert_eq!(
            seen,
            json!({
                "answered": 100, "refused": 8, "failed": 2, "median_us": 50, "p95_us": 95, "p99_us": 99,
            })
        );
        let none = Value::Object(Traffic::default().view());
        assert_eq!((&none["answered"], &none["median_us"]), (&json!(0), &json!(0)));
    }
}
