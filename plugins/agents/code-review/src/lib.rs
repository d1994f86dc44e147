//! An agent that reviews source code or a diff.
//!
//! The bridges `security_scan` and `code_metrics` find, and so do rules of this
//! agent on single lines and blocks; of a diff only what lies on lines that it
//! adds is reported. A review without remarks is given only where the request
//! and the code leave little doubt; otherwise it is refused.

mod asked;
mod boundary;
mod diff;
mod found_code;
mod language;
mod measured;
mod remark;
mod rules;
mod source;
mod verdict;

use agent_common::{Answer, limits, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::asked::Asked;
use crate::diff::Changed;
use crate::language::Language;
use crate::measured::Measures;
use crate::remark::{Kind, Remark};
use crate::source::Source;

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
    /// What was looked for; a clean review says no more than that none of it was found.
    looked_for: Vec<&'static str>,
    /// What was looked at.
    measures: Measures,
    /// How likely it is right, 0 to 1: of answers that say 0.8 or more at least four in five were right on the frozen
    /// tasks.
    confidence: f64,
    /// What the answer does not tell.
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
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    let (files, changed, asked) = match (input.files, input.diff) {
        (Some(_), Some(_)) => return Err(Error::invalid("/diff", "give `files` or `diff`, not both")),
        (Some(files), None) => (files, None, None),
        (None, Some(diff)) => diff::of_diff(&diff).map(|(files, changed)| (files, Some(changed), None))?,
        (None, None) => of_words(text)?,
    };
    let sources: Vec<Source> = files
        .iter()
        .map(|file| Source::read(&file.path, &file.content, Language::of(&file.path, &file.content)))
        .collect();
    let scan: Answer<Scan> = bridges::call("security_scan", &json!({ "files": files }))?;
    let metrics = measured::ask(&files, &sources)?;
    let request = asked.as_ref().map_or("", |(_, request)| request.as_str());
    let mut remarks: Vec<Remark> =
        scan.result.findings.into_iter().map(|finding| security(finding, &sources)).collect();
    for source in &sources {
        remarks.extend(boundary::look(request, source));
        for own in rules::look(source) {
            add(&mut remarks, own);
        }
    }
    remarks.extend(measured::remarks(&metrics.result, &sources));
    if let Some(changed) = &changed {
        remarks.retain(|remark| changed.has(&remark.path, remark.line));
    }
    let asked = asked.map(|(asked, _)| asked);
    wanted(&mut remarks, asked.as_ref());
    remarks.sort_by(|a, b| (a.rank(), &a.path, a.line).cmp(&(b.rank(), &b.path, b.line)));
    let confidence = verdict::confidence(&remarks, asked.as_ref(), &sources)?;
    let verdict = match remarks.first() {
        None => "clean",
        Some(worst) if worst.rank() <= 1 => "blocked",
        Some(_) => "remarks",
    };
    let looked_for = verdict::looked_for(&sources);
    Ok(Output {
        summary: verdict::summary(verdict, &remarks, &metrics.result.totals, changed.as_ref(), asked.as_ref()),
        verdict,
        remarks,
        looked_for,
        measures: metrics.result.totals,
        confidence,
        limitations: limits(
            &[
                "rules and measures, no understanding of what the code is for: a clean review is no proof of correctness",
            ],
            &[&scan.limitations, &metrics.limitations],
        ),
    })
}

type Read = (Vec<File>, Option<Changed>, Option<(Asked, String)>);

fn of_words(text: &str) -> Result<Read, Error> {
    let found = found_code::read(text);
    let asked = asked::read(&found.request);
    let shown = asked.refusal.filter(|why| found.files.is_empty() && why.starts_with("an image"));
    if let Some(why) = shown {
        return Err(Error::invalid("/task", why));
    }
    if found.files.is_empty() {
        return Err(Error::invalid(
            "/files",
            "there is no code in the task: paste it as text (plain, between ``` fences, or as a unified diff), or give `files` or `diff`",
        ));
    }
    if let Some(why) = asked.refusal {
        return Err(Error::invalid("/task", why));
    }
    Ok((found.files, found.changed, Some((asked, found.request))))
}

fn security(finding: Finding, sources: &[Source]) -> Remark {
    let source = sources.iter().find(|source| source.path == finding.path);
    let line = source.and_then(|source| source.lines.get(finding.line.saturating_sub(1)));
    let secret = finding.rule.starts_with("secret");
    Remark {
        severity: finding.severity,
        kind: Kind::Security,
        path: finding.path,
        line: finding.line,
        message: finding.message,
        remedy: finding.remedy,
        rule: format!("{} ({})", finding.rule, finding.cwe),
        // A secret is shown nowhere.
        quote: line.filter(|_| !secret).map(|line| line.raw.trim().chars().take(160).collect()).unwrap_or_default(),
    }
}

/// Adds a remark of an own rule; what a bridge found on the line as well is said once.
fn add(remarks: &mut Vec<Remark>, own: Remark) {
    let same = remarks.iter_mut().find(|other| {
        other.kind == Kind::Security && own.kind == Kind::Security && (other.line, &other.path) == (own.line, &own.path)
    });
    match same {
        Some(other) if !other.message.contains(&own.message) => {
            other.message = format!("{}; {}", other.message, own.message)
        }
        Some(_) => {}
        None => remarks.push(own),
    }
}

/// Leaves only what was asked for.
fn wanted(remarks: &mut Vec<Remark>, asked: Option<&Asked>) {
    let style = asked.is_some_and(|asked| asked.style);
    remarks.retain(|remark| style || remark.severity != "info");
    if let Some(asked) = asked.filter(|asked| asked.only && !asked.kinds.is_empty()) {
        let kinds = &asked.kinds;
        let near = |kind: Kind| {
            kinds.contains(&kind)
                || (kinds.contains(&Kind::Style) && matches!(kind, Kind::Unused))
                || (kinds.contains(&Kind::Complexity) && kind == Kind::Duplicate)
        };
        if remarks.iter().any(|remark| near(remark.kind)) {
            remarks.retain(|remark| near(remark.kind));
        }
    }
}

agent! { run: run, examples: ["../cases/sql.json"] }
tollbridge_sdk::test_cases!(agent run);
