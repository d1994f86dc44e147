//! An agent that reads a task and hands it to the skill that fits it best.
//!
//! The choice is made by rules, so the same task always goes the same way; the
//! answer names the skill, the rule and what else came into question. Skills
//! that cost more than this agent may spend are named in an error, which costs
//! nothing. What fits no rule is a question for a model, if there is one.

mod ask;
mod asks_data;
mod asks_figures;
mod asks_text;
mod forms;
mod rules;
mod skills;

use agent_common::{Answer, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::rules::{Choice, Chosen};

/// A task in words, or one of another skill with its members.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The task in words. The task itself unless given.
    #[schemars(length(min = 1, max = 200_000))]
    task: Option<String>,
    /// The skill to take instead of choosing one, such as `code:review`.
    #[schemars(length(min = 1, max = 100))]
    skill: Option<String>,
    /// The members that the skill takes, as its own input.
    input: Option<Map<String, Value>>,
}

/// What the skill answered.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The skill's own summary, or the model's answer.
    summary: String,
    /// The skill that was chosen; `model` where none fits.
    skill: String,
    /// Why.
    why: String,
    /// Skills that came into question too, the likelier first.
    alternatives: Vec<String>,
    /// The skill's whole answer.
    answer: Map<String, Value>,
    /// How likely it is right, 0 to 1, the choice and the answer together: of answers that say 0.8 or more at least
    /// four in five were right on the frozen tasks.
    confidence: f64,
    /// What the answer does not tell.
    limitations: Vec<String>,
}

#[derive(Deserialize)]
struct Completion {
    text: String,
    model: String,
}

/// Of an answer whose skill says nothing about it.
const UNTOLD: f64 = 0.7;
/// Of a model's answer to an open question.
const MODEL: f64 = 0.6;

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let text = words::of(task, input.as_ref());
    let input = input.unwrap_or_default();
    let text = input.task.unwrap_or_else(|| text.to_owned());
    if text.trim().is_empty() && (input.skill.is_none() || input.input.is_none()) {
        return Err(Error::invalid("/task", "say what to do: in the task, or with `skill` and `input`"));
    }
    let chosen = match &input.skill {
        Some(skill) => Chosen::One(rules::named(skill).ok_or_else(|| {
            Error::invalid("/skill", format!("there is no skill \"{skill}\"; the skills are {}", rules::ids()))
        })?),
        None => rules::choose(&text),
    };
    let choice = match chosen {
        Chosen::One(choice) => choice,
        Chosen::None => return ask(&text),
        Chosen::Two(first, second) => {
            let fix = "send them apart, each with its text, or name one of them as `skill`";
            return Err(Error::invalid(
                "/task",
                format!("these are two tasks, for the skills {first} and {second}: {fix}"),
            ));
        }
    };
    if !choice.affordable {
        let fix = "it costs more than this agent may spend; send the task there";
        return Err(Error::invalid(
            "/task",
            format!("this is a task for the skill {} (agent {}): {fix}", choice.skill, choice.agent()),
        ));
    }
    let (choice, answer) = handed(choice, &text, input.input.as_ref())?;
    let summary = ["summary", "note"]
        .iter()
        .find_map(|name| answer.get(*name))
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    // A skill that does not say how sure it is may be wrong more often than the choice.
    let own = answer.get("confidence").and_then(Value::as_f64).unwrap_or(UNTOLD);
    let confidence = (choice.confidence * own * 1000.0).round() / 1000.0;
    Ok(Output {
        confidence,
        summary,
        skill: choice.skill.into(),
        why: choice.why,
        alternatives: choice.alternatives.into_iter().map(str::to_owned).collect(),
        answer,
        limitations: vec![
            "the skill was chosen by words and forms in the task; name it as `skill` to choose yourself".into(),
        ],
    })
}

/// The answer of the skill. Where it refuses no other is tried: one that fits less answers what was not asked.
fn handed(
    choice: Choice,
    text: &str,
    input: Option<&Map<String, Value>>,
) -> Result<(Choice, Map<String, Value>), Error> {
    let hand = |agent: &str| match input {
        Some(input) => bridges::run_with(agent, text, input),
        None => bridges::run(agent, text),
    };
    match hand(&choice.agent()) {
        Ok(answer) => Ok((choice, answer)),
        Err(error) => Err(refused(&choice, error)),
    }
}

/// The skill's complaint is the caller's to read: it says which members are needed.
fn refused(choice: &Choice, error: bridges::Error) -> Error {
    match error {
        bridges::Error::InvalidInput { message, .. } => {
            Error::invalid("/task", format!("the skill {} ({}) cannot work on it: {message}", choice.skill, choice.why))
        }
        other => other.into(),
    }
}

fn ask(text: &str) -> Result<Output, Error> {
    let completion: Answer<Completion> = bridges::call("model_inference", &json!({ "prompt": text }))?;
    let mut answer = Map::new();
    answer.insert("text".into(), json!(completion.result.text));
    answer.insert("model".into(), json!(completion.result.model));
    Ok(Output {
        confidence: MODEL,
        summary: completion.result.text,
        skill: "model".into(),
        why: "no rule of a skill fits the task, so a model was asked".into(),
        alternatives: Vec::new(),
        answer,
        limitations: completion.limitations,
    })
}

agent! { run: run, examples: ["../cases/forecast.json"] }
tollbridge_sdk::test_cases!(agent run);
