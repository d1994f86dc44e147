//! Model providers: availability, failures, and costs by day and by caller.

use std::collections::BTreeMap;

use serde_json::Value;
use tollbridge_core::money::Millipence;
use tollbridge_operator::{OperatorError, command};

use crate::making::{Making, account_cell, pounds};
use crate::page::{Cell, Chart, Field, Form, Members as _, Page, Section, rows, said};

/// Default number of days of spending.
const DAYS: u32 = 14;

pub(super) async fn page(making: &Making<'_>) -> Result<Page, OperatorError> {
    let days = making.number("days").unwrap_or(DAYS);
    let answer = making.ask(command::InferenceShow { days }).await?;
    let sections = vec![providers(&answer), models(&answer), spending(&answer, days), who(&answer)];
    Ok(Page { title: "Inference".to_owned(), tab: "/console/inference", sections, ..Page::default() })
}

fn number(row: &Value, name: &str) -> Cell {
    Cell::member(row, name).class("number")
}

fn percent(row: &Value) -> Cell {
    let share = said(row.at("failed_percent"));
    Cell::text(if share.is_empty() { share } else { format!("{share}%") }).class("number")
}

fn providers(answer: &Value) -> Section {
    let cells = rows(answer, "providers").map(|row| {
        let state = Cell::member(row, "state");
        let class = if state.text.contains("paused") { "bad" } else { "" };
        vec![
            Cell::member(row, "provider"),
            state.class(class),
            number(row, "models"),
            number(row, "models_paused"),
            number(row, "attempts"),
            percent(row),
            pounds(row.at("cost_gbp")),
            Cell::member(row, "why_not"),
        ]
    });
    Section {
        heading: "Providers".to_owned(),
        note: "Attempts are counted since the server started. Another provider may have answered after a failed \
            attempt."
            .to_owned(),
        head: vec!["Provider", "State", "Models", "Paused", "Attempts", "Failed", "Took", "Why it is off"],
        rows: cells.collect(),
        empty: "There are no providers.",
        ..Section::default()
    }
}

/// Shows the models that were called or are paused; there are hundreds of others.
fn models(answer: &Value) -> Section {
    let (shown, others): (Vec<&Value>, Vec<&Value>) = rows(answer, "models")
        .partition(|row| *row.at("breaker") != "closed" || row.at("attempts").as_u64() != Some(0));
    let cells = shown.into_iter().map(|row| {
        let breaker = Cell::member(row, "breaker");
        let class = if breaker.text == "closed" { "" } else { "bad" };
        let until = said(row.at("paused_until")).get(..19).unwrap_or_default().replace('T', " ");
        vec![
            Cell::member(row, "model"),
            Cell::member(row, "provider"),
            breaker.class(class),
            Cell::text(until).class("when"),
            number(row, "attempts"),
            percent(row),
            number(row, "recent_attempts"),
            number(row, "recent_failed"),
            number(row, "latency_ms"),
        ]
    });
    let of_others = match others.len() {
        0 => String::new(),
        1 => " One other model was not called since the server started.".to_owned(),
        count => format!(" {count} other models were not called since the server started."),
    };
    Section {
        heading: "Models".to_owned(),
        note: format!(
            "An open breaker sends no requests until its time; then it lets one test request through. It opens \
            after three failures in a row, or when a provider asks for a pause. Recent: the last one to two \
            minutes.{of_others}"
        ),
        head: vec![
            "Model",
            "Provider",
            "Breaker",
            "Paused until (UTC)",
            "Attempts",
            "Failed",
            "Recent",
            "Of which failed",
            "First content, ms",
        ],
        rows: cells.collect(),
        empty: "No model has been called yet.",
        ..Section::default()
    }
}

