//! Current activity: one frame of `tollbridge top`.

use std::cmp::Reverse;
use std::sync::Arc;

use tollbridge_core::money::Millipence;
use tollbridge_core::request_log::RequestLog;
use tollbridge_core::time::{now_ms, rfc3339};
use tollbridge_ledger::Notary;
use tollbridge_market::catalog::CatalogReconciler;

use super::answers::answers;
use super::error::OperatorError;
use super::records::exact;
use super::requests::{Traffic, TrafficView, not_kept};
use super::revenue::{Sums, sales_by_plugin};

answers! {
    /// A frame of `tollbridge top`.
    TopFrame {
        at: String, last_10_s: WindowTraffic, last_minute: WindowTraffic, sales: WindowSales, plugins_live: usize,
        plugins_not_live: usize, records: u64, memory_bytes: Option<u64>,
    }
    /// The requests of a period.
    WindowTraffic { window_ms: u64, #[serde(flatten)] traffic: TrafficView }
    /// The sales of a period, and the plugins that sold most.
    WindowSales { window_ms: u64, sales: u64, gross_gbp: String, by_plugin: Vec<PluginSales> }
    /// The sales of a plugin.
    PluginSales { plugin: String, sales: u64, gross_gbp: String }
}

/// Window, in milliseconds, for rates, which should follow changes quickly.
const SHORT_MS: u64 = 10_000;
/// Window, in milliseconds, for values that need more samples.
const LONG_MS: u64 = 60_000;
/// Maximum number of records that one frame reads: enough for a busy minute; reading them
/// takes milliseconds.
const RECORDS_MAX: u64 = 16_384;
/// Number of plugins shown.
const PLUGINS_MAX: usize = 10;

/// The command for current activity.
pub(super) struct TopCommands {
    pub(super) notary: Arc<Notary>,
    pub(super) requests: Option<Arc<RequestLog>>,
    pub(super) reconciler: Option<Arc<CatalogReconciler>>,
}

impl TopCommands {
    /// Returns requests and sales of the last seconds, and the server's use of resources.
    pub(super) async fn frame(&self) -> Result<TopFrame, OperatorError> {
        let now_ms = now_ms();
        let requests = self.requests.as_ref().ok_or_else(not_kept)?;
        let (last_10_s, last_minute) = (traffic(requests, now_ms, SHORT_MS), traffic(requests, now_ms, LONG_MS));
        let notary = self.notary.clone();
        let since_ms = now_ms.saturating_sub(LONG_MS);
        let reading = tokio::task::spawn_blocking(move || sales_by_plugin(&notary, since_ms, RECORDS_MAX));
        let sales = reading.await.map_err(|error| OperatorError::Failed(error.to_string()))??;
        let mut total = Sums::default();
        let mut rows = Vec::new();
        for (names, sums) in sales.rows {
            total.add(sums);
            rows.push((names.concat(), sums));
        }
        rows.sort_by_key(|(_, sums)| Reverse((sums.sales, sums.gross)));
        let top = rows.into_iter().take(PLUGINS_MAX).map(|(plugin, sums)| PluginSales {
            plugin,
            sales: sums.sales,
            gross_gbp: exact(Millipence::new(sums.gross)),
        });
        let reports = self.reconciler.as_ref().map(|reconciler| reconciler.reports()).unwrap_or_default();
        let live = reports.iter().filter(|report| report.status == "live").count();
        Ok(TopFrame {
            at: rfc3339(now_ms),
            last_10_s,
            last_minute,
            sales: WindowSales {
                window_ms: now_ms.saturating_sub(sales.since_ms).max(1),
                sales: total.sales,
                gross_gbp: exact(Millipence::new(total.gross)),
                by_plugin: top.collect(),
            },
            plugins_live: live,
            plugins_not_live: reports.len().saturating_sub(live),
            records: self.notary.ledger().head()?.size,
            memory_bytes: memory_bytes(),
        })
    }
}

/// Returns the requests of the last `window_ms`, or of the shorter period that the log
/// still covers.
fn traffic(requests: &RequestLog, now_ms: u64, window_ms: u64) -> WindowTraffic {
    let asked = now_ms.saturating_sub(window_ms);
    let since_ms = requests.whole_since().map_or(asked, |whole| whole.max(asked));
    let mut traffic = Traffic::default();
    requests.since(since_ms, |line| traffic.add(line));
    WindowTraffic { window_ms: now_ms.saturating_sub(since_ms).max(1), traffic: traffic.view() }
}

/// Returns the memory used by this process, if the system reports it.
fn memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use tollbridge_core::limits::REQUESTS_REMEMBERED_MAX;
    use tollbridge_core::request_log::RequestLine;

    use super::*;

    fn line(at_ms: u64, status: u16) -> RequestLine {
        let (id, method, path) = ("req_1".into(), "GET".into(), "/".into());
        RequestLine { at_ms, id, method, path, account: None, status, refused: None, micros: 10 }
    }

    #[test]
    fn a_rate_is_of_the_time_that_is_remembered() {
        let log = RequestLog::default();
        for at_ms in [100_000, 169_000, 169_500, 170_000] {
            log.push(line(at_ms, if at_ms == 169_500 { 500 } else { 200 }));
        }
        let short = traffic(&log, 170_000, SHORT_MS);
        assert_eq!((short.traffic.answered, short.traffic.failed, short.window_ms), (3, 1, 10_000));
        // Push more requests than the log keeps, all within two seconds.
        for place in 0..u64::try_from(REQUESTS_REMEMBERED_MAX).unwrap() {
            log.push(line(178_000 + place / 10, 200));
        }
        let short = traffic(&log, 180_000, SHORT_MS);
        assert_eq!((short.traffic.answered, short.window_ms), (REQUESTS_REMEMBERED_MAX, 2_000));
    }

    #[test]
    fn this_process_takes_some_memory() {
        assert!(memory_bytes().is_none_or(|bytes| bytes > 1 << 20));
    }
}
