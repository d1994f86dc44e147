//! Two tables against each other: what differs, what is in both, what is missing.

use agent_common::table::Table;
use serde_json::json;
use tollbridge_sdk::Error;

use crate::figure::Figure;
use crate::outcome::{ASSUMED, Outcome};
use crate::phrases::says;
use crate::reply::Reply;
use crate::tables::{self, Comparison};

/// A comparison is wanted.
const ASKED: &[&str] = &[
    "in both",
    "differ",
    "differs",
    "difference",
    "differences",
    "compare",
    "changed",
    "mismatch",
    "mismatches",
    "discrepancies",
    "in common",
    "only in",
    "not in",
    "missing",
    "reconcile",
    "no longer",
    "disagree",
    "unterschiede",
    "vergleiche",
    "no orders",
    "without orders",
    "fehlen",
    "fehlt",
    "appear in only",
    "unmatched",
    "not on the",
    "new in",
    "are new",
];

/// Records with other values are wanted.
const DIFFERING: &[&str] = &[
    "differ",
    "differs",
    "different",
    "difference",
    "differences",
    "changed",
    "mismatch",
    "mismatches",
    "discrepancies",
    "disagree",
    "compare",
    "unterschiede",
    "reconcile",
];

/// Records of one table alone are wanted.
const ONE_SIDED: &[&str] = &[
    "only",
    "missing",
    "not in",
    "no longer",
    "new",
    "fehlen",
    "fehlt",
    "no orders",
    "without",
    "unmatched",
    "not on the",
    "compare",
    "reconcile",
];

/// Differences of two tables, if that is asked.
pub fn compared(instruction: &str, given: &[Table]) -> Result<Option<Outcome>, Error> {
    let asked = says(instruction, ASKED);
    let [first, second] = given else { return Ok(None) };
    if !asked {
        return Ok(None);
    }
    let Some(key) = tables::shared_key(first, second, None) else { return Ok(None) };
    let found = tables::compare(first, second, key);
    Ok(Some(comparison(instruction, first, second, &found)))
}

fn comparison(instruction: &str, first: &Table, second: &Table, found: &Comparison) -> Outcome {
    let title = |table: &Table, other: &str| table.title.clone().unwrap_or_else(|| other.to_owned());
    let (one, two) = (title(first, "the first table"), title(second, "the second table"));
    let (answers, summary) = (figures(found, &one, &two), summary(found, &one, &two));
    let table = Table::new(vec![found.key.clone(), "column".into(), one, two], rows(instruction, found));
    Outcome {
        reply: Reply { answers, groups: Vec::new(), table, summary },
        removed: 0,
        differences: found.differences.clone(),
        confidence: ASSUMED,
    }
}

/// How many and which records are in both, in one, and differ.
fn figures(found: &Comparison, one: &str, two: &str) -> Vec<Figure> {
    let differing: Vec<String> =
        found.differences.iter().map(|one| one.key.clone()).fold(Vec::new(), |mut all, key| {
            if !all.contains(&key) {
                all.push(key);
            }
            all
        });
    let list = |what: String, keys: &[String]| {
        [
            Figure { what: format!("count of {}: {what}", found.key), value: json!(keys.len()), rows: Vec::new() },
            Figure { what: format!("{}: {what}", found.key), value: json!(keys.join(", ")), rows: Vec::new() },
        ]
    };
    [
        list("in both with other values".into(), &differing),
        list("in both".into(), &found.both),
        list(format!("only in {one}"), &found.only_first),
        list(format!("only in {two}"), &found.only_second),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The records that are asked for, with the values of both tables.
fn rows(instruction: &str, found: &Comparison) -> Vec<Vec<String>> {
    let (differs, only) = (says(instruction, DIFFERING), says(instruction, ONE_SIDED));
    let mut rows: Vec<Vec<String>> = Vec::new();
    if differs {
        rows.extend(
            found.differences.iter().map(|d| vec![d.key.clone(), d.column.clone(), d.first.clone(), d.second.clone()]),
        );
    }
    if only {
        rows.extend(
            found.only_first.iter().map(|key| vec![key.clone(), String::new(), "there".into(), "missing".into()]),
        );
        rows.extend(
            found.only_second.iter().map(|key| vec![key.clone(), String::new(), "missing".into(), "there".into()]),
        );
    }
    if rows.is_empty() && !differs && !only {
        rows.extend(found.both.iter().map(|key| vec![key.clone(), String::new(), "there".into(), "there".into()]));
    }
    rows
}

fn summary(found: &Comparison, one: &str, two: &str) -> String {
    let told: Vec<String> = found
        .differences
        .iter()
        .take(8)
        .map(|d| format!("{} {} ({} / {})", d.key, d.column, d.first, d.second))
        .collect();
    let names = |keys: &[String]| if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
    format!(
        "{} {} in both; different values: {}; only in {one}: {}; only in {two}: {}.",
        found.both.len(),
        found.key,
        if told.is_empty() { "none".to_owned() } else { told.join(", ") },
        names(&found.only_first),
        names(&found.only_second)
    )
}
