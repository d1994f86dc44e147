//! The log of a plugin. A page that follows the log reloads periodically.

use tollbridge_operator::{LogLineView, OperatorError, command};

use crate::page::{Cell, Page, Section};
use crate::page_context::PageContext;

/// Interval between reloads while following.
const FOLLOW_S: u32 = 3;

pub(super) async fn page(context: &PageContext<'_>, plugin: &str) -> Result<Page, OperatorError> {
    let answer = context.ask(command::PluginLogs { plugin: plugin.to_owned(), after: None }).await?;
    let path = format!("/console/plugins/{plugin}");
    let follows = context.query("follow").as_deref() == Some("yes");
    let (text, href) = if follows {
        (format!("Stop: this page reloads every {FOLLOW_S} seconds"), format!("{path}/logs"))
    } else {
        ("Follow".to_owned(), format!("{path}/logs?follow=yes"))
    };
    let links = vec![Cell::text(text).link(href), Cell::text("The plugin").link(path)];
    Ok(Page {
        title: format!("Log of {plugin}"),
        tab: "/console/plugins",
        sections: vec![Section { links, ..Section::default() }, table(&answer.lines)],
        refresh_s: if follows { FOLLOW_S } else { 0 },
    })
}

/// Returns the table of log lines, newest first.
pub(super) fn table(lines: &[LogLineView]) -> Section {
    let cells = lines.iter().rev().map(|row| {
        let level = Cell::of(&row.level);
        let class = if level.text == "error" { "bad" } else { "" };
        // Keep the milliseconds, to distinguish the lines of successive calls.
        let at = row.at.get(..23).unwrap_or_default().replace('T', " ");
        vec![
            Cell::text(at).class("when"),
            level.class(class),
            Cell::of(&row.request_id).class("id"),
            Cell::of(&row.text),
        ]
    });
    Section {
        heading: "Log".to_owned(),
        note: "Newest first. Lines of the previous version are kept, even while the plugin is out of service."
            .to_owned(),
        head: vec!["At (UTC)", "Level", "Request", "Text"],
        rows: cells.collect(),
        empty: "There are no log lines.",
        ..Section::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_newest_line_comes_first() {
        let line = |at: &str, level: &str| json!({ "at": at, "level": level, "request_id": "req_1", "text": "t" });
        let lines =
            json!([line("2026-11-26T10:00:00.001Z", "info"), line("2026-11-26T10:00:00.250Z", "error"), json!({}),]);
        let section = table(&serde_json::from_value::<Vec<_>>(lines).unwrap());
        let first: Vec<&str> = section.rows.iter().map(|row| row[0].text.as_str()).collect();
        assert_eq!(first, ["", "2026-11-26 10:00:00.250", "2026-11-26 10:00:00.001"]);
        assert_eq!(section.rows[1][1].class, "bad");
    }
}
