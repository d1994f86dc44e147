//! An agent that reviews source code or a diff.
//!
//! The bridges `security_scan` and `code_metrics` find, and so do the rules of `rules.txt`; of
//! a diff only remarks on added lines are given. `clean` means that nothing of `looked_for`
//! was found; a task that states a fault is never answered so.

mod by_model;
mod commands;
mod diff;
mod input;
mod language;
mod measured;
mod remark;
mod rules;
mod source;

use agent_common::form::Draft;
use agent_common::{Answer, figures, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::diff::Changed;
pub use crate::input::{File, Focus, Input};
use crate::measured::Measures;
pub use crate::remark::{Kind, Remark};
use crate::source::Source;

/// Most remarks in `summary`.
const SHOWN_MAX: usize = 20;

/// The review.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// `blocked` by a remark of severity high or above, `remarks`, or `clean`.
    verdict: &'static str,
    /// All remarks, the gravest first.
    remarks: Vec<Remark>,
    /// What was looked for; a clean review means only that none of it was found.
    looked_for: Vec<String>,
    /// Size of the reviewed code.
    measures: Measures,
    /// What the answer does not cover.
    limitations: Vec<String>,
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

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let input = input.unwrap_or_default();
    if input.files.is_some() || input.diff.is_some() {
        return review(&input, task, None);
    }
    let Draft { mut form, question } = commands::draft(task);
    form.focus = input.focus.or(form.focus);
    form.fault = input.fault.or(form.fault);
    let refusal = question.map(|question| Error::invalid("/task", question).with_input(&form));
    match refusal {
        Some(refusal) if form.files.is_none() && form.diff.is_none() => Err(refusal),
        refusal => review(&form, task, refusal),
    }
}

/// Reviews code; with a refusal, only if a model answers the task by remarks of its own.
fn review(input: &Input, task: &str, refusal: Option<Error>) -> Result<Output, Error> {
    let (files, changed) = match (&input.files, &input.diff) {
        (Some(_), Some(_)) => return Err(Error::invalid("/diff", "give `files` or `diff`, not both")),
        (None, Some(diff)) => diff::of_diff(diff).map(|(files, changed)| (files, Some(changed)))?,
        (files, None) => (files.clone().unwrap_or_default(), None),
    };
    let read = |file: &File| {
        let language = language::of_path(&file.path).or_else(|| language::of_code(&file.content)).unwrap_or_default();
        Source::read(&file.path, language, &file.content)
    };
    let sources: Vec<Source> = files.iter().map(read).collect();
    let model = |refusal: Error| by_model::remarks(task, &sources, changed.as_ref(), refusal);
    let mut judged = refusal.map(model).transpose()?;
    let scan: Answer<Scan> = bridges::call("security_scan", &json!({ "files": files }))?;
    let metrics = measured::ask(&files, &sources)?;
    let mut remarks: Vec<Remark> = scan.result.findings.into_iter().map(|finding| of_scan(finding, &sources)).collect();
    remarks.extend(sources.iter().flat_map(rules::look));
    remarks.extend(measured::remarks(&metrics.result, &sources));
    remarks.retain(|remark| changed.as_ref().is_none_or(|changed| changed.has(&remark.path, remark.line)));
    remarks.retain(|remark| is_wanted(remark, input.focus.as_deref()));
    let explains = |remark: &Remark| matches!(remark.kind, Kind::Defect | Kind::Security | Kind::Unused);
    if input.fault == Some(true) && judged.is_none() && !remarks.iter().any(explains) {
        let text = "the rules of this agent find no fault in this code; say what happens and what should, or ask for a \
                    review without stating a fault";
        judged = Some(model(Error::invalid("/task", text).with_input(input))?);
    }
    let note = judged.map(|(own, note)| {
        add(&mut remarks, own);
        note
    });
    remarks.sort_by(|a, b| (a.rank(), &a.path, a.line).cmp(&(b.rank(), &b.path, b.line)));
    let verdict = match remarks.first() {
        None => "clean",
        Some(worst) if worst.rank() <= 1 => "blocked",
        Some(_) => "remarks",
    };
    let own = "rules and measures, no understanding of what the code is for: a clean review is no proof of correctness";
    Ok(Output {
        summary: summary(verdict, &remarks, &metrics.result.totals, changed.as_ref()),
        verdict,
        remarks,
        looked_for: looked_for(&sources, input.focus.as_deref()),
        measures: metrics.result.totals,
        limitations: limits(&[own], &[&scan.limitations, &metrics.limitations, note.as_slice()]),
    })
}

