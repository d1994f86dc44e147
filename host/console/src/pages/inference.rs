//! Model providers: availability, failures, and costs by day and by caller.

use std::collections::BTreeMap;

use serde::Serialize;
use tollbridge_core::money::Millipence;
use tollbridge_operator::{InferenceReport, ModelView, OperatorError, UsageView, command};

use crate::page::{Cell, Chart, Field, Form, Page, Section};
use crate::page_context::{PageContext, account_cell, pounds, time_cell};

/// Default number of days of spending.
const DAYS: u32 = 14;

pub(super) async fn page(context: &PageContext<'_>) -> Result<Page, OperatorError> {
    let days = context.number("days").unwrap_or(DAYS);
    let answer = context.ask(command::InferenceShow { days }).await?;
    let sections = vec![providers(&answer), models(&answer), spending(&answer, days), usage_by_caller(&answer)];
    Ok(Page { title: "Inference".to_owned(), tab: "/console/inference", sections, ..Page::default() })
}

fn number(value: &impl Serialize) -> Cell {
    Cell::of(value).class("number")
}

fn percent(share: Option<&String>) -> Cell {
    Cell::text(share.map(|share| format!("{share}%")).unwrap_or_default()).class("number")
}

fn providers(answer: &InferenceReport) -> Section {
    let cells = answer.providers.iter().map(|row| {
        let state = Cell::of(&row.state);
        let class = if state.text.contains("paused") { "bad" } else { "" };
        vec![
            Cell::of(&row.provider),
            state.class(class),
            number(&row.models),
            number(&row.models_paused),
            number(&row.attempts),
            percent(row.failed_percent.as_ref()),
            pounds(&row.usage.cost_gbp),
            Cell::of(&row.why_not),
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

/// Shows only models that were called or are paused, because there are hundreds of
/// others.
fn models(answer: &InferenceReport) -> Section {
    let (shown, others): (Vec<&ModelView>, Vec<&ModelView>) =
        answer.models.iter().partition(|row| row.breaker != "closed" || row.attempts != 0);
    let cells = shown.into_iter().map(|row| {
        let breaker = Cell::of(&row.breaker);
        let class = if breaker.text == "closed" { "" } else { "bad" };
        vec![
            Cell::of(&row.model),
            Cell::of(&row.provider),
            breaker.class(class),
            time_cell(&row.paused_until),
            number(&row.attempts),
            percent(row.failed_percent.as_ref()),
            number(&row.recent_attempts),
            number(&row.recent_failed),
            number(&row.latency_ms),
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

fn spending(answer: &InferenceReport, days: u32) -> Section {
    let mut by_day: BTreeMap<String, i64> = BTreeMap::new();
    for row in answer.by_day.iter() {
        let day = by_day.entry(row.day.clone()).or_default();
        *day = day.saturating_add(row.usage.cost_millipence);
    }
    let bars = by_day.into_iter().map(|(day, cost)| (cost, format!("{day}: {}", Millipence::new(cost))));
    let cells =
        answer.by_day.iter().map(|row| [vec![Cell::of(&row.day), Cell::of(&row.provider)], sums(&row.usage)].concat());
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
    let charged = if answer.is_billed { "Callers are charged." } else { "Callers are not charged." };
    let more = if answer.incomplete { " Not all data could be read: the figures are incomplete." } else { "" };
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

fn sums(usage: &UsageView) -> Vec<Cell> {
    vec![
        number(&usage.requests),
        number(&usage.input_tokens),
        number(&usage.output_tokens),
        pounds(&usage.cost_gbp),
        pounds(&usage.charged_gbp),
    ]
}

fn usage_by_caller(answer: &InferenceReport) -> Section {
    let cells = answer.by_who.iter().map(|row| {
        let (name, kind) = match row.others {
            Some(others) => (Cell::text(format!("{others} others")), Cell::default()),
            None => (Cell::of(&row.plugin.as_ref().or(row.key.as_ref())), Cell::of(&row.kind)),
        };
        [vec![name, kind, account_cell(&row.account_id)], sums(&row.usage)].concat()
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
    fn models_without_requests_are_only_counted() {
        let model = |name: &str, breaker: &str, attempts: u64| {
            json!({ "model": name, "provider": "one", "breaker": breaker, "attempts": attempts, "failed_percent": "12.5",
                "paused_until": if breaker == "open" { json!("2026-11-26T10:00:05Z") } else { json!(null) } })
        };
        let answer = json!({ "models": [model("a", "closed", 0), model("b", "open", 0), model("c", "closed", 8)] });
        let section = models(&serde_json::from_value(answer).unwrap());
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
        let section = spending(&serde_json::from_value(answer).unwrap(), 7);
        let bars: Vec<&str> = section.charts[0].bars.iter().map(|bar| bar.title.as_str()).collect();
        assert_eq!(bars, ["2026-11-25: £0.75", "2026-11-26: £1.50342"]);
        assert_eq!(section.rows.len(), 3);
    }
}
