//! A bridge that embeds texts, and finds kept answers again by meaning.
//!
//! Invariants: an embedding is named by the model that made it; a near match passes the gate of `text` besides the
//! cosine; nothing of one account reaches another.

mod input;
mod local;
mod store;
mod text;

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::{Call, Error, bridge, inference};

pub use crate::input::Input;
use crate::{input::Op, store::Question};

/// Longest vector that is taken from a provider.
const DIMENSIONS_MAX: usize = 8_192;

/// The answer of this bridge.
pub type Output = Report<Answer>;

/// The embedding, or the stored answer.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Answer {
    /// What was done.
    pub op: Op,
    /// embed: the vector of the text; null for other operations.
    pub embedding: Option<Vec<f32>>,
    /// embed: the model that made the vector; get: that of the comparison. Only vectors of one model compare.
    pub model: String,
    /// embed: who runs the model; null for the local one.
    pub provider: Option<String>,
    /// embed: the vector was kept from an earlier call. get: an answer was found.
    pub cached: bool,
    /// get: `exact` or `near`; null for a miss.
    pub matched: Option<Match>,
    /// get: cosine of the questions, 1 for an exact match; null for a miss.
    pub similarity: Option<f64>,
    /// get: the answer; null for a miss.
    pub answer: Option<String>,
    /// get: seconds since it was kept.
    pub age_s: Option<u64>,
    /// put: true. forget: whether there was an answer. embed: whether the vector was kept now.
    pub changed: bool,
}

/// How a question was found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// The same text, but for case and white space.
    Exact,
    /// The same words of meaning in the same order, and the cosine.
    Near,
}

const LOCAL: &str = "local-ngram-256: character 3- to 5-grams of the lower-cased text, hashed with signs into 256 sums, \
     square roots, length 1";
const PROVIDER: &str = "embedding by the model of the host's inference provider, kept for the calling account";
const CACHE: &str = "same normalised question first; else the same words of meaning in the same order (so no other word, \
     number or negation) and a cosine of local-ngram-256 vectors at the threshold";

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    input.check(call)?;
    let text = input.subject(call)?;
    if input.op == Op::Embed {
        return embed(call, &input, &text);
    }
    let question = Question::new(input.namespace(), &text);
    let mut answer = Answer { op: input.op, model: local::MODEL.into(), ..Answer::default() };
    match input.op {
        Op::Put => {
            store::put(&question, input.answer()?, call.now_ms, input.ttl_ms()?)?;
            answer.changed = true;
        }
        Op::Forget => answer.changed = store::forget(&question)?,
        _ => {
            if let Some(hit) = store::get(&question, input.threshold()?, call.now_ms)? {
                answer.cached = true;
                answer.matched = Some(if hit.exact { Match::Exact } else { Match::Near });
                answer.similarity = Some((hit.similarity * 1e6).round() / 1e6);
                answer.age_s = Some(hit.age_ms / 1_000);
                answer.answer = Some(hit.answer);
            }
        }
    }
    let limitations = [
        "depends on what this account kept before and on the moment of the call; the oldest answers give way",
        "words are compared by spelling: most paraphrases are missed, so that opposites never match",
        "which words may be left out is known for English only; in other languages a near match needs the same words",
    ];
    Ok(Report::new(answer, CACHE, limitations))
}

fn embed(call: &Call, input: &Input, text: &str) -> Result<Output, Error> {
    let model = input.model.as_deref().unwrap_or(inference::AUTO);
    if model == local::MODEL || model == "local" {
        return Ok(local_answer(text, false));
    }
    let expires = call.now_ms.saturating_add(input.ttl_ms()?);
    if call.caller.is_some()
        && let Some(kept) = store::vector(model, text, call.now_ms)?
    {
        return Ok(provider_answer(kept.vector, kept.model, kept.provider, true, false));
    }
    let made = match inference::embed_with(model, &[text]) {
        Ok(made) => made,
        Err(inference::Error::NoProvider(_)) if model == inference::AUTO => return Ok(local_answer(text, true)),
        Err(error) => return Err(error.into()),
    };
    let broken = || Error::upstream(format!("{} gave no usable vector", made.model));
    let vector = made.vectors.first().ok_or_else(broken)?;
    let usable = (1..=DIMENSIONS_MAX).contains(&vector.len()) && vector.iter().all(|value| value.is_finite());
    if !usable {
        return Err(broken());
    }
    let keep = call.caller.is_some();
    if keep {
        store::keep(model, text, (made.model.clone(), made.provider.clone(), vector.clone()), expires)?;
    }
    Ok(provider_answer(vector.clone(), made.model.clone(), made.provider.clone(), false, keep))
}

fn local_answer(text: &str, instead: bool) -> Output {
    let mut limitations = vec!["the local vector sees spelling, not meaning: synonyms are far apart, opposites near"];
    if instead {
        limitations
            .push("the host has no inference provider, so the local vector is given; a host with one gives another");
    }
    let result = Answer {
        embedding: Some(local::embed(&text::normalise(text))),
        model: local::MODEL.into(),
        ..Answer::default()
    };
    Report::new(result, LOCAL, limitations)
}

fn provider_answer(vector: Vec<f32>, model: String, provider: String, cached: bool, changed: bool) -> Output {
    let provider = Some(provider);
    let result = Answer { embedding: Some(vector), model, provider, cached, changed, ..Answer::default() };
    let limitations = ["the vector is the provider's; whether it is kept depends on this account's earlier calls"];
    Report::new(result, PROVIDER, limitations)
}

bridge! { handle: handle, examples: ["../cases/embed_local.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
