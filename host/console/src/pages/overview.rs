//! The overview: current problems, live figures, traffic and revenue.

use tollbridge_core::money::Millipence;
use tollbridge_core::time::{DAY_MS, date, now_ms};
use tollbridge_operator::{
    MinuteTraffic, OperatorError, PaymentFilter, RevenueRow, RevenueSums, TopFrame, TrafficView, WindowTraffic, command,
};

use super::payments;
use crate::page::{Cell, Chart, Page, Section};
use crate::page_context::{PageContext, pounds};

pub(super) async fn page(context: &PageContext<'_>) -> Result<Page, OperatorError> {
    let sections = vec![
        wrong(context).await?,
        right_now(context).await?,
        traffic(context).await?,
        revenue(context).await?,
        latest(context).await?,
    ];
    Ok(Page { title: "Overview".to_owned(), tab: "/console", sections, ..Page::default() })
}

/// Returns the problems that need attention, with the next steps.
async fn wrong(context: &PageContext<'_>) -> Result<Section, OperatorError> {
    let answer = context.ask(command::Status {}).await?;
    let cells = answer.problems.iter().map(|row| {
        let urgency = Cell::of(&row.urgency);
        let class = if urgency.text == "now" { "bad" } else { "" };
        vec![
            urgency.class(class),
            Cell::of(&row.what).link(row.page.clone()),
            Cell::of(&row.todo),
            Cell::of(&row.command),
            Cell::of(&row.runbook),
        ]
    });
    Ok(Section {
        heading: "Needs attention".to_owned(),
        head: vec!["When", "What", "What to do", "Command", "Runbook"],
        rows: cells.collect(),
        empty: "No problems: everything is serving, and nothing is waiting.",
        ..Section::default()
    })
}

/// Returns the figures that `tollbridge top` shows.
async fn right_now(context: &PageContext<'_>) -> Result<Section, OperatorError> {
    let top = context.ask(command::Top {}).await?;
    Ok(Section { heading: "Right now".to_owned(), facts: frame(&top), ..Section::default() })
}

fn frame(top: &TopFrame) -> Vec<(String, Cell)> {
    let WindowTraffic { window_ms, traffic } = &top.last_10_s;
    let tenths = bar(traffic.answered).saturating_mul(10_000).div_euclid(bar(*window_ms).max(1));
    let memory = match top.memory_bytes {
        Some(bytes) => format!("{} MiB", bytes >> 20),
        None => "unknown".to_owned(),
    };
    let facts = [
        ("Requests a second", format!("{}.{}", tenths.div_euclid(10), tenths.rem_euclid(10))),
        ("95th percentile, last minute", format!("{} µs", top.last_minute.traffic.p95_us)),
        ("Plugins", format!("{} live, {} not", top.plugins_live, top.plugins_not_live)),
        ("Memory of the server", memory),
        ("Records of the ledger", top.records.to_string()),
    ];
    facts.into_iter().map(|(name, text)| (name.to_owned(), Cell::text(text))).collect()
}

/// Number of minutes in the charts.
const MINUTES: u64 = 30;

/// Returns requests and sales of the last half hour, by minute.
async fn traffic(context: &PageContext<'_>) -> Result<Section, OperatorError> {
    let minutes = context.ask(command::RequestMinutes { minutes: MINUTES }).await?.minutes;
    let by = vec!["minute".to_owned()];
    let report = command::ReportRevenue { by, since: Some(format!("{MINUTES}m")), until: None };
    let sales = context.ask(report).await?;
    let sum = |of: fn(&TrafficView) -> usize| minutes.iter().map(|row| of(&row.traffic)).sum::<usize>().to_string();
    let facts = vec![
        ("Requests".to_owned(), Cell::text(sum(|traffic| traffic.answered))),
        ("Refused (4xx)".to_owned(), Cell::text(sum(|traffic| traffic.refused))),
        ("Failed (5xx)".to_owned(), Cell::text(sum(|traffic| traffic.failed))),
        ("Slowest minute's median".to_owned(), slowest(&minutes)),
        ("Sales".to_owned(), Cell::of(&sales.total.sales)),
        ("Paid by customers".to_owned(), pounds(&sales.total.gross_gbp)),
    ];
    Ok(Section {
        heading: format!("The last {MINUTES} minutes"),
        note: "Requests are those that this host remembers; sales are from the ledger.".to_owned(),
        charts: charts(&minutes, &sales.rows),
        facts,
        ..Section::default()
    })
}

/// Converts a number to the height of a bar.
fn bar(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Returns the sums of the row for a day or minute; `None` without sales.
fn sums_of<'r>(rows: &'r [RevenueRow], time: &str) -> Option<&'r RevenueSums> {
    rows.iter().find(|row| row.by.values().any(|value| value == time)).map(|row| &row.sums)
}

