//! The last requests, as operators look for them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
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
    /// Requests that were answered, newest first.
    pub(super) fn request_list(&self, query: RequestQuery) -> Result<Value, OperatorError> {
        let now_ms = (self.now_ms)();
        let since_ms = query.since.map_or(Ok(0), |text| moment("since", &text, now_ms))?;
        let RequestQuery { id, account, path, status, code, limit, .. } = query;
        let filter = RequestFilter { id, account, path, status, code, since_ms };
        let lines = self.requests()?.search(&filter, limit.unwrap_or(PAGE).clamp(1, PAGE_MAX));
        Ok(json!({ "requests": lines.iter().map(view).collect::<Vec<_>>() }))
    }

    /// How many requests there were in each of the last minutes, and how fast.
    pub(super) fn request_minutes(&self, minutes: u64) -> Result<Value, OperatorError> {
        let now_ms = (self.now_ms)();
        let minutes = minutes.clamp(1, 24 * 60);
        let first = now_ms.div_euclid(MINUTE_MS).saturating_sub(minutes - 1);
        let filter = RequestFilter { since_ms: first.saturating_mul(MINUTE_MS), ..RequestFilter::default() };
        let mut by_minute: BTreeMap<u64, Vec<RequestLine>> =
            (0..minutes).map(|place| (first.saturating_add(place), Vec::new())).collect();
        for line in self.requests()?.search(&filter, usize::MAX) {
            by_minute.entry(line.at_ms.div_euclid(MINUTE_MS)).or_default().push(line);
        }
        let rows = by_minute.into_iter().map(|(minute, lines)| of_minute(minute, &lines));
        Ok(json!({ "minutes": rows.collect::<Vec<_>>() }))
    }

    fn requests(&self) -> Result<&tollbridge_core::request_log::RequestLog, OperatorError> {
        let stopped = || OperatorError::Refused("only a running server remembers its requests".to_owned());
        self.requests.as_deref().ok_or_else(stopped)
    }
}

fn of_minute(minute: u64, lines: &[RequestLine]) -> Value {
    let class = |class: u16| lines.iter().filter(|line| line.status.div_euclid(100) == class).count();
    let mut micros: Vec<u64> = lines.iter().map(|line| line.micros).collect();
    micros.sort_unstable();
    let place = |percent: usize| micros.len().saturating_sub(1).saturating_mul(percent).div_euclid(100);
    let at = |percent| micros.get(place(percent)).copied().unwrap_or_default();
    json!({
        "at": rfc3339(minute.saturating_mul(MINUTE_MS)),
        "answered": lines.len(),
        "refused": class(4),
        "failed": class(5),
        "median_us": at(50),
        "p99_us": at(99),
    })
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
