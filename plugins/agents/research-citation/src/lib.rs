//! An agent that checks claims against the sources given with them.
//!
//! For each claim the sentence of a source that shares most of its words is
//! found and quoted; its numbers and negations decide between support and
//! contradiction. The bridge `validation` confirms that every quote stands in
//! its source, `citation_check` looks at the references. Nothing but the given
//! sources is known.

mod claims;

use agent_common::{Answer, figures, limits, sentences, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::claims::{Checked, Finding};

const HEADINGS: [&str; 8] =
    ["claims", "claim", "text", "sources", "source", "references", "bibliography", "literature"];

/// Claims, and what they should rest on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text whose sentences are the claims, at most 100 sentences. Default: below `Claims:` in the task.
    #[schemars(length(min = 1, max = 50_000))]
    text: Option<String>,
    /// The sources, at most 50. Default: paragraphs below `Sources:` in the task.
    #[schemars(length(max = 50))]
    sources: Option<Vec<Source>>,
    /// References to check and bring into one form, at most 100. Default: lines below `References:` in the task.
    #[schemars(length(max = 100), inner(length(min = 1, max = 4_000)))]
    references: Option<Vec<String>>,
    /// The form of the references. Default: apa.
    style: Option<Style>,
}

/// A source.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// What to call it.
    #[schemars(length(min = 1, max = 200))]
    pub id: String,
    /// Its text.
    #[schemars(length(min = 1, max = 200_000))]
    pub text: String,
}

/// A form of references.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    Apa,
    Vancouver,
    Bibtex,
}

/// What the claims rest on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// Each claim, in order.
    claims: Vec<Checked>,
    /// Each reference, in order.
    references: Vec<Reference>,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// A reference.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    /// Its beginning.
    text: String,
    /// Whether nothing in it is wrong.
    ok: bool,
    /// In the form asked for; null where its parts are not clear.
    formatted: Option<String>,
    /// What is wrong.
    issues: Vec<String>,
}

#[derive(Deserialize)]
struct References {
    references: Vec<Reference>,
}

#[derive(Deserialize)]
struct Verdict {
    valid: bool,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    let below = |names: &[&str]| names.iter().find_map(|name| words::section(text, name, &HEADINGS));
    let claims = input.text.or_else(|| below(&["claims", "claim", "text"])).unwrap_or_default();
    let sources = input.sources.unwrap_or_else(|| numbered(below(&["sources", "source"])));
    let lines = |text: String| text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let named = below(&["references", "bibliography", "literature"]).map(lines);
    let alone = || if claims.is_empty() && sources.is_empty() { lines(text.to_owned()) } else { Vec::new() };
    let references: Vec<String> = input.references.or(named).unwrap_or_else(alone);
    if claims.is_empty() && references.is_empty() {
        let fix = "give `text` and `sources`, or `references`; in a task write `Claims:`, `Sources:` and `References:` above each part";
        return Err(Error::invalid("/text", fix));
    }
    if !claims.is_empty() && sources.is_empty() {
        return Err(Error::invalid(
            "/sources",
            "claims need sources: give `sources`, or write `Sources:` and their text into the task",
        ));
    }
    let claims = sentences::split(&claims);
    if claims.len() > 100 {
        return Err(Error::invalid("/text", format!("{} sentences; at most 100 in one task", claims.len())));
    }
    let checked = claims::check(&claims, &sources);
    confirm(&checked, &sources)?;
    let (references, more) = look_up(references, input.style.unwrap_or(Style::Apa))?;
    Ok(Output {
        summary: summary(&checked, &references),
        claims: checked,
        references,
        limitations: limits(
            &[
                "words, numbers and negations are compared, meaning is not understood: a claim in other words than its source counts as unsupported",
                "only the sources given were read; whether they are right was not checked",
            ],
            &[&more],
        ),
    })
}

/// Paragraphs as sources; `[1]` or `1.` before one is its name.
fn numbered(text: Option<String>) -> Vec<Source> {
    let text = text.unwrap_or_default();
    let parted = text.contains("\n\n");
    let parts: Vec<&str> = if parted { text.split("\n\n").collect() } else { text.lines().collect() };
    let parts = parts.into_iter().map(str::trim).filter(|part| !part.is_empty());
    let source = |(at, part): (usize, &str)| match part.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((id, text)) if !text.trim().is_empty() => Source { id: id.trim().into(), text: text.trim().into() },
        _ => Source { id: (at + 1).to_string(), text: part.into() },
    };
    parts.enumerate().take(50).map(source).collect()
}

/// Every quote must stand in its source, word for word.
fn confirm(checked: &[Checked], sources: &[Source]) -> Result<(), Error> {
    let quotes = checked.iter().filter_map(|claim| claim.quote.as_ref());
    let place = |id: &str| sources.iter().position(|source| source.id == id);
    let assertions: Vec<_> = quotes
        .filter_map(|quote| {
            Some(json!({ "path": format!("/{}", place(&quote.source)?), "op": "contains", "value": quote.text }))
        })
        .collect();
    if assertions.is_empty() {
        return Ok(());
    }
    let texts: Vec<&str> = sources.iter().map(|source| source.text.as_str()).collect();
    let verdict: Answer<Verdict> = bridges::call("validation", &json!({ "output": texts, "assertions": assertions }))?;
    if verdict.result.valid { Ok(()) } else { Err(Error::internal("a quote is not in its source")) }
}

fn look_up(references: Vec<String>, style: Style) -> Result<(Vec<Reference>, Vec<String>), Error> {
    if references.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let answer: Answer<References> =
        bridges::call("citation_check", &json!({ "references": references, "style": style }))?;
    Ok((answer.result.references, answer.limitations))
}

fn summary(claims: &[Checked], references: &[Reference]) -> String {
    let number = |finding: Finding| claims.iter().filter(|claim| claim.finding == finding).count();
    let mut parts = Vec::new();
    if !claims.is_empty() {
        parts.push(format!(
            "{}: {} supported, {} contradicted, {} without support",
            figures::count(claims.len(), "claim", "claims"),
            number(Finding::Supported),
            number(Finding::Contradicted),
            number(Finding::Unsupported)
        ));
    }
    if !references.is_empty() {
        let wrong = references.iter().filter(|reference| !reference.ok).count();
        parts.push(format!("{}, {wrong} with problems", figures::count(references.len(), "reference", "references")));
    }
    parts.join("; ") + "."
}

agent! { run: run, examples: ["../cases/bridge.json"] }
tollbridge_sdk::test_cases!(agent run);
