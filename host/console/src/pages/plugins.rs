//! Plugins: what serves and what does not, and what to do about it.

use serde_json::Value;
use tollbridge_operator::{Command, OperatorError, REPLAYED};

use super::logs;
use crate::making::{Making, pounds};
use crate::page::{Cell, Field, Form, Members as _, Page, Section, facts, rows, said};

pub(super) async fn list(making: &Making<'_>) -> Result<Page, OperatorError> {
    let answer = making.ask(Command::PluginList).await?;
    let cells = rows(&answer, "plugins").map(|row| {
        let name = Cell::member(row, "plugin");
        let href = format!("/console/plugins/{}", name.text);
        let status = Cell::member(row, "status");
        let class = if status.text == "live" { "" } else { "bad" };
        vec![
            name.link(href),
            status.class(class),
            Cell::member(row, "serving"),
            Cell::member(row, "pinned"),
            Cell::member(row, "waiting"),
            pounds(row, "price_gbp"),
            Cell::member(row, "publisher"),
            Cell::member(row, "cause"),
        ]
    });
    let section = Section {
        head: vec!["Plugin", "Status", "Serves", "Pinned", "Waiting", "Price", "Publisher", "Why not"],
        rows: cells.collect(),
        empty: "There are no plugins.",
        ..Section::default()
    };
    Ok(Page { title: "Plugins".to_owned(), tab: "/console/plugins", sections: vec![section], ..Page::default() })
}

pub(super) async fn show(making: &Making<'_>, plugin: &str) -> Result<Page, OperatorError> {
    let report = making.ask(Command::PluginInspect { plugin: plugin.to_owned() }).await?;
    let held = rows(&report, "held").map(|row| ["version", "reason"].map(|name| Cell::member(row, name)).to_vec());
    let held = Section {
        heading: "Versions that do not run".to_owned(),
        head: vec!["Version", "Why"],
        rows: held.collect(),
        empty: "There are none.",
        ..Section::default()
    };
    let (heading, facts) = ("As it is".to_owned(), facts(&report));
    let about = Section { heading, facts, forms: forms(plugin, &report), ..Section::default() };
    let mut sections = vec![about, held];
    if report.get("canary").is_some() {
        sections.push(canary(plugin, report.at("canary")));
    }
    if report.get("usage").is_some() {
        sections.push(usage(report.at("usage")));
    }
    // What has never served has no log.
    if let Ok(lines) = making.ask(Command::PluginLogs { plugin: plugin.to_owned(), after: None }).await {
        let follow = Cell::text("Follow").link(format!("/console/plugins/{plugin}/logs?follow=yes"));
        sections.push(Section { links: vec![follow], ..logs::table(&lines) });
    }
    Ok(Page { title: plugin.to_owned(), tab: "/console/plugins", sections, ..Page::default() })
}

fn forms(plugin: &str, report: &Value) -> Vec<Form> {
    let hidden = || vec![("plugin", plugin.to_owned())];
    let version = |value: String, required, hint| Field {
        name: "version",
        label: "Version",
        value,
        required,
        hint,
        ..Field::default()
    };
    let form = |title, command, fields, button, danger| Form {
        title,
        command,
        hidden: hidden(),
        fields,
        button,
        danger,
        search: None,
    };
    let waiting = said(report.at("waiting"));
    let mut forms = Vec::new();
    if !waiting.is_empty() {
        forms.push(form("Approve", "plugin-approve", vec![version(waiting, false, "")], "Let it serve", false));
    }
    forms.push(form(
        "Pin",
        "plugin-pin",
        vec![version(said(report.at("pinned")), false, "empty takes the pin off")],
        "Pin",
        false,
    ));
    if !said(report.at("pinned")).is_empty() {
        forms.push(form("", "plugin-unpin", Vec::new(), "Let the newest serve", false));
    }
    forms.push(form(
        "Roll back",
        "plugin-rollback",
        vec![version(String::new(), false, "the one before, if empty; newer ones wait")],
        "Roll back",
        false,
    ));
    let share =
        Field { name: "share", label: "Share of callers", value: "5%".to_owned(), required: true, ..Field::default() };
    forms.push(form(
        "Try a version out on some callers",
        "plugin-canary",
        vec![version(String::new(), true, "ends by itself when it is worse than the one that serves"), share],
        "Begin",
        false,
    ));
    forms.extend(replay_forms(plugin));
    forms.push(form(
        "Withdraw a version for good",
        "plugin-yank",
        vec![version(String::new(), true, "")],
        "Yank",
        true,
    ));
    forms.push(match *report.at("disabled") == true {
        true => form("", "plugin-enable", Vec::new(), "Put back into service", false),
        false => form("", "plugin-disable", Vec::new(), "Take out of service", true),
    });
    forms
}

