//! Checks whether an agent's answer states the facts that a quality task expects.
//!
//! `tests/quality/agents/README.md` has the form of the facts. There is one check per agent. An answer is read
//! leniently: what a check does not use may have any shape, and a shape that it cannot use is a mistake.

mod compare;
mod findings;
mod series;
mod tables;
#[cfg(test)]
mod tests;
mod texts;
mod value;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use compare::{same, texts_in};
use value::{get, non_empty};

/// The agents whose answers can be checked.
pub const AGENTS: [&str; 17] = [
    "analytics:anomaly-detection",
    "analytics:forecast",
    "classification",
    "code:review",
    "coding",
    "compliance:audit",
    "data:aggregation",
    "data:extraction",
    "data:validation",
    "general",
    "pricing:optimization",
    "research:citation",
    "sales:lead-scoring",
    "sentiment",
    "summarization",
    "translation",
    "video:evaluation",
];

/// Returns the mistake in an answer; `None` if it states all expected facts.
#[must_use]
pub fn mistake(agent: &str, answer: &Value, expect: &Value) -> Option<String> {
    if expect.get("ask").is_some() {
        return Some("it answered what cannot be answered".to_owned());
    }
    check(agent, answer, expect).err().map(|error| error.to_string())
}

/// Checks an answer with the check of its agent.
fn check(agent: &str, answer: &Value, expect: &Value) -> Result<()> {
    let check = match agent {
        "analytics:anomaly-detection" => series::anomaly,
        "analytics:forecast" => series::forecast,
        "classification" => texts::classification,
        "code:review" => findings::review,
        "coding" => texts::coding,
        "compliance:audit" => findings::compliance,
        "data:aggregation" => tables::aggregation,
        "data:extraction" => tables::extraction,
        "data:validation" => findings::validation,
        "general" => general,
        "pricing:optimization" => series::pricing,
        "research:citation" => findings::citation,
        "sales:lead-scoring" => tables::leads,
        "sentiment" => texts::sentiment,
        "summarization" => texts::summarization,
        "translation" => texts::translation,
        "video:evaluation" => findings::video,
        _ => bail!("there is no agent {agent}"),
    };
    check(answer, expect)
}

/// Checks an answer of the general agent: that of the responsible skill, or a text.
fn general(answer: &Value, expect: &Value) -> Result<()> {
    let Some(skill) = expect.get("skill") else {
        let text = texts_in(&json!([get(answer, "summary")?, get(answer, "answer")?]));
        return texts::text_facts(&text, expect.get("text").unwrap_or(expect));
    };
    let answered = get(answer, "skill")?;
    ensure!(same(skill, answered), "skill {answered}");
    let Some(facts) = non_empty(expect, "facts")? else { return Ok(()) };
    check(answered.as_str().context("no skill")?, non_empty(answer, "answer")?.unwrap_or(&json!({})), facts)
}
