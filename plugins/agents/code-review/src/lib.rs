//! An agent that reviews source code or a diff.
//!
//! The bridges `security_scan` and `code_metrics` find; of a diff only what
//! lies on lines that it adds is reported. This agent puts all remarks into one
//! list, the gravest first.

mod source;

use agent_common::{Answer, figures, limits, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::source::Changed;

/// What to review.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("| files | diff"))]
pub struct Input {
    /// Files with their paths, at most 200 and 1 MiB in all. The task's own code or diff unless given.
    #[schemars(length(min = 1, max = 200))]
    files: Option<Vec<File>>,
    /// A unified diff (`git diff`) instead: only added lines are reviewed.
    #[schemars(length(min = 1, max = 500_000))]
    diff: Option<String>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its path; decides the language.
    #[schemars(length(min = 1, max = 300))]
    pub path: String,
    /// Its text.
    pub content: String,
}

/// The review.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// `blocked` by a remark of severity high or above, `remarks`, or `clean`.
    verdict: &'static str,
    /// All remarks, the gravest first.
    remarks: Vec<Remark>,
    /// What was looked at.
    measures: Measures,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A remark.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Remark {
    /// critical, high, medium, low or info.
    severity: String,
    /// `security`, `complexity` or `duplicate`.
    kind: &'static str,
    /// The file.
    path: String,
    /// The line, from 1.
    line: usize,
    /// What is wrong.
    message: String,
    /// What to do.
    remedy: String,
    /// The rule or measure behind it.
    rule: String,
}

/// What was looked at.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Measures {
    /// Files.
    files: usize,
    /// Lines with code.
    code_lines: usize,
    /// Functions.
    functions: usize,
    /// The highest cyclomatic complexity of a function.
    most_cyclomatic: usize,
    /// Share of the code that lies in duplicates, 0 to 1.
    duplicated_share: f64,
}

#[derive(Deserialize)]
struct Scan {
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    rule: String,
    severity: String,
    path: String,
    line: usize,
    message: String,
    remedy: String,
    cwe: String,
}

#[derive(Deserialize)]
struct Metrics {
    totals: Measures,
    hotspots: Vec<Hotspot>,
    duplicates: Vec<Duplicate>,
}

#[derive(Deserialize)]
struct Hotspot {
    path: String,
    name: String,
    line: usize,
    measure: String,
    reasons: Vec<String>,
}

#[derive(Deserialize)]
struct Duplicate {
    lines: usize,
    first: Place,
    second: Place,
}

#[derive(Deserialize)]
struct Place {
    path: String,
    line: usize,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    let (files, changed) = match (input.files, input.diff) {
        (Some(_), Some(_)) => return Err(Error::invalid("/diff", "give `files` or `diff`, not both")),
        (Some(files), None) => (files, None),
        (None, Some(diff)) => source::of_diff(&diff).map(|(files, changed)| (files, Some(changed)))?,
        (None, None) => source::of_words(text)?,
    };
    let scan: Answer<Scan> = bridges::call("security_scan", &json!({ "files": files }))?;
    let metrics: Answer<Metrics> = bridges::call("code_metrics", &json!({ "files": files }))?;
    let mut remarks: Vec<Remark> = scan.result.findings.into_iter().map(security).collect();
    remarks.extend(metrics.result.hotspots.into_iter().map(complexity));
    remarks.extend(metrics.result.duplicates.into_iter().map(duplicate));
    if let Some(changed) = &changed {
        remarks.retain(|remark| changed.has(&remark.path, remark.line));
    }
    remarks.sort_by(|a, b| (rank(&a.severity), &a.path, a.line).cmp(&(rank(&b.severity), &b.path, b.line)));
    let verdict = match remarks.first() {
        None => "clean",
        Some(worst) if rank(&worst.severity) <= 1 => "blocked",
        Some(_) => "remarks",
    };
    Ok(Output {
        summary: summary(verdict, &remarks, &metrics.result.totals, changed.as_ref()),
        verdict,
        remarks,
        measures: metrics.result.totals,
        limitations: limits(
            &[
                "rules and measures, no understanding of what the code is for: a clean review is no proof of correctness",
            ],
            &[&scan.limitations, &metrics.limitations],
        ),
    })
}

fn security(finding: Finding) -> Remark {
    Remark {
        severity: finding.severity,
        kind: "security",
        path: finding.path,
        line: finding.line,
        message: finding.message,
        remedy: finding.remedy,
        rule: format!("{} ({})", finding.rule, finding.cwe),
    }
}

fn complexity(spot: Hotspot) -> Remark {
    Remark {
        severity: "medium".into(),
        kind: "complexity",
        path: spot.path,
        line: spot.line,
        message: format!("`{}`: {}", spot.name, spot.reasons.join("; ")),
        remedy: "Part it into functions that each do one thing.".into(),
        rule: spot.measure,
    }
}

fn duplicate(found: Duplicate) -> Remark {
    let second =
        if found.second.path == found.first.path { String::new() } else { format!(" of {}", found.second.path) };
    Remark {
        severity: "low".into(),
        kind: "duplicate",
        path: found.first.path,
        line: found.first.line,
        message: format!(
            "{} stand again from line {}{second}",
            figures::count(found.lines, "line", "lines"),
            found.second.line
        ),
        remedy: "Write it once and call it.".into(),
        rule: "duplicate tokens".into(),
    }
}

/// 0 for the gravest.
fn rank(severity: &str) -> usize {
    ["critical", "high", "medium", "low", "info"].iter().position(|name| *name == severity).unwrap_or(5)
}

fn summary(verdict: &str, remarks: &[Remark], measures: &Measures, changed: Option<&Changed>) -> String {
    let what = match changed {
        Some(changed) => figures::count(changed.lines(), "added line", "added lines"),
        None => figures::count(measures.code_lines, "line of code", "lines of code"),
    };
    let files = figures::count(measures.files, "file", "files");
    let mut text = format!("{verdict}: {what} in {files}, {}", figures::count(remarks.len(), "remark", "remarks"));
    if let Some(worst) = remarks.first() {
        text.push_str(&format!(
            "; the gravest ({}) in {} line {}: {}",
            worst.severity, worst.path, worst.line, worst.message
        ));
    }
    text.push('.');
    text
}

agent! { run: run, examples: ["../cases/sql.json"] }
tollbridge_sdk::test_cases!(agent run);
