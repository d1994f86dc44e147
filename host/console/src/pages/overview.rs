//! The overview: what goes on, what is wrong now and what to do about it.

use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_core::time::{DAY_MS, date};
use tollbridge_operator::{Command, OperatorError, PaymentFilter};

use super::{payments, requests};
use crate::making::{Making, pounds};
use crate::page::{Cell, Chart, Members as _, Page, Section, rows, said};

pub(super) async fn page(making: &Making<'_>) -> Result<Page, OperatorError> {
    let sections = vec![wrong(making).await?, traffic(making).await?, revenue(making).await?, latest(making).await?];
    Ok(Page { title: "Overview".to_owned(), tab: "/console", sections })
}

/// What somebody has to look at.
async fn wrong(making: &Making<'_>) -> Result<Section, OperatorError> {
    let mut found = Vec::new();
    let mut add = |what: String, href: String, todo: &str| {
        found.push(vec![Cell::text(what).link(href).class("bad"), Cell::text(todo)]);
    };
    let plugins = making.ask(Command::PluginList).await?;
    for plugin in rows(&plugins, "plugins") {
        let (name, status) = (Cell::member(plugin, "plugin").text, Cell::member(plugin, "status").text);
        let href = format!("/console/plugins/{name}");
        match status.as_str() {
            "waiting" => add(format!("{name} waits for approval"), href, "Look at the version and approve it, or not"),
            "failed" => {
                add(format!("{name} does not load"), href, "See why; its author has to publish another version")
            }
            "unavailable" => {
                add(format!("{name} lacks something"), href, "See what it needs, such as a provider of models")
            }
            _ => {}
        }
    }
    let withdrawals = making.ask(Command::WithdrawalList).await?;
    for one in rows(&withdrawals, "withdrawals").filter(|one| said(one.at("state")) == "blocked") {
        let what = format!("Withdrawal of £{} waits", said(one.at("amount_gbp")));
        add(what, "/console/withdrawals".to_owned(), "Release or reject it");
    }
    let filter = PaymentFilter { kind: Some("dispute".to_owned()), since: Some("7d".to_owned()), ..Default::default() };
    let disputes = making.ask(Command::PaymentList { filter: Box::new(filter) }).await?;
    for one in rows(&disputes, "payments") {
        let what = format!("A payment of £{} was disputed", said(one.at("amount_gbp")));
        add(what, payments::href(one), "Answer it at the processor");
    }
    let failed = making.ask(Command::RequestList { filter: Box::new(requests::failed_within("1h")) }).await?;
    let failed = rows(&failed, "requests").count();
    if failed > 0 {
        let what = format!("{failed} requests of the last hour failed here");
        add(what, "/console/requests?status=5&since=1h".to_owned(), "See the log with their ids");
    }
    Ok(Section {
        heading: "Needs attention".to_owned(),
        head: vec!["What", "What to do"],
        rows: found,
        empty: "Nothing: everything serves, and nobody waits.",
        ..Section::default()
    })
}

/// Requests of the last half hour, by minute.
async fn traffic(making: &Making<'_>) -> Result<Section, OperatorError> {
    let minutes = making.ask(Command::RequestMinutes { minutes: 30 }).await?;
    let number = |row: &Value, name: &str| row.get(name).and_then(Value::as_i64).unwrap_or_default();
    let bars = rows(&minutes, "minutes").map(|row| {
        let (at, answered) = (said(row.at("at")), number(row, "answered"));
        let [refused, failed, median] = ["refused", "failed", "median_us"].map(|name| number(row, name));
        let title = format!("{at}: {answered} requests, {refused} refused, {failed} failed, median {median} µs");
        (answered, title)
    });
    let chart = Chart::new("Requests in each of the last 30 minutes", bars.collect());
    let sum = |name: &str| rows(&minutes, "minutes").map(|row| number(row, name)).sum::<i64>();
    let facts = vec![
        ("Requests".to_owned(), Cell::text(sum("answered").to_string())),
        ("Refused (4xx)".to_owned(), Cell::text(sum("refused").to_string())),
        ("Failed (5xx)".to_owned(), Cell::text(sum("failed").to_string())),
        ("Slowest minute's median".to_owned(), slowest(&minutes)),
    ];
    Ok(Section { heading: "Traffic".to_owned(), chart: Some(chart), facts, ..Section::default() })
}

fn slowest(minutes: &Value) -> Cell {
    let medians = rows(minutes, "minutes").filter_map(|row| row.get("median_us")?.as_u64());
    Cell::text(format!("{} µs", medians.max().unwrap_or(0)))
}

/// Sales of two weeks, by day.
async fn revenue(making: &Making<'_>) -> Result<Section, OperatorError> {
    let report = Command::ReportRevenue { by: vec!["day".to_owned()], since: Some("14d".to_owned()), until: None };
    let report = making.ask(report).await?;
    let now_ms = (making.operator.now_ms)();
    // Days without a sale have a place, too.
    let days = (0..14_u64).rev().map(|ago| date(now_ms.saturating_sub(ago.saturating_mul(DAY_MS))));
    let bars = days.map(|day| {
        let row = rows(&report, "rows").find(|row| said(row.at("day")) == day).unwrap_or(&Value::Null);
        let pounds = said(row.at("gross_gbp"));
        let amount = pounds.parse::<Millipence>().map_or(0, Millipence::get);
        (amount, format!("{day}: {} sales, £{}", said(row.at("sales")), if amount == 0 { "0" } else { &pounds }))
    });
    let total = report.at("total");
    Ok(Section {
        heading: "Revenue of 14 days".to_owned(),
        chart: Some(Chart::new("Sales by day", bars.collect())),
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
    let answer = making.ask(Command::PaymentList { filter: Box::new(filter) }).await?;
    Ok(Section { heading: "Latest payments and calls".to_owned(), ..payments::table(&answer) })
}