/// Returns the remark of a finding; a secret is not quoted.
fn of_scan(finding: Finding, sources: &[Source]) -> Remark {
    let source = sources.iter().find(|source| source.path == finding.path);
    let secret = finding.rule.starts_with("secret");
    let quote = source.filter(|_| !secret).map(|source| source.quote(finding.line)).unwrap_or_default();
    Remark {
        severity: finding.severity,
        kind: Kind::Security,
        path: finding.path,
        line: finding.line,
        message: finding.message,
        remedy: finding.remedy,
        rule: format!("{} ({})", finding.rule, finding.cwe),
        quote,
    }
}

/// Adds the remarks of a model in place of others on their lines.
fn add(remarks: &mut Vec<Remark>, mut own: Vec<Remark>) {
    let same = |a: &Remark, b: &Remark| (&a.path, a.line) == (&b.path, b.line);
    for one in own.iter_mut().filter(|one| remarks.iter().any(|rule| same(one, rule) && rule.quote.is_empty())) {
        one.quote.clear();
    }
    remarks.retain(|remark| !own.iter().any(|one| same(one, remark)));
    remarks.append(&mut own);
}

/// Returns the kinds of a focus.
fn kinds(focus: Focus) -> &'static [Kind] {
    match focus {
        Focus::Security => &[Kind::Security],
        Focus::Defects => &[Kind::Defect, Kind::Security, Kind::Unused],
        Focus::Style => &[Kind::Style, Kind::Unused],
        Focus::Complexity => &[Kind::Complexity, Kind::Duplicate],
        Focus::Unused => &[Kind::Unused],
    }
}

fn is_wanted(remark: &Remark, focus: Option<&[Focus]>) -> bool {
    match focus {
        None => remark.severity != "info",
        Some(focus) => focus.iter().any(|one| kinds(*one).contains(&remark.kind)),
    }
}

/// Returns what was looked for.
fn looked_for(sources: &[Source], focus: Option<&[Focus]>) -> Vec<String> {
    let has = |kind: Kind| focus.is_none_or(|focus| focus.iter().any(|one| kinds(*one).contains(&kind)));
    let mut list = Vec::new();
    if has(Kind::Security) {
        list.push(
            "secrets, dangerous calls, injection by queries and commands built from text (security_scan)".to_owned(),
        );
    }
    if has(Kind::Complexity) && sources.iter().any(|source| language::is_measured(source.language)) {
        list.push("complexity, nesting, parameters, duplicates (code_metrics)".to_owned());
    }
    for source in sources {
        let own =
            rules::names(source.language, &has).into_iter().filter(|name| !list.contains(name)).collect::<Vec<_>>();
        list.extend(own);
    }
    list
}

fn summary(verdict: &str, remarks: &[Remark], measures: &Measures, changed: Option<&Changed>) -> String {
    let what = match changed {
        Some(changed) => figures::count(changed.lines(), "added line", "added lines"),
        None => figures::count(measures.code_lines, "line of code", "lines of code"),
    };
    let files = figures::count(measures.files, "file", "files");
    let count = figures::count(remarks.len(), "remark", "remarks");
    if remarks.is_empty() {
        return format!("{verdict}: {what} in {files}, {count}; nothing of `looked_for` was found.");
    }
    let mut text = format!("{verdict}: {what} in {files}, {count}, the gravest first.");
    for remark in remarks.iter().take(SHOWN_MAX) {
        let path = if measures.files > 1 { format!("{} ", remark.path) } else { String::new() };
        let message = remark.message.trim_end_matches('.');
        text.push_str(&format!("\n- {path}line {} ({}): {message}. {}", remark.line, remark.severity, remark.remedy));
    }
    if remarks.len() > SHOWN_MAX {
        text.push_str(&format!("\n- and {} more", remarks.len() - SHOWN_MAX));
    }
    text
}

agent! { run: run, examples: ["../cases/sql.json"] }
tollbridge_sdk::test_cases!(agent run);
