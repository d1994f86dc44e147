//! Answers to tasks in words.

use std::collections::BTreeSet;

use agent_common::dates::Date;
use agent_common::sheet;
use agent_common::{figures, limits};
use tollbridge_sdk::Error;

use crate::finding::Finding;
use crate::output::{Column, Output, Problem};
use crate::task;

/// Problems that an answer lists at most.
const PROBLEMS_MAX: usize = 1_000;

/// Answers a task in words, without a bridge; `now` is the time in milliseconds, for ages and the future.
pub fn answer(task: &str, now: i64) -> Result<Output, Error> {
    const DAY: i64 = 86_400_000;
    let today = (now > DAY).then(|| Date::of_days(now / DAY));
    let outcome = task::answer(task, today)?;
    let sheet = outcome.sheet;
    let column = |at: usize| {
        let cells = sheet.table.cells(at);
        let different: BTreeSet<&&str> = cells.iter().filter(|cell| !sheet::is_empty(cell)).collect();
        Column {
            name: sheet.name(at).to_owned(),
            kind: match sheet.kind(at) {
                sheet::Kind::Number => "number",
                sheet::Kind::Day => "date",
                sheet::Kind::Text => "text",
            }
            .to_owned(),
            missing: cells.iter().filter(|cell| sheet::is_empty(cell)).count(),
            distinct: different.len(),
        }
    };
    let problems: Vec<Problem> = outcome.findings.into_iter().take(PROBLEMS_MAX).map(of_finding).collect();
    Ok(Output {
        summary: told(sheet.table.rows.len(), &problems, &outcome.rules),
        confidence: outcome.confidence,
        rules: outcome.rules,
        valid: problems.is_empty(),
        rows: sheet.table.rows.len(),
        columns: (0..sheet.table.columns.len()).map(column).collect(),
        problems,
        limitations: limits(
            &[
                "only the rules listed were checked; a value can keep to them and still be untrue",
                "an empty cell breaks no other rule than that it must be filled",
            ],
            &[],
        ),
    })
}

fn of_finding(finding: Finding) -> Problem {
    let rows = finding.rows.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    Problem {
        severity: "high".into(),
        place: format!("{} {rows}, {}", if finding.rows.len() == 1 { "row" } else { "rows" }, finding.field),
        message: finding.message,
        repair: finding.repair,
        rows: finding.rows,
        field: Some(finding.field),
        kind: Some(finding.kind.to_owned()),
    }
}

/// The result in words.
fn told(rows: usize, problems: &[Problem], rules: &[String]) -> String {
    let checked = rules.join("; ");
    if problems.is_empty() {
        return format!("All {} in order. Checked: {checked}.", figures::count(rows, "row is", "rows are"));
    }
    let listed: Vec<String> = problems.iter().take(10).map(|one| format!("{}: {}", one.place, one.message)).collect();
    let more = problems.len().saturating_sub(10);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!(
        "{} in {}. {}{more}. Checked: {checked}.",
        figures::count(problems.len(), "problem", "problems"),
        figures::count(rows, "row", "rows"),
        listed.join("; ")
    )
}
