//! Plugins: what serves and what does not, and what to do about it.

use serde_json::Value;
use tollbridge_operator::{Command, OperatorError, REPLAYED};

use crate::making::{Making, pounds};
use crate::page::{Cell, Field, Form, Members as _, Page, Section, facts, rows, said, time};

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
    Ok(Page { title: "Plugins".to_owned(), tab: "/console/plugins", sections: vec![section] })
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
    let about = Section { facts: facts(&report), forms: forms(plugin, &report), ..Section::default() };
    let mut sections = vec![about, held];
    if report.get("canary").is_some() {
        sections.push(canary(plugin, report.at("canary")));
    }
    // Only what serves has a log.
    if let Ok(logs) = making.ask(Command::PluginLogs { plugin: plugin.to_owned() }).await {
        sections.push(log(&logs));
    }
    Ok(Page { title: plugin.to_owned(), tab: "/console/plugins", sections })
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

fn log(answer: &Value) -> Section {
    let cells = rows(answer, "lines").collect::<Vec<_>>().into_iter().rev().map(|row| {
        let level = Cell::member(row, "level");
        let class = if level.text == "error" { "bad" } else { "" };
        let at = row.get("time_ms").and_then(Value::as_u64).map_or_else(String::new, time);
        vec![
            Cell::text(at).class("when"),
            level.class(class),
            Cell::member(row, "request_id").class("id"),
            Cell::member(row, "text"),
        ]
    });
    Section {
        heading: "Log".to_owned(),
        note: "Newest first.".to_owned(),
        head: vec!["At (UTC)", "Level", "Request", "Text"],
        rows: cells.collect(),
        empty: "It has logged nothing.",
        ..Section::default()
    }
}