fn spending(answer: &Value, days: u32) -> Section {
    let mut by_day: BTreeMap<String, i64> = BTreeMap::new();
    for row in rows(answer, "by_day") {
        let cost = row.at("cost_millipence").as_i64().unwrap_or_default();
        let day = by_day.entry(said(row.at("day"))).or_default();
        *day = day.saturating_add(cost);
    }
    let bars = by_day.into_iter().map(|(day, cost)| (cost, format!("{day}: {}", Millipence::new(cost))));
    let cells = rows(answer, "by_day")
        .map(|row| [vec![Cell::member(row, "day"), Cell::member(row, "provider")], sums(row)].concat());
    let search = Form {
        search: Some("/console/inference"),
        fields: vec![Field {
            name: "days",
            label: "Days",
            value: days.to_string(),
            required: true,
            ..Field::default()
        }],
        button: "Show",
        ..Form::default()
    };
    let charged = if *answer.at("is_billed") == true { "Callers are charged." } else { "Callers are not charged." };
    let more = if *answer.at("incomplete") == true { " Not all data could be read: this is a part." } else { "" };
    Section {
        heading: "Spending by day".to_owned(),
        note: format!("Costs charged by providers, at their prices. {charged}{more}"),
        charts: vec![Chart::new("Provider costs, by day with requests", bars.collect())],
        head: vec!["Day (UTC)", "Provider", "Requests", "Tokens in", "Tokens out", "Took", "Charged"],
        rows: cells.collect(),
        empty: "Nothing was spent.",
        forms: vec![search],
        ..Section::default()
    }
}

fn sums(row: &Value) -> Vec<Cell> {
    let tokens = ["requests", "input_tokens", "output_tokens"].map(|name| number(row, name));
    [tokens.to_vec(), vec![pounds(row.at("cost_gbp")), pounds(row.at("charged_gbp"))]].concat()
}

fn who(answer: &Value) -> Section {
    let cells = rows(answer, "by_who").map(|row| {
        let name = match said(row.at("kind")).as_str() {
            "others" => format!("{} others", said(row.at("others"))),
            "plugin" => said(row.at("plugin")),
            _ => said(row.at("key")),
        };
        let kind = said(row.at("kind"));
        [
            vec![
                Cell::text(name),
                Cell::text(if kind == "others" { String::new() } else { kind }),
                account_cell(row.at("account_id")),
            ],
            sums(row),
        ]
        .concat()
    });
    Section {
        heading: "By caller".to_owned(),
        head: vec!["Who", "Kind", "Account", "Requests", "Tokens in", "Tokens out", "Took", "Charged"],
        rows: cells.collect(),
        empty: "No callers.",
        ..Section::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn models_that_nobody_asked_are_only_counted() {
        let model = |name: &str, breaker: &str, attempts: u64| {
            json!({ "model": name, "provider": "one", "breaker": breaker, "attempts": attempts, "failed_percent": "12.5",
                "paused_until": if breaker == "open" { json!("2026-11-26T10:00:05Z") } else { json!(null) } })
        };
        let answer = json!({ "models": [model("a", "closed", 0), model("b", "open", 0), model("c", "closed", 8)] });
        let section = models(&answer);
        assert_eq!(section.rows.len(), 2);
        assert_eq!((section.rows[0][2].class, section.rows[0][3].text.as_str()), ("bad", "2026-11-26 10:00:05"));
        assert_eq!(section.rows[1][5].text, "12.5%");
        assert!(section.note.ends_with("One other model was not called since the server started."), "{}", section.note);
    }

    #[test]
    fn a_day_of_several_providers_is_one_bar() {
        let row = |day: &str, cost: i64| json!({ "day": day, "provider": "p", "cost_millipence": cost });
        let answer =
            json!({ "by_day": [row("2026-11-26", 100_000), row("2026-11-26", 50_342), row("2026-11-25", 75_000)] });
        let section = spending(&answer, 7);
        let bars: Vec<&str> = section.charts[0].bars.iter().map(|bar| bar.title.as_str()).collect();
        assert_eq!(bars, ["2026-11-25: £0.75", "2026-11-26: £1.50342"]);
        assert_eq!(section.rows.len(), 3);
    }
}
