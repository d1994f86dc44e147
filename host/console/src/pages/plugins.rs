//! Plugins: which versions serve, which do not and why, and actions on them.

use tollbridge_operator::{
    CanaryReport, OperatorError, PluginInspection, PluginReport, PluginUsage, REPLAYED, command,
};

use super::logs;
use crate::page::{Cell, Field, Form, Page, Section, facts};
use crate::page_context::{PageContext, pounds};

pub(super) async fn list(context: &PageContext<'_>) -> Result<Page, OperatorError> {
    let answer = context.ask(command::PluginList {}).await?;
    let cells = answer.plugins.iter().map(|row| {
        let name = Cell::of(&row.plugin);
        let href = format!("/console/plugins/{}", name.text);
        let status = Cell::of(&row.status);
        let class = if status.text == "live" { "" } else { "bad" };
        vec![
            name.link(href),
            status.class(class),
            Cell::of(&row.serving),
            Cell::of(&row.pinned),
            Cell::of(&row.waiting),
            pounds(&row.price_gbp),
            Cell::of(&row.publisher),
            Cell::of(&row.cause),
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

pub(super) async fn show(context: &PageContext<'_>, plugin: &str) -> Result<Page, OperatorError> {
    let PluginInspection { report, usage: used } =
        context.ask(command::PluginInspect { plugin: plugin.to_owned() }).await?;
    let held = report.held.iter().map(|row| vec![Cell::of(&row.version), Cell::of(&row.reason)]);
    let held = Section {
        heading: "Versions that do not run".to_owned(),
        head: vec!["Version", "Why"],
        rows: held.collect(),
        empty: "There are none.",
        ..Section::default()
    };
    let (heading, facts) = ("Current state".to_owned(), facts(&report));
    let about = Section { heading, facts, forms: forms(plugin, &report), ..Section::default() };
    let mut sections = vec![about, held];
    sections.extend(report.canary.as_ref().map(|report| canary(plugin, report)));
    sections.extend(used.as_ref().map(usage));
    // Omit the log if there is none, as for a plugin that has never served.
    if let Ok(lines) = context.ask(command::PluginLogs { plugin: plugin.to_owned(), after: None }).await {
        let follow = Cell::text("Follow").link(format!("/console/plugins/{plugin}/logs?follow=yes"));
        sections.push(Section { links: vec![follow], ..logs::table(&lines.lines) });
    }
    Ok(Page { title: plugin.to_owned(), tab: "/console/plugins", sections, ..Page::default() })
}

fn forms(plugin: &str, report: &PluginReport) -> Vec<Form> {
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
    let mut forms = Vec::new();
    if let Some(waiting) = &report.waiting {
        forms.push(form("Approve", "plugin-approve", vec![version(waiting.clone(), false, "")], "Approve", false));
    }
    forms.push(form(
        "Pin",
        "plugin-pin",
        vec![version(report.pinned.clone().unwrap_or_default(), false, "leave empty to remove the pin")],
        "Pin",
        false,
    ));
    if report.pinned.is_some() {
        forms.push(form("", "plugin-unpin", Vec::new(), "Serve the newest version", false));
    }
    forms.push(form(
        "Roll back",
        "plugin-rollback",
        vec![version(String::new(), false, "empty for the previous version; unpin to serve newer ones")],
        "Roll back",
        false,
    ));
    let share =
        Field { name: "share", label: "Share of callers", value: "5%".to_owned(), required: true, ..Field::default() };
    forms.push(form(
        "Serve a version to some callers (canary)",
        "plugin-canary",
        vec![version(String::new(), true, "ends automatically if it is worse than the serving version"), share],
        "Begin",
        false,
    ));
    forms.extend(replay_forms(plugin));
    forms.push(form("Yank a version permanently", "plugin-yank", vec![version(String::new(), true, "")], "Yank", true));
    forms.push(match report.disabled {
        true => form("", "plugin-enable", Vec::new(), "Put back into service", false),
        false => form("", "plugin-disable", Vec::new(), "Take out of service", true),
    });
    forms
}

/// Returns two forms: to replay kept inputs through another version, and to delete them.
fn replay_forms(plugin: &str) -> [Form; 2] {
    let hidden = || vec![("plugin", plugin.to_owned())];
    let version = Field {
        name: "version",
        label: "Version",
        hint: "default: the canary, or the newest version that does not serve",
        ..Field::default()
    };
    let last = Field {
        name: "last",
        label: "Number of inputs, newest first",
        value: REPLAYED.to_string(),
        ..Field::default()
    };
    let replay = Form {
        title: "Replay kept inputs",
        command: "plugin-replay",
        hidden: hidden(),
        fields: vec![version, last],
        button: "Replay",
        ..Form::default()
    };
    let forget = Form {
        command: "plugin-forget-inputs",
        hidden: hidden(),
        button: "Delete kept inputs",
        danger: true,
        ..Form::default()
    };
    [replay, forget]
}

/// Returns the section on the canary, the version that some callers get.
fn canary(plugin: &str, canary: &CanaryReport) -> Section {
    let end = Form {
        title: "",
        search: None,
        command: "plugin-end-canary",
        hidden: vec![("plugin", plugin.to_owned())],
        fields: Vec::new(),
        button: "End the canary",
        danger: false,
    };
    Section {
        heading: "Canary".to_owned(),
        facts: facts(canary),
        forms: if canary.ended.is_none() { vec![end] } else { Vec::new() },
        ..Section::default()
    }
}

/// Returns the resource usage of recent calls beside the limits.
fn usage(usage: &PluginUsage) -> Section {
    let calls = usage.calls;
    let row = |what: &str, limit: String, took: [Option<String>; 3]| {
        let took = took.map(|text| Cell::text(text.unwrap_or_else(|| "unknown".to_owned())).class("number"));
        [vec![Cell::text(what)], took.to_vec(), vec![Cell::text(limit).class("number")]].concat()
    };
    Section {
        heading: "Usage and limits".to_owned(),
        note: format!(
            "Over the last {calls} calls of the serving version on this host, including failed ones and excluding \
            the wait for an execution slot. Memory is an instance's memory at its end: its own memories, which never \
            shrink, and the host's data for it. Not included: the engine's memory for stacks and compiled code, and \
            the memory of running instances."
        ),
        facts: vec![
            ("Running now".to_owned(), Cell::text(usage.running.to_string())),
            ("Concurrency limit".to_owned(), Cell::text(usage.concurrency_limit.to_string())),
        ],
        head: vec!["What", "Median", "95th percentile", "Maximum", "Limit"],
        rows: vec![
            row(
                "Time",
                format!("{} ms", usage.time_limit_ms),
                [usage.time_p50_us, usage.time_p95_us, usage.time_max_us].map(|took| took.map(milliseconds)),
            ),
            row(
                "Memory of an instance",
                mebibytes(usage.memory_limit_bytes),
                [usage.memory_p50_bytes, usage.memory_p95_bytes, usage.memory_max_bytes]
                    .map(|took| took.map(mebibytes)),
            ),
        ],
        ..Section::default()
    }
}

fn milliseconds(micros: u64) -> String {
    format!("{}.{} ms", micros.div_euclid(1_000), micros.rem_euclid(1_000).div_euclid(100))
}

fn mebibytes(bytes: usize) -> String {
    let tenths = bytes.saturating_mul(10) >> 20;
    format!("{}.{} MiB", tenths.div_euclid(10), tenths.rem_euclid(10))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unmeasured_values_are_shown_as_unknown() {
        let limits =
            json!({ "calls": 0, "time_limit_ms": 2_000, "memory_limit_bytes": 16 << 20, "concurrency_limit": 4 });
        let section = usage(&serde_json::from_value(limits.clone()).unwrap());
        let texts = |row: &[Cell]| row.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&section.rows[0]), ["Time", "unknown", "unknown", "unknown", "2000 ms"]);
        let mut seen = limits;
        for (name, value) in [("time_p50_us", 1_250), ("memory_max_bytes", 3 << 19)] {
            seen[name] = json!(value);
        }
        let section = usage(&serde_json::from_value(seen).unwrap());
        assert_eq!((section.rows[0][1].text.as_str(), section.rows[1][3].text.as_str()), ("1.2 ms", "1.5 MiB"));
        assert_eq!(section.rows[1][4].text, "16.0 MiB");
    }
}
