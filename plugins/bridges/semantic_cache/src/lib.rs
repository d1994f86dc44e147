//! A bridge that embeds texts, and finds kept answers again by meaning.
//!
//! Invariants: an embedding is named by the model that made it; a near match passes the gate of `text` besides the
//! cosine; nothing of one account reaches another.

mod input;
mod store;
mod text;
mod vector;

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
    /// embed: the model that made the vector; get: that of the comparison of a near match; else null. Only vectors of one
    /// model compare.
    pub model: Option<String>,
    /// embed and near matches: who runs the model; else null.
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
    /// The same words of meaning in the same order, and vectors that are near.
    Near,
}

const PROVIDER: &str = "embedding by the model of the host's inference provider, kept for the calling account";
const CACHE: &str = "same normalised question first; else the same words of meaning in the same order (so no other word, \
     number or negation) and a cosine at the threshold, of vectors by the model of the host's inference provider";

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    input.check(call)?;
    let text = input.subject(call)?;
    if input.op == Op::Embed {
        return embed(call, &input, &text);
    }
    let question = Question::new(input.namespace(), &text);
    let mut answer = Answer { op: input.op, ..Answer::default() };
    match input.op {
        Op::Put => {
            store::put(&question, input.answer()?, call.now_ms, input.ttl_ms()?)?;
            answer.changed = true;
        }
        Op::Forget => answer.changed = store::forget(&question)?,
        _ => {
            let embed = |texts: &[&str]| Ok(inference::embed_with(inference::AUTO, texts)?);
            if let Some(hit) = store::get(&question, input.threshold()?, call.now_ms, embed)? {
                answer.cached = true;
                answer.matched = Some(if hit.near.is_some() { Match::Near } else { Match::Exact });
                let similarity = hit.near.as_ref().map_or(1.0, |near| near.similarity);
                answer.similarity = Some((similarity * 1e6).round() / 1e6);
                (answer.model, answer.provider) = hit.near.map(|near| (near.model, near.provider)).unzip();
                answer.age_s = Some(hit.age_ms / 1_000);
                answer.answer = Some(hit.answer);
            }
        }
    }
    let limitations = [
        "depends on what this account kept before and on the moment of the call; the oldest answers give way",
        "the words must be the same besides the meaning: most paraphrases are missed, so that opposites never match",
        "which words may be left out is known for English only; in other languages a near match needs the same words",
    ];
    Ok(Report::new(answer, CACHE, limitations))
}

fn embed(call: &Call, input: &Input, text: &str) -> Result<Output, Error> {
    let model = input.model.as_deref().unwrap_or(inference::AUTO);
    if matches!(model, "local" | "local-ngram-256") {
        return Err(Error::invalid("/model", "there is no local model; leave `model` out for the provider's choice"));
    }
    let expires = call.now_ms.saturating_add(input.ttl_ms()?);
    if call.caller.is_some()
        && let Some(kept) = store::vector(model, text, call.now_ms)?
    {
        return Ok(provider_answer(kept.vector, kept.model, kept.provider, true, false));
    }
    let made = inference::embed_with(model, &[text])?;
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

fn provider_answer(vector: Vec<f32>, model: String, provider: String, cached: bool, changed: bool) -> Output {
    let (model, provider) = (Some(model), Some(provider));
    let result = Answer { embedding: Some(vector), model, provider, cached, changed, ..Answer::default() };
    let limitations = ["the vector is the provider's; whether it is kept depends on this account's earlier calls"];
    Report::new(result, PROVIDER, limitations)
}

bridge! { handle: handle, examples: ["../cases/embed_provider.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
