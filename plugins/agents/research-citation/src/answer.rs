//! The answer of the agent: findings in words, quotes confirmed, and what is said where something is missing.

use agent_common::{Answer, figures, limits};
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::claims;
use crate::finding::{Checked, Finding};
use crate::references::Reference;
use crate::source::Source;

#[derive(Deserialize)]
struct Verdict {
    valid: bool,
}

/// Each claim in order; an error names the first of which rules do not tell.
pub fn check(texts: &[String], sources: &[Source], literal: bool) -> Result<Vec<Checked>, Error> {
    let unclear = |claim: &str, reason: String| {
        let short: String = claim.chars().take(80).collect();
        let fix = format!(
            "whether the sources bear out \"{short}\" cannot be told without understanding them ({reason}); leave this claim out, or word it nearer to the source"
        );
        Error::invalid("/text", fix)
    };
    texts
        .iter()
        .map(|claim| claims::check(claim, sources, literal, texts.len() == 1).map_err(|reason| unclear(claim, reason)))
        .collect()
}

/// What to add where there is nothing to do.
pub fn nothing(sourced: bool, elsewhere: bool, style: bool) -> Error {
    let (field, fix) = if style {
        (
            "/references",
            "the references are missing: paste them one a line, or their parts as `Author:`, `Title:`, `Year:`",
        )
    } else if sourced {
        ("/text", "the claims are missing: write each behind `Claim:`, and the source behind `Source:`")
    } else if elsewhere {
        ("/sources", "nothing was attached: paste the text of the source below `Source:`")
    } else {
        (
            "/text",
            "there is nothing to check: provide claims behind `Claim:` with the text of a source behind `Source:`, or references, or identifiers",
        )
    };
    Error::invalid(field, fix)
}

/// Every quote must stand in its source, word for word.
pub fn confirm(checked: &[Checked], sources: &[Source]) -> Result<(), Error> {
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

/// The findings in words.
pub fn summary(claims: &[Checked], references: &[Reference]) -> String {
    let mut parts = Vec::new();
    if let [one] = claims {
        let word = match one.finding {
            Finding::Supported => "Supported",
            Finding::Contradicted => "Contradicted",
            Finding::Unsupported => "Not supported",
        };
        let quote = one
            .quote
            .as_ref()
            .filter(|_| one.finding != Finding::Unsupported)
            .map_or(String::new(), |quote| format!("; {} says: \"{}\"", quote.source, quote.text));
        parts.push(format!("{word}: {}{quote}", one.reason));
    } else if !claims.is_empty() {
        let number = |finding: Finding| claims.iter().filter(|claim| claim.finding == finding).count();
        parts.push(format!(
            "{}: {} supported, {} contradicted, {} without support",
            figures::count(claims.len(), "claim", "claims"),
            number(Finding::Supported),
            number(Finding::Contradicted),
            number(Finding::Unsupported)
        ));
    }
    let formatted: Vec<&str> = references.iter().filter_map(|reference| reference.formatted.as_deref()).collect();
    if !references.is_empty() && formatted.len() == references.len() {
        return [parts.join("; "), formatted.join("\n")]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n");
    }
    if !references.is_empty() {
        let wrong: Vec<&str> =
            references.iter().filter(|reference| !reference.ok).map(|reference| reference.text.as_str()).collect();
        let named = if wrong.is_empty() { String::new() } else { format!(": {}", wrong.join(", ")) };
        parts.push(format!(
            "{}, {} with problems{named}",
            figures::count(references.len(), "reference", "references"),
            wrong.len()
        ));
    }
    let text = parts.join("; ");
    if text.ends_with(['.', '"']) { text } else { format!("{text}.") }
}

/// What the answer does not tell.
pub fn limitations(more: Vec<String>) -> Vec<String> {
    let own = [
        "words, numbers, units, amounts and denials are compared, meaning is not understood; where they do not tell, the task is refused",
        "only the sources given were read; whether they are right was not checked",
    ];
    limits(&own, &[&more])
}
