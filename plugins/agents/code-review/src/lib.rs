//! An agent that reviews source code or a diff.
//!
//! The bridges `security_scan` and `code_metrics` find, and so do rules of this
//! agent on single lines and blocks; of a diff only what lies on lines that it
//! adds is reported. A review without remarks is given only where the request
//! and the code leave little doubt; otherwise it is refused.

mod asked;
mod bare_code;
mod boundary;
mod by_model;
mod code_looks;
mod diff;
mod fenced_code;
mod file;
mod found_code;
mod input;
mod language;
mod measured;
mod output;
mod remark;
mod rules;
mod scanned;
mod source;
mod task_code;
mod verdict;

use agent_common::model::CONFIDENCE;
use agent_common::{limits, words};
use tollbridge_sdk::{Call, Error, agent};

use crate::asked::Asked;
use crate::diff::Changed;
use crate::file::File;
use crate::input::Input;
use crate::language::Language;
use crate::output::Output;
use crate::remark::{Kind, Remark};
use crate::source::Source;

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
    let scan = scanned::ask(&files, &sources)?;
    let metrics = measured::ask(&files, &sources)?;
    let request = asked.as_ref().map_or("", |(_, request)| request.as_str());
    let mut remarks = scan.result;
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
    by_rank(&mut remarks);
    let (confidence, note) = match verdict::confidence(&remarks, asked.as_ref(), &sources) {
        Ok(confidence) => (confidence, None),
        Err(refusal) => {
            let (mut own, note) = by_model::remarks(text, &sources, changed.as_ref(), refusal)?;
            let same = |a: &Remark, b: &Remark| (&a.path, a.line) == (&b.path, b.line);
            // A line with a secret is quoted nowhere.
            for one in own.iter_mut().filter(|one| remarks.iter().any(|rule| same(one, rule) && rule.quote.is_empty()))
            {
                one.quote.clear();
            }
            remarks.retain(|remark| !own.iter().any(|one| same(one, remark)));
            remarks.extend(own);
            by_rank(&mut remarks);
            (CONFIDENCE, Some(note))
        }
    };
    let verdict = verdict::of(&remarks);
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
            &[&scan.limitations, &metrics.limitations, note.as_slice()],
        ),
    })
}

/// The gravest first, then by place.
fn by_rank(remarks: &mut [Remark]) {
    remarks.sort_by(|a, b| (a.rank(), &a.path, a.line).cmp(&(b.rank(), &b.path, b.line)));
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
