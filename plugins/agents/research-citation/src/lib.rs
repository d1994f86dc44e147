//! An agent that checks claims against the sources given with them, identifiers by form and check digit, and writes
//! references in one form.
//!
//! A claim's words, figures, units, denials and amounts are held against the nearest sentence of a source. Where they
//! do not tell, the agent refuses. The bridge `validation` confirms that every quote stands in its source,
//! `citation_check` looks at identifiers. Nothing but the given sources is known.

mod answer;
mod by_model;
mod change;
mod claims;
mod facts;
mod finding;
mod given;
mod identifiers;
mod labels;
mod lines;
mod part_names;
mod parts;
mod reading;
mod references;
mod source;
mod style;
mod terms;
mod verdict;
mod wants;
mod work;

use agent_common::{prose, request::Request, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, agent};

use crate::finding::Checked;
use crate::references::Reference;
use crate::source::Source;
use crate::style::Style;

/// An answer less sure than this is not given.
const CONFIDENCE_FLOOR: f64 = 0.75;
const CLAIMS_MAX: usize = 100;

/// Claims, and what they should rest on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text whose sentences are the claims, at most 100 sentences. Default: the claims of the task.
    #[schemars(length(min = 1, max = 50_000))]
    text: Option<String>,
    /// The claims one by one instead, at most 100.
    #[schemars(length(max = 100), inner(length(min = 1, max = 4_000)))]
    claims: Option<Vec<String>>,
    /// The sources, at most 50. Default: those of the task.
    #[schemars(length(max = 50))]
    sources: Option<Vec<Source>>,
    /// References to check and bring into one form, at most 100. Default: those of the task.
    #[schemars(length(max = 100), inner(length(min = 1, max = 4_000)))]
    references: Option<Vec<String>>,
    /// The form of the references. Default: apa.
    style: Option<Style>,
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
    /// How likely the answer is right, 0 to 1; of answers that say 0.8 or more at least four in five were right.
    confidence: f64,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    let request = Request::read(text);
    let typed = input.text.is_some() || input.claims.is_some() || input.references.is_some();
    let asked =
        if request.instruction.is_empty() { text.lines().next().unwrap_or_default() } else { &request.instruction };
    let read = reading::read(text, &request);
    let wants = wants::read(asked);
    if !typed && let Some(reason) = wants::out_of_reach(asked, !read.claims.is_empty() && !read.sources.is_empty()) {
        return Err(Error::invalid("/text", reason));
    }
    let style = input.style.or(wants.style);
    let sources = input.sources.unwrap_or(read.sources);
    let claims = match (input.claims, input.text) {
        (Some(claims), _) => claims,
        (None, Some(text)) => prose::sentences(&text).iter().map(|sentence| sentence.text.to_owned()).collect(),
        (None, None) => read.claims,
    };
    let formats = wants.style.is_some() && (sources.is_empty() || claims.is_empty() || parts::gives_work(text));
    let claims =
        if input.references.is_some() && sources.is_empty() && !typed || formats { Vec::new() } else { claims };
    let listed = input.references.unwrap_or(read.references);
    let wanted = references::Wanted { text, request: &request, asked, wants, style, typed, listed };
    let lone = claims.is_empty() || (sources.is_empty() && wants.identifiers);
    let references = if lone || wants.identifiers || !wanted.listed.is_empty() {
        wanted.look_up(lone)?
    } else {
        references::Answered::default()
    };
    let claims = if sources.is_empty() && !references.list.is_empty() && !typed { Vec::new() } else { claims };
    if claims.is_empty() && references.list.is_empty() {
        return Err(answer::nothing(!sources.is_empty(), read.elsewhere, style.is_some()));
    }
    if !claims.is_empty() && sources.is_empty() {
        let fix = "the claims need a source to be checked against: paste the text of the source below `Source:`";
        return Err(Error::invalid("/sources", fix));
    }
    if claims.len() > CLAIMS_MAX {
        return Err(Error::invalid("/text", format!("{} claims; at most {CLAIMS_MAX} in one task", claims.len())));
    }
    let (checked, note) = match told(&claims, &sources, wants.literal, references.confidence) {
        Err(refusal) if !typed => by_model::check(text, &claims, &sources, refusal)?,
        checked => (checked?, String::new()),
    };
    answer::confirm(&checked, &sources)?;
    let notes = references.limitations.into_iter().chain([note].into_iter().filter(|note| !note.is_empty()));
    Ok(Output {
        summary: answer::summary(&checked, &references.list),
        confidence: checked.iter().map(|claim| claim.confidence).fold(references.confidence, f64::min),
        claims: checked,
        references: references.list,
        limitations: answer::limitations(notes.collect()),
    })
}

/// What rules tell of the claims; an error where they are not sure enough.
fn told(claims: &[String], sources: &[Source], literal: bool, beside: f64) -> Result<Vec<Checked>, Error> {
    let checked = answer::check(claims, sources, literal)?;
    if checked.iter().map(|claim| claim.confidence).fold(beside, f64::min) < CONFIDENCE_FLOOR {
        let fix = "the sources are not near enough to the claims to tell; give the sentences of the source that speak of them";
        return Err(Error::invalid("/text", fix));
    }
    Ok(checked)
}

agent! { run: run, examples: ["../cases/bridge.json"] }
tollbridge_sdk::test_cases!(agent run);