/// What another version would have answered to what was kept.
fn replay_forms(plugin: &str) -> [Form; 2] {
    let hidden = || vec![("plugin", plugin.to_owned())];
    let version = Field {
        name: "version",
        label: "Version",
        hint: "the one on trial, or the newest that does not serve, if empty",
        ..Field::default()
    };
    let last = Field { name: "last", label: "Inputs, the newest", value: REPLAYED.to_string(), ..Field::default() };
    let replay = Form {
        title: "Replay inputs that were kept",
        command: "plugin-replay",
        hidden: hidden(),
        fields: vec![version, last],
        button: "Replay",
        ..Form::default()
    };
    let forget = Form {
        command: "plugin-forget-inputs",
        hidden: hidden(),
        button: "Delete what is kept",
        danger: true,
        ..Form::default()
    };
    [replay, forget]
}

/// The version that some callers get, and how it compares.
fn canary(plugin: &str, canary: &Value) -> Section {
    let end = Form {
        title: "",
        search: None,
        command: "plugin-end-canary",
        hidden: vec![("plugin", plugin.to_owned())],
        fields: Vec::new(),
        button: "End it",
        danger: false,
    };
    Section {
        heading: "Version on trial".to_owned(),
        facts: facts(canary),
        forms: if said(canary.at("ended")).is_empty() { vec![end] } else { Vec::new() },
        ..Section::default()
    }
}

/// What the last calls took, beside what they may take.
fn usage(usage: &Value) -> Section {
    let number = |name: &str| usage.at(name).as_u64();
    let calls = number("calls").unwrap_or_default();
    let row = |what: &str, limit: String, took: [Option<String>; 3]| {
        let took = took.map(|text| Cell::text(text.unwrap_or_else(|| "not known".to_owned())).class("number"));
        [vec![Cell::text(what)], took.to_vec(), vec![Cell::text(limit).class("number")]].concat()
    };
    let ms = |name: &str| number(name).map(milliseconds);
    let mib = |name: &str| number(name).map(mebibytes);
    let limit = |name: &str| number(name).unwrap_or_default();
    Section {
        heading: "Against its limits".to_owned(),
        note: format!(
            "Of the last {calls} calls of the version that serves, on this host; those that failed are among them, and \
             the wait for a place is not. Memory is what an instance had at its end: its own memories, which never \
             shrink, and what the host kept for it. Not known: what the engine takes beside it for stacks and compiled \
             code, and what instances that run at this moment have."
        ),
        facts: vec![
            ("Run now".to_owned(), Cell::text(limit("running").to_string())),
            ("May run at once".to_owned(), Cell::text(limit("concurrency_limit").to_string())),
        ],
        head: vec!["What", "Half took at most", "95 of 100 took at most", "The most", "Limit"],
        rows: vec![
            row(
                "Time",
                format!("{} ms", limit("time_limit_ms")),
                ["time_p50_us", "time_p95_us", "time_max_us"].map(ms),
            ),
            row(
                "Memory of an instance",
                mebibytes(limit("memory_limit_bytes")),
                ["memory_p50_bytes", "memory_p95_bytes", "memory_max_bytes"].map(mib),
            ),
        ],
        ..Section::default()
    }
}

fn milliseconds(micros: u64) -> String {
    format!("{}.{} ms", micros.div_euclid(1_000), micros.rem_euclid(1_000).div_euclid(100))
}

fn mebibytes(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) >> 20;
    format!("{}.{} MiB", tenths.div_euclid(10), tenths.rem_euclid(10))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_not_measured_is_not_known() {
        let limits =
            json!({ "calls": 0, "time_limit_ms": 2_000, "memory_limit_bytes": 16 << 20, "concurrency_limit": 4 });
        let section = usage(&limits);
        let texts = |row: &[Cell]| row.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&section.rows[0]), ["Time", "not known", "not known", "not known", "2000 ms"]);
        let mut seen = limits;
        for (name, value) in [("time_p50_us", 1_250), ("memory_max_bytes", 3 << 19)] {
            seen[name] = json!(value);
        }
        let section = usage(&seen);
        assert_eq!((section.rows[0][1].text.as_str(), section.rows[1][3].text.as_str()), ("1.2 ms", "1.5 MiB"));
        assert_eq!(section.rows[1][4].text, "16.0 MiB");
    }
}