/// Returns one chart for each figure, with a bar per minute.
fn charts(minutes: &[MinuteTraffic], sales: &[RevenueRow]) -> Vec<Chart> {
    let chart = |label: &str, bar_of: &dyn Fn(&MinuteTraffic) -> (i64, String)| {
        let bars = minutes.iter().map(|row| {
            let (amount, text) = bar_of(row);
            (amount, format!("{}: {text}", row.at))
        });
        Chart::new(label, bars.collect())
    };
    let sold = |row: &MinuteTraffic| {
        let (count, amount) = sums_of(sales, &row.at).map_or((0, 0), |sums| (sums.sales, sums.gross_millipence));
        (amount, format!("{count} sales, {}", Millipence::new(amount)))
    };
    vec![
        chart("Requests in each minute", &|row| {
            let TrafficView { answered, median_us: median, .. } = row.traffic;
            (bar(answered), format!("{answered} requests, median {median} µs"))
        }),
        chart("Paid in each minute", &sold),
        chart("Refused or failed in each minute", &|row| {
            let TrafficView { refused, failed, .. } = row.traffic;
            (bar(refused.saturating_add(failed)), format!("{refused} refused, {failed} failed"))
        }),
        chart("95th percentile response time in each minute", &|row| {
            let TrafficView { p95_us: p95, p99_us: p99, .. } = row.traffic;
            (bar(p95), format!("p95 {p95} µs, p99 {p99} µs"))
        }),
    ]
}

fn slowest(minutes: &[MinuteTraffic]) -> Cell {
    let medians = minutes.iter().map(|row| row.traffic.median_us);
    Cell::text(format!("{} µs", medians.max().unwrap_or(0)))
}

/// Returns the sales of two weeks, by day.
async fn revenue(context: &PageContext<'_>) -> Result<Section, OperatorError> {
    let report = command::ReportRevenue { by: vec!["day".to_owned()], since: Some("14d".to_owned()), until: None };
    let report = context.ask(report).await?;
    let now_ms = now_ms();
    // List every day, so that days without a sale have a bar too.
    let days = (0..14_u64).rev().map(|ago| date(now_ms.saturating_sub(ago.saturating_mul(DAY_MS))));
    let bars = days.map(|day| {
        let (sales, amount) = sums_of(&report.rows, &day).map_or((0, 0), |sums| (sums.sales, sums.gross_millipence));
        (amount, format!("{day}: {sales} sales, {}", Millipence::new(amount)))
    });
    let total = report.total;
    Ok(Section {
        heading: "Revenue of the last 14 days".to_owned(),
        charts: vec![Chart::new("Sales by day", bars.collect())],
        facts: vec![
            ("Sales".to_owned(), Cell::of(&total.sales)),
            ("Paid by customers".to_owned(), pounds(&total.gross_gbp)),
            ("Owed to developers".to_owned(), pounds(&total.developer_gbp)),
            ("Kept by the platform".to_owned(), pounds(&total.platform_gbp)),
        ],
        ..Section::default()
    })
}

async fn latest(context: &PageContext<'_>) -> Result<Section, OperatorError> {
    let filter = PaymentFilter { limit: Some(10), ..PaymentFilter::default() };
    let answer = context.ask(command::PaymentList { filter: Box::new(filter) }).await?;
    Ok(Section { heading: "Latest payments and calls".to_owned(), ..payments::table(&answer.payments) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rate_is_of_the_time_that_is_remembered() {
        let top = serde_json::from_value(json!({
            "last_10_s": { "answered": 25, "window_ms": 10_000 }, "last_minute": { "p95_us": 850 }, "plugins_live": 3,
            "plugins_not_live": 0, "memory_bytes": 130_u64 << 20, "records": 9,
        }))
        .unwrap();
        let texts: Vec<String> = frame(&top).into_iter().map(|(_, cell)| cell.text).collect();
        assert_eq!(texts, ["2.5", "850 µs", "3 live, 0 not", "130 MiB", "9"]);
        assert_eq!(frame(&serde_json::from_value(json!({})).unwrap())[3].1.text, "unknown", "an older server");
    }

    #[test]
    fn each_minute_has_a_bar_in_every_chart() {
        let minute = |at: &str, answered: u64, refused: u64| json!({ "at": at, "answered": answered, "refused": refused, "failed": 1, "median_us": 10, "p95_us": 20 });
        let minutes = json!([minute("2026-11-26T10:00:00Z", 4, 2), minute("2026-11-26T10:01:00Z", 0, 0)]);
        let minutes: Vec<MinuteTraffic> = serde_json::from_value(minutes).unwrap();
        let sales = json!([{ "minute": "2026-11-26T10:00:00Z", "sales": 3, "gross_millipence": 30_000 }]);
        let sales: Vec<RevenueRow> = serde_json::from_value(sales).unwrap();
        let charts = charts(&minutes, &sales);
        assert!(charts.len() == 4 && charts.iter().all(|chart| chart.bars.len() == 2));
        assert_eq!(charts[1].bars[0].title, "2026-11-26T10:00:00Z: 3 sales, £0.30");
        assert_eq!((charts[1].bars[1].height, charts[0].bars[0].height), (0, 100));
        assert_eq!(charts[2].bars[0].title, "2026-11-26T10:00:00Z: 2 refused, 1 failed");
    }
}
