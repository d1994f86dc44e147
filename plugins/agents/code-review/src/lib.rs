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

use std::collections::BTreeSet;

use agent_common::form::Draft;
use agent_common::{Answer, figures, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::diff::Changed;
pub use crate::input::{File, Focus, Input};
use crate::measured::Measures;
pub use crate::remark::{Kind, Remark, Severity};
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
    severity: Severity,
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
        refusal => review(&form, task, refusal).and_then(|output| conclusive(&form, output)),
    }
}

/// Refuses to answer words with a clean review if the rules cannot know: they cover few of
/// the faults that `find bugs` means, and no code in an unknown language.
fn conclusive(form: &Input, output: Output) -> Result<Output, Error> {
    let is_about_security = form.focus.as_deref().is_some_and(|focus| focus == [Focus::Security]);
    let is_known = output.measures.code_lines > 0 && output.looked_for.len() > 1;
    if !output.remarks.is_empty() || is_about_security && is_known {
        return Ok(output);
    }
    let text = "the rules of this agent find nothing here, which does not show that the code is right; send `input` to get \
                the review anyway";
    Err(Error::invalid("/task", text).with_input(form))
}

/// Reviews code; with a refusal, only if a model answers the task by remarks of its own.
fn review(input: &Input, task: &str, refusal: Option<Error>) -> Result<Output, Error> {
    let (files, changed) = match (&input.files, &input.diff) {
        (Some(_), Some(_)) => return Err(Error::invalid("/diff", "give `files` or `diff`, not both")),
        (None, Some(diff)) => diff::of_diff(diff).map(|(files, changed)| (files, Some(changed)))?,
        (files, None) => (files.clone().unwrap_or_default(), None),
    };
    let sources: Vec<Source> = files.into_iter().map(Source::read).collect();
    let model = |refusal: Error| by_model::remarks(task, &sources, changed.as_ref(), refusal);
    let mut judged = refusal.map(model).transpose()?;
    let files: Vec<&File> = sources.iter().map(|source| &source.file).collect();
    let scan: Answer<Scan> = bridges::call("security_scan", &json!({ "files": files }))?;
    let metrics = measured::ask(&sources)?;
    let mut remarks: Vec<Remark> = scan.result.findings.iter().map(|finding| of_scan(finding, &sources)).collect();
    remarks.extend(sources.iter().flat_map(rules::look));
    remarks.extend(measured::remarks(&metrics.result, &sources));
    let focus = input.focus.as_deref();
    let wants = |kind: Kind| focus.is_none_or(|focus| focus.iter().any(|one| kinds(*one).contains(&kind)));
    remarks.retain(|remark| {
        let at = (remark.path.clone(), remark.line);
        let is_added = changed.as_ref().is_none_or(|changed| changed.contains(&at));
        is_added && wants(remark.kind) && (focus.is_some() || remark.severity != Severity::Info)
    });
    let explains = |remark: &Remark| kinds(Focus::Defects).contains(&remark.kind);
    if input.fault == Some(true) && judged.is_none() && !remarks.iter().any(explains) {
        let text = "the rules of this agent find no fault in this code; say what happens and what should, or ask for a \
                    review without stating a fault";
        judged = Some(model(Error::invalid("/task", text).with_input(input))?);
    }
    let (own, note) = judged.unzip();
    add(&mut remarks, own.unwrap_or_default());
    remarks.sort_by(|a, b| (a.severity, &a.path, a.line).cmp(&(b.severity, &b.path, b.line)));
    let verdict = match remarks.first() {
        None => "clean",
        Some(worst) if worst.severity <= Severity::High => "blocked",
        Some(_) => "remarks",
    };
    let own = "rules and measures, no understanding of what the code is for: a clean review is no proof of correctness";
    Ok(Output {
        summary: summary(verdict, &remarks, &metrics.result.totals, changed.as_ref()),
        verdict,
        remarks,
        looked_for: looked_for(&sources, &wants),
        measures: metrics.result.totals,
        limitations: limits(&[own], &[&scan.limitations, &metrics.limitations, note.as_slice()]),
    })
}

/// Returns the remark of a finding; a secret is not quoted.
fn of_scan(finding: &Finding, sources: &[Source]) -> Remark {
    let Finding { rule, severity, path, line, message, remedy, cwe } = finding;
    let name = format!("{rule} ({cwe})");
    let mut remark = Remark::new(sources, (path, *line), (Kind::Security, *severity), &name, message.clone(), remedy);
    if rule.starts_with("secret") {
        remark.quote.clear();
    }
    remark
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

/// Returns what was looked for.
fn looked_for(sources: &[Source], wants: &dyn Fn(Kind) -> bool) -> Vec<String> {
    let is_measured = sources.iter().any(|source| language::is_measured(source.language));
    let scan = "secrets, dangerous calls, injection by queries and commands built from text (security_scan)";
    let metrics = "complexity, nesting, parameters, duplicates (code_metrics)";
    let bridges = [(wants(Kind::Security), scan), (wants(Kind::Complexity) && is_measured, metrics)];
    let bridges = bridges.into_iter().filter(|(is_used, _)| *is_used).map(|(_, name)| name.to_owned());
    let rules = sources.iter().flat_map(|source| rules::names(source.language, wants));
    let mut seen = BTreeSet::new();
    bridges.chain(rules).filter(|name| seen.insert(name.clone())).collect()
}

fn summary(verdict: &str, remarks: &[Remark], measures: &Measures, changed: Option<&Changed>) -> String {
    let what = match changed {
        Some(changed) => figures::count(changed.len(), "added line", "added lines"),
        None => figures::count(measures.code_lines, "line of code", "lines of code"),
    };
    let files = figures::count(measures.files, "file", "files");
    let count = figures::count(remarks.len(), "remark", "remarks");
    let end = if remarks.is_empty() { "; nothing of `looked_for` was found." } else { ", the gravest first." };
    let mut lines = vec![format!("{verdict}: {what} in {files}, {count}{end}")];
    for remark in remarks.iter().take(SHOWN_MAX) {
        let path = if measures.files > 1 { format!("{} ", remark.path) } else { String::new() };
        let severity = format!("{:?}", remark.severity).to_lowercase();
        let message = remark.message.trim_end_matches('.');
        lines.push(format!("- {path}line {} ({severity}): {message}. {}", remark.line, remark.remedy));
    }
    if remarks.len() > SHOWN_MAX {
        lines.push(format!("- and {} more", remarks.len() - SHOWN_MAX));
    }
    lines.join("\n")
}

agent! { run: run, examples: ["../cases/sql.json"] }
tollbridge_sdk::test_cases!(agent run);
