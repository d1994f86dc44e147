//! Formats a frame of `tollbridge top` from the server's answer.

use tollbridge_operator::{PluginSales, TopFrame};
use tollbridge_tools::output::table;

use super::shown::cells;

/// Maximum length of a plugin name in a line.
const NAME_CHARS_MAX: usize = 40;

/// Formats one frame, 80 columns wide.
pub(super) fn frame(answer: &TopFrame) -> String {
    let TopFrame { at, last_10_s: short, last_minute, sales, plugins_live, plugins_not_live, records, .. } = answer;
    let long = &last_minute.traffic;
    let mut lines = vec![
        format!("tollbridge top    {at}"),
        String::new(),
        format!(
            "requests   {:>9}/s   last minute: {} answered, {} refused, {} failed",
            rate(u64::try_from(short.traffic.answered).unwrap_or(u64::MAX), short.window_ms),
            long.answered,
            long.refused,
            long.failed,
        ),
        format!(
            "latency    p50 {}   p95 {}   p99 {}",
            milliseconds(long.median_us),
            milliseconds(long.p95_us),
            milliseconds(long.p99_us),
        ),
        format!(
            "calls      {:>9}/s   last {} s: {} paid £{}",
            rate(sales.sales, sales.window_ms),
            sales.window_ms.div_ceil(1_000),
            sales.sales,
            sales.gross_gbp,
        ),
        format!(
            "memory     {:>7} MiB   plugins: {plugins_live} live, {plugins_not_live} not   ledger: {records} records",
            answer.memory_bytes.map_or_else(|| "?".to_owned(), |bytes| bytes.div_euclid(1 << 20).to_string()),
        ),
        String::new(),
    ];
    let row = |PluginSales { plugin, sales, gross_gbp }: &_| cells((name(plugin), sales, gross_gbp));
    let rows: Vec<Vec<String>> = sales.by_plugin.iter().map(row).collect();
    lines.push(match rows.is_empty() {
        true => "Nothing was sold.".to_owned(),
        false => table(&["SOLD", "CALLS", "GBP"], &rows),
    });
    lines.join("\n")
}

/// Formats a count within a window as a rate per second, with one decimal.
fn rate(count: u64, window_ms: u64) -> String {
    let tenths = count.saturating_mul(10_000).div_euclid(window_ms.max(1));
    format!("{}.{}", tenths.div_euclid(10), tenths.rem_euclid(10))
}

fn milliseconds(micros: u64) -> String {
    let tenths = micros.div_euclid(100);
    format!("{}.{} ms", tenths.div_euclid(10), tenths.rem_euclid(10))
}

/// Shortens a long name by cutting its start, because model names differ at the end.
fn name(name: &str) -> String {
    let over = name.chars().count().saturating_sub(NAME_CHARS_MAX);
    match over {
        0 => name.to_owned(),
        // One more character is left out to make room for the ellipsis.
        over => format!("…{}", name.chars().skip(over.saturating_add(1)).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_picture_says_what_was_answered() {
        let traffic = |answered: u64, window_ms: u64| {
            json!({
                "answered": answered, "refused": 2, "failed": 1, "median_us": 850, "p95_us": 12_345, "p99_us": 20_000,
                "window_ms": window_ms,
            })
        };
        let mut answer = json!({
            "at": "2026-11-26T10:00:00Z", "last_10_s": traffic(123, 10_000), "last_minute": traffic(700, 60_000),
            "sales": {
                "window_ms": 60_000, "sales": 90, "gross_gbp": "9.00",
                "by_plugin": [{ "plugin": "echo", "sales": 90, "gross_gbp": "9.00" }],
            },
            "plugins_live": 50, "plugins_not_live": 1, "records": 1_234, "memory_bytes": 130_u64 << 20,
        });
        let frame = |answer: &serde_json::Value| frame(&serde_json::from_value(answer.clone()).unwrap());
        let picture = frame(&answer);
        for part in [
            "12.3/s   last minute: 700 answered, 2 refused, 1 failed",
            "p50 0.8 ms   p95 12.3 ms   p99 20.0 ms",
            "1.5/s   last 60 s: 90 paid £9.00",
            "130 MiB   plugins: 50 live, 1 not   ledger: 1234 records",
            "echo",
        ] {
            assert!(picture.contains(part), "no {part:?}:\n{picture}");
        }
        assert!(picture.lines().all(|line| line.chars().count() <= 80), "{picture}");
        answer["sales"] = json!({});
        assert!(frame(&answer).contains("Nothing was sold."));
        assert_eq!(frame(&json!({})).lines().count(), 8, "an older server");
    }

    #[test]
    fn rates_and_names_fit_their_places() {
        assert_eq!((rate(0, 0), rate(1, 3_000), rate(20_000, 4_000)), ("0.0".into(), "0.3".into(), "5000.0".into()));
        let long = format!("{}/model", "p".repeat(60));
        assert_eq!(name(&long).chars().count(), NAME_CHARS_MAX);
        assert!(name(&long).ends_with("/model") && name("echo") == "echo");
    }
}
