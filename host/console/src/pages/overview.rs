//! The overview: current problems, live figures, traffic and revenue.

use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::{DAY_MS, date};
use tollbridge_operator::{OperatorError, PaymentFilter, command};

use super::payments;
use crate::making::{Making, pounds};
use crate::page::{Cell, Chart, Members as _, Page, Section, rows, said};

pub(super) async fn page(making: &Making<'_>) -> Result<Page, OperatorError> {
    let sections = vec![
        wrong(making).await?,
        right_now(making).await?,
        traffic(making).await?,
        revenue(making).await?,
        latest(making).await?,
    ];
    Ok(Page { title: "Overview".to_owned(), tab: "/console", sections, ..Page::default() })
}

/// Returns the problems that need attention, with the next steps.
async fn wrong(making: &Making<'_>) -> Result<Section, OperatorError> {
    let answer = making.ask(command::Status {}).await?;
    let cells = rows(&answer, "problems").map(|row| {
        let urgency = Cell::member(row, "urgency");
        let class = if urgency.text == "now" { "bad" } else { "" };
        vec![
            urgency.class(class),
            Cell::member(row, "what").link(said(row.at("page"))),
            Cell::member(row, "todo"),
            Cell::member(row, "command"),
            Cell::member(row, "runbook"),
        ]
    });
    Ok(Section {
        heading: "Needs attention".to_owned(),
        head: vec!["When", "What", "What to do", "Command", "Runbook"],
        rows: cells.collect(),
        empty: "Nothing: everything serves, and nothing is waiting.",
        ..Section::default()
    })
}

/// Returns the figures that `tollbridge top` shows.
async fn right_now(making: &Making<'_>) -> Result<Section, OperatorError> {
    let top = making.ask(command::Top {}).await?;
    Ok(Section { heading: "Right now".to_owned(), facts: frame(&top), ..Section::default() })
}

fn frame(top: &Value) -> Vec<(String, Cell)> {
    let (short, long) = (top.at("last_10_s"), top.at("last_minute"));
    let tenths = number(short, "answered").saturating_mul(10_000).div_euclid(number(short, "window_ms").max(1));
    let memory = match top.at("memory_bytes").as_i64() {
        Some(bytes) => format!("{} MiB", bytes >> 20),
        None => "unknown".to_owned(),
    };
    let facts = [
        ("Requests a second", format!("{}.{}", tenths.div_euclid(10), tenths.rem_euclid(10))),
        ("95th percentile, last minute", format!("{} µs", number(long, "p95_us"))),
        ("Plugins", format!("{} live, {} not", number(top, "plugins_live"), number(top, "plugins_not_live"))),
        ("Memory of the server", memory),
        ("Records of the ledger", number(top, "records").to_string()),
    ];
    facts.into_iter().map(|(name, text)| (name.to_owned(), Cell::text(text))).collect()
}

/// Number of minutes in the charts.
const MINUTES: u64 = 30;

/// Returns requests and sales of the last half hour, by minute.
async fn traffic(making: &Making<'_>) -> Result<Section, OperatorError> {
    let minutes = making.ask(command::RequestMinutes { minutes: MINUTES }).await?;
    let by = vec!["minute".to_owned()];
    let report = command::ReportRevenue { by, since: Some(format!("{MINUTES}m")), until: None };
    let sales = making.ask(report).await?;
    let sum = |name: &str| rows(&minutes, "minutes").map(|row| number(row, name)).sum::<i64>();
    let facts = vec![
        ("Requests".to_owned(), Cell::text(sum("answered").to_string())),
        ("Refused (4xx)".to_owned(), Cell::text(sum("refused").to_string())),
        ("Failed (5xx)".to_owned(), Cell::text(sum("failed").to_string())),
        ("Slowest minute's median".to_owned(), slowest(&minutes)),
        ("Sales".to_owned(), Cell::member(sales.at("total"), "sales")),
        ("Paid by customers".to_owned(), pounds(sales.at("total"), "gross_gbp")),
    ];
    Ok(Section {
        heading: format!("The last {MINUTES} minutes"),
        note: "Requests are those that this host remembers; sales are from the ledger.".to_owned(),
        charts: charts(&minutes, &sales),
        facts,
        ..Section::default()
    })
}

fn number(row: &Value, name: &str) -> i64 {
    row.at(name).as_i64().unwrap_or_default()
}

