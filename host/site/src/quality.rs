//! Recent response times and success rates of each plugin, computed from this host's log
//! of recent requests.

use std::collections::HashMap;

use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::request_log::{RequestLine, RequestLog};

/// Minimum number of calls for which a success rate is shown.
const CALLS_MIN: u64 = 5;

/// Statistics of one plugin's recent calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quality {
    pub answered: u64,
    /// Number of calls that failed on this host. Refused calls, for example without
    /// payment, count neither as answered nor as failed.
    pub failed: u64,
    /// Durations of the answered calls in microseconds.
    micros: Vec<u64>,
}

/// Statistics of recent calls by plugin.
#[derive(Debug, Default)]
pub(crate) struct Qualities(HashMap<(PluginKind, String), Quality>);

impl Qualities {
    /// Computes the statistics of all plugins from a request log.
    pub(crate) fn of(requests: &RequestLog) -> Self {
        let mut all = Self::default();
        requests.since(0, |line| all.count(line));
        all
    }

    /// Returns the statistics of one plugin.
    pub(crate) fn get(&self, kind: PluginKind, name: &str) -> Quality {
        self.0.get(&(kind, name.to_owned())).cloned().unwrap_or_default()
    }

    fn count(&mut self, line: &RequestLine) {
        let (answered, failed) = (line.status == 200, line.status >= 500);
        if !answered && !failed || &*line.method != "POST" {
            return;
        }
        let Some((kind, name)) = called(&line.path) else { return };
        let quality = self.0.entry((kind, name.to_owned())).or_default();
        if answered {
            quality.answered += 1;
            quality.micros.push(line.micros);
        } else {
            quality.failed += 1;
        }
    }
}

/// Returns the kind and name of the plugin that a request path calls, if it calls one.
fn called(path: &str) -> Option<(PluginKind, &str)> {
    let plain = |name: &&str| !name.is_empty() && !name.contains('/');
    if let Some(name) = path.strip_prefix("/v1/oracle/").filter(plain) {
        return Some((PluginKind::Bridge, name));
    }
    let paid = path.strip_prefix("/v1/paid/agents/");
    let name = paid.or_else(|| path.strip_prefix("/v1/agents/")?.strip_suffix("/invoke"));
    name.filter(plain).map(|name| (PluginKind::Agent, name))
}

impl Quality {
    /// Returns the number of answered and failed calls.
    pub(crate) fn calls(&self) -> u64 {
        self.answered.saturating_add(self.failed)
    }

    /// Returns the median response time in milliseconds.
    pub(crate) fn median_ms(&self) -> Option<u64> {
        let mut sorted = self.micros.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).map(|micros| micros.div_ceil(1_000))
    }

    /// Returns the median response time as text.
    pub(crate) fn speed(&self) -> Option<String> {
        self.median_ms().map(milliseconds)
    }

    /// Returns the share of answered calls as text, or `None` if there are too few calls.
    pub(crate) fn success(&self) -> Option<String> {
        let calls = self.calls();
        (calls >= CALLS_MIN).then(|| share(self.answered, calls))
    }
}

/// Formats a duration as `12 ms` or `1.2 s`.
pub(crate) fn milliseconds(ms: u64) -> String {
    if ms < 1_000 { format!("{ms} ms") } else { format!("{}.{} s", ms / 1_000, ms % 1_000 / 100) }
}

/// Formats a share as `99.5%`. The value is rounded down, so `100%` means all.
pub(crate) fn share(part: u64, whole: u64) -> String {
    let tenths = part.saturating_mul(1_000) / whole.max(1);
    if tenths.is_multiple_of(10) { format!("{}%", tenths / 10) } else { format!("{}.{}%", tenths / 10, tenths % 10) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str, status: u16, micros: u64) -> RequestLine {
        RequestLine {
            at_ms: 1,
            id: "req".into(),
            method: "POST".into(),
            path: path.into(),
            account: None,
            status,
            refused: None,
            micros,
        }
    }

    #[test]
    fn calls_are_counted_by_plugin() {
        let log = RequestLog::default();
        for micros in [900, 1_000, 5_000, 9_000] {
            log.push(line("/v1/oracle/echo", 200, micros));
        }
        log.push(line("/v1/oracle/echo", 402, 1));
        log.push(line("/v1/oracle/echo", 504, 2_000_000));
        log.push(line("/v1/agents/coding/invoke", 200, 1_234_000));
        log.push(line("/v1/paid/agents/coding", 200, 1_234_000));
        log.push(line("/v1/agents/enqueue", 200, 1));
        let all = Qualities::of(&log);
        let echo = all.get(PluginKind::Bridge, "echo");
        assert_eq!((echo.calls(), echo.speed().as_deref(), echo.success().as_deref()), (5, Some("5 ms"), Some("80%")));
        let coding = all.get(PluginKind::Agent, "coding");
        assert_eq!((coding.calls(), coding.speed().as_deref(), coding.success()), (2, Some("1.2 s"), None));
        assert_eq!(all.get(PluginKind::Bridge, "none").calls(), 0);
        assert_eq!(all.0.len(), 2);
    }

    #[test]
    fn only_all_is_everything() {
        assert_eq!((share(1_999, 2_000), share(5, 5), share(0, 0)), ("99.9%".into(), "100%".into(), "0%".into()));
    }
}
