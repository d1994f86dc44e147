//! An agent that checks claims against the sources given with them, identifiers by form and
//! check digit, and writes references in a style.
//!
//! A claim is decided only if a sentence of a source has its words, or a model judges it
//! with a quote. The bridge `validation` confirms that every quote is in its source,
//! `citation_check` checks identifiers. Nothing but the given sources is known.

mod by_model;
mod claims;
mod commands;
mod input;
mod output;
mod references;
mod style;
mod work;

use agent_common::{Answer, columns, figures, form, limits, sentences};
pub use input::Input;
pub use output::{Checked, Finding, Output, Reference};
use serde::Deserialize;
use serde_json::{Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::input::Source;

const CLAIMS_MAX: usize = 100;

#[derive(Deserialize)]
struct Verdict {
    valid: bool,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let task = task.trim();
    if let Some(input) = input {
        return answer(&input, "", false);
    }
    let filled = form::fill(task, commands::draft(task), |input| verify(input, task))?;
    let mut output = answer(&filled.form, task, true).map_err(|error| error.with_input(&filled.form))?;
    output.limitations.extend(filled.note);
    Ok(output)
}

fn is_empty(input: &Input) -> bool {
    let listed = input.references.is_some() || input.works.is_some() || input.identifiers.is_some();
    !listed && input.claims.is_none() && input.text.is_none()
}

/// Verifies a form that a model filled: its words are those of the task.
fn verify(input: &Input, task: &str) -> Result<(), Error> {
    if is_empty(input) {
        return Err(nothing());
    }
    let words = |text: &str| columns::name_words(&text.replace(['(', '['], " "));
    let known = words(task);
    let mut open = vec![json!(input)];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(map) => {
                let material = map.into_iter().filter(|(name, _)| name != "kind" && name != "style");
                open.extend(material.map(|(_, value)| value));
            }
            Value::Array(list) => open.extend(list),
            Value::String(text) => {
                let own = |word: &String| word.contains(char::is_alphabetic) && !known.contains(word);
                if let Some(word) = words(&text).into_iter().find(own) {
                    return Err(Error::invalid("/task", format!("the task does not contain the word `{word}`")));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn nothing() -> Error {
    let fix = "there is nothing to check: give `claims` with `sources`, `references`, `works` or `identifiers`";
    Error::invalid("/text", fix)
}

/// Answers typed input. In a task in words (`strict`), a reference that cannot be formatted is an error.
fn answer(input: &Input, task: &str, strict: bool) -> Result<Output, Error> {
    if is_empty(input) {
        return Err(nothing());
    }
    let style = input.style.unwrap_or_default();
    let (mut list, mut notes) = (Vec::new(), Vec::new());
    let mut add = |(references, limitations): references::Checked| {
        list.extend(references);
        notes.extend(limitations);
    };
    if let Some(references) = &input.references {
        add(references::of_texts(references, style, strict, strict && input.style.is_some())?);
    }
    if let Some(works) = &input.works {
        add(references::of_works(works, style)?);
    }
    if let Some(identifiers) = &input.identifiers {
        add(references::of_identifiers(identifiers)?);
    }
    let claims = match (&input.claims, &input.text) {
        (Some(claims), _) => claims.clone(),
        (None, Some(text)) => sentences::split(text).iter().map(|sentence| sentence.text.to_owned()).collect(),
        (None, None) => Vec::new(),
    };
    let checked = check(&claims, input, task, &mut notes)?;
    let own = [
        "a claim is decided by the words and numbers of a sentence, or by a model with a quote; otherwise the task is \
         refused",
        "only the sources given were read; whether they are right was not checked",
    ];
    Ok(Output {
        summary: summary(&checked, &list),
        claims: checked,
        references: list,
        limitations: limits(&own, &[&notes]),
    })
}

fn check(claims: &[String], input: &Input, task: &str, notes: &mut Vec<String>) -> Result<Vec<Checked>, Error> {
    let sources = input.sources.clone().unwrap_or_default();
    if claims.is_empty() {
        return Ok(Vec::new());
    }
    if sources.is_empty() {
        let fix = "the claims need a source to be checked against: paste the text of the source below `Source:`";
        return Err(Error::invalid("/sources", fix));
    }
    if claims.len() > CLAIMS_MAX {
        return Err(Error::invalid("/text", format!("{} claims; at most {CLAIMS_MAX} in one task", claims.len())));
    }
    let literal = input.literal == Some(true);
    let by_words = |claim: &String| {
        let decided = if literal { Ok(claims::literal(claim, &sources)) } else { claims::check(claim, &sources) };
        decided.map_err(|reason| {
            let short: String = claim.chars().take(80).collect();
            format!(
                "whether the sources bear out \"{short}\" cannot be decided without understanding them ({reason}); leave \
                 this claim out, or word it as the source does"
            )
        })
    };
    let checked = match claims.iter().map(by_words).collect::<Result<Vec<_>, String>>() {
        Ok(checked) => checked,
        Err(text) => {
            let (judged, note) = by_model::check(task, claims, &sources, Error::invalid("/claims", text))?;
            notes.push(note);
            judged
        }
    };
    confirm(&checked, &sources)?;
    Ok(checked)
}

/// Confirms that every quote is in its source, word for word.
fn confirm(checked: &[Checked], sources: &[Source]) -> Result<(), Error> {
    let quotes = checked.iter().filter_map(|claim| claim.quote.as_ref());
    let place = |id: &str, text: &str| sources.iter().position(|source| source.id == id && source.text.contains(text));
    let assertions: Vec<_> = quotes
        .filter_map(|quote| {
            let at = place(&quote.source, &quote.text)?;
            Some(json!({ "path": format!("/{at}"), "op": "contains", "value": quote.text }))
        })
        .collect();
    if assertions.is_empty() {
        return Ok(());
    }
    let texts: Vec<&str> = sources.iter().map(|source| source.text.as_str()).collect();
    let verdict: Answer<Verdict> = bridges::call("validation", &json!({ "output": texts, "assertions": assertions }))?;
    if verdict.result.valid { Ok(()) } else { Err(Error::internal("a quote is not in its source")) }
}

fn summary(claims: &[Checked], references: &[Reference]) -> String {
    let mut parts = Vec::new();
    if let [one] = claims {
        let word = match one.finding {
            Finding::Supported => "Supported",
            Finding::Contradicted => "Contradicted",
            Finding::Unsupported => "Not supported",
        };
        let quote = one.quote.as_ref().map(|quote| format!("; {} says: \"{}\"", quote.source, quote.text));
        parts.push(format!("{word}: {}{}", one.reason, quote.unwrap_or_default()));
    } else if !claims.is_empty() {
        let number = |finding: Finding| claims.iter().filter(|claim| claim.finding == finding).count();
        let (supported, contradicted) = (number(Finding::Supported), number(Finding::Contradicted));
        let count = figures::count(claims.len(), "claim", "claims");
        let rest = number(Finding::Unsupported);
        parts.push(format!("{count}: {supported} supported, {contradicted} contradicted, {rest} without support"));
    }
    let formatted: Option<Vec<&str>> = references.iter().map(|one| one.formatted.as_deref()).collect();
    if let Some(formatted) = formatted.filter(|list| !list.is_empty()) {
        parts.push(formatted.join("\n"));
        return parts.join("\n");
    }
    if !references.is_empty() {
        let wrong: Vec<&str> = references.iter().filter(|one| !one.ok).map(|one| one.text.as_str()).collect();
        let named = if wrong.is_empty() { String::new() } else { format!(": {}", wrong.join(", ")) };
        let count = figures::count(references.len(), "reference", "references");
        parts.push(format!("{count}, {} with problems{named}", wrong.len()));
    }
    let text = parts.join("; ");
    if text.ends_with(['.', '"']) { text } else { format!("{text}.") }
}

agent! { run: run, examples: ["../cases/bridge.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests;