/// Returns one chart for each figure, with a bar per minute.
fn charts(minutes: &Value, sales: &Value) -> Vec<Chart> {
    let chart = |label: &str, bar: &dyn Fn(&Value) -> (i64, String)| {
        let bars = rows(minutes, "minutes").map(|row| {
            let (amount, text) = bar(row);
            (amount, format!("{}: {text}", said(row.at("at"))))
        });
        Chart::new(label, bars.collect())
    };
    let sold = |row: &Value| {
        let sold = rows(sales, "rows").find(|one| one.at("minute") == row.at("at"));
        let amount = sold.map(|sold| number(sold, "gross_millipence")).unwrap_or_default();
        let count = sold.map(|sold| number(sold, "sales")).unwrap_or_default();
        (amount, format!("{count} sales, {}", Millipence::new(amount)))
    };
    vec![
        chart("Requests in each minute", &|row| {
            let (answered, median) = (number(row, "answered"), number(row, "median_us"));
            (answered, format!("{answered} requests, median {median} µs"))
        }),
        chart("Paid in each minute", &sold),
        chart("Refused or failed in each minute", &|row| {
            let (refused, failed) = (number(row, "refused"), number(row, "failed"));
            (refused.saturating_add(failed), format!("{refused} refused, {failed} failed"))
        }),
        chart("95th percentile response time in each minute", &|row| {
            let (p95, p99) = (number(row, "p95_us"), number(row, "p99_us"));
            (p95, format!("p95 {p95} µs, p99 {p99} µs"))
        }),
    ]
}

fn slowest(minutes: &Value) -> Cell {
    let medians = rows(minutes, "minutes").filter_map(|row| row.get("median_us")?.as_u64());
    Cell::text(format!("{} µs", medians.max().unwrap_or(0)))
}

/// Returns the sales of two weeks, by day.
async fn revenue(making: &Making<'_>) -> Result<Section, OperatorError> {
    let report = command::ReportRevenue { by: vec!["day".to_owned()], since: Some("14d".to_owned()), until: None };
    let report = making.ask(report).await?;
    let now_ms = (making.operator.now_ms)();
    // Days without a sale get a bar too.
    let days = (0..14_u64).rev().map(|ago| date(now_ms.saturating_sub(ago.saturating_mul(DAY_MS))));
    let bars = days.map(|day| {
        let row = rows(&report, "rows").find(|row| said(row.at("day")) == day).unwrap_or(&Value::Null);
        let (sales, amount) = (number(row, "sales"), number(row, "gross_millipence"));
        (amount, format!("{day}: {sales} sales, {}", Millipence::new(amount)))
    });
    let total = report.at("total");
    Ok(Section {
        heading: "Revenue of the last 14 days".to_owned(),
        charts: vec![Chart::new("Sales by day", bars.collect())],
        facts: vec![
            ("Sales".to_owned(), Cell::member(total, "sales")),
            ("Paid by customers".to_owned(), pounds(total, "gross_gbp")),
            ("Owed to developers".to_owned(), pounds(total, "developer_gbp")),
            ("Kept by the platform".to_owned(), pounds(total, "platform_gbp")),
        ],
        ..Section::default()
    })
}

async fn latest(making: &Making<'_>) -> Result<Section, OperatorError> {
    let filter = PaymentFilter { limit: Some(10), ..PaymentFilter::default() };
    let answer = making.ask(command::PaymentList { filter: Box::new(filter) }).await?;
    Ok(Section { heading: "Latest payments and calls".to_owned(), ..payments::table(&answer) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rate_is_of_the_time_that_is_remembered() {
        let top = json!({
            "last_10_s": { "answered": 25, "window_ms": 10_000 }, "last_minute": { "p95_us": 850 }, "plugins_live": 3,
            "plugins_not_live": 0, "memory_bytes": 130_u64 << 20, "records": 9,
        });
        let texts: Vec<String> = frame(&top).into_iter().map(|(_, cell)| cell.text).collect();
        assert_eq!(texts, ["2.5", "850 µs", "3 live, 0 not", "130 MiB", "9"]);
        assert_eq!(frame(&json!({}))[3].1.text, "unknown", "an older server");
    }

    #[test]
    fn each_minute_has_a_bar_in_every_chart() {
        let minute = |at: &str, answered: u64, refused: u64| json!({ "at": at, "answered": answered, "refused": refused, "failed": 1, "median_us": 10, "p95_us": 20 });
        let minutes =
            json!({ "minutes": [minute("2026-11-26T10:00:00Z", 4, 2), minute("2026-11-26T10:01:00Z", 0, 0)] });
        let sales = json!({ "rows": [{ "minute": "2026-11-26T10:00:00Z", "sales": 3, "gross_millipence": 30_000 }] });
        let charts = charts(&minutes, &sales);
        assert!(charts.len() == 4 && charts.iter().all(|chart| chart.bars.len() == 2));
        assert_eq!(charts[1].bars[0].title, "2026-11-26T10:00:00Z: 3 sales, £0.30");
        assert_eq!((charts[1].bars[1].height, charts[0].bars[0].height), (0, 100));
        assert_eq!(charts[2].bars[0].title, "2026-11-26T10:00:00Z: 2 refused, 1 failed");
    }
}
