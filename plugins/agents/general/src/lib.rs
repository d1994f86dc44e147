//! An agent for tasks of all kinds: it computes and checks what its own closed list of
//! commands covers, and passes other tasks to the skill that clearly fits.

mod arithmetic;
mod checks;
mod commands;
mod open;
mod route;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::commands::Command;
use crate::route::{Route, Skill};

/// A task in words, or one of another skill in its typed form.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The task in words. Default: the task of the call.
    #[schemars(length(min = 1, max = 200_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    /// The skill to use instead of a choice, such as `code:review`.
    #[schemars(length(min = 1, max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    skill: Option<String>,
    /// The typed input of that skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Map<String, Value>>,
}

/// The answer, and who gave it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The answer in words.
    summary: String,
    /// The skill that answered, or `arithmetic`, `check` or `model`.
    skill: String,
    /// Why it was chosen.
    why: String,
    /// Skills that come next, the likelier first.
    alternatives: Vec<String>,
    /// The whole answer.
    answer: Map<String, Value>,
    /// What the answer does not cover.
    limitations: Vec<String>,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let input = input.unwrap_or_default();
    let text = input.task.clone().unwrap_or_else(|| task.to_owned());
    if text.trim().is_empty() && (input.skill.is_none() || input.input.is_none()) {
        return Err(Error::invalid("/task", "state the task in words, or give `skill` and `input`"));
    }
    if let Some(id) = &input.skill {
        let skill = route::named(id).ok_or_else(|| {
            let ids: Vec<&str> = route::SKILLS.iter().map(|skill| skill.id).collect();
            Error::invalid("/skill", format!("there is no skill \"{id}\"; the skills are {}", ids.join(", ")))
        })?;
        return hand(skill, &text, input.input.as_ref(), "the caller named it", &[]);
    }
    if input.input.is_some() {
        return Err(Error::invalid("/skill", "for which skill is `input`? Name it as `skill`"));
    }
    match commands::read(&text)? {
        Some(Command::Figure(sentence, value)) => return Ok(figure(sentence, &arithmetic::shown(value))),
        Some(Command::Check(check, value)) => return checked(check.run(&value)?, &value),
        None => {}
    }
    match route::choose(&text) {
        Route::One(skill, next) => hand(skill, &text, None, "it clearly fits best by the words of the task", &next),
        Route::Several(skills) => {
            let ids: Vec<&str> = skills.iter().map(|skill| skill.id).collect();
            let question = format!("which skill is meant: {}? Send its id as `skill`", ids.join(", "));
            let proposed = Input { task: Some(text), skill: ids.first().map(|id| (*id).to_owned()), input: None };
            Err(Error::invalid("/skill", question).with_input(&proposed))
        }
        Route::None => answered_by_model(&text),
    }
}

fn figure(summary: String, value: &str) -> Output {
    let number = value.parse::<f64>().ok().map_or(Value::Null, |number| json!(number));
    Output {
        summary,
        skill: "arithmetic".into(),
        why: "every word of the task belongs to a command of arithmetic".into(),
        alternatives: Vec::new(),
        answer: Map::from_iter([("value".to_owned(), number), ("exact".to_owned(), json!(value))]),
        limitations: vec!["results are rounded to ten digits behind the point".into()],
    }
}

fn checked(checked: checks::Checked, value: &str) -> Result<Output, Error> {
    let verdict = if checked.valid { "is valid" } else { "is not valid" };
    Ok(Output {
        summary: format!("The {} {value} {verdict}.", checked.name),
        skill: "check".into(),
        why: "every word of the task belongs to a command that checks an identifier".into(),
        alternatives: Vec::new(),
        answer: checked.answer,
        limitations: vec!["form and check digits are checked, not whether it is in use".into()],
    })
}

/// Passes a task to the agent of a skill. If it refuses, no other skill is tried: one that
/// fits less would answer another question.
fn hand(
    skill: Skill,
    text: &str,
    input: Option<&Map<String, Value>>,
    why: &str,
    next: &[Skill],
) -> Result<Output, Error> {
    let agent = skill.agent();
    if !skill.affordable {
        let fix = "its price exceeds that of this agent; send the task there";
        return Err(Error::invalid(
            "/task",
            format!("this is a task for the skill {} (agent {agent}): {fix}", skill.id),
        ));
    }
    let answer: Result<Map<String, Value>, bridges::Error> = match input {
        Some(input) => bridges::run_with(&agent, text, input),
        None => bridges::run(&agent, text),
    };
    let answer = answer.map_err(|error| match error {
        bridges::Error::InvalidInput { message, .. } => {
            Error::invalid("/task", format!("the skill {} refuses the task: {message}", skill.id))
        }
        other => other.into(),
    })?;
    let summary = ["summary", "note"].iter().find_map(|name| answer.get(*name)?.as_str()).unwrap_or_default();
    Ok(Output {
        summary: summary.to_owned(),
        skill: skill.id.into(),
        why: why.to_owned(),
        alternatives: next.iter().map(|skill| skill.id.to_owned()).collect(),
        answer,
        limitations: vec!["the limitations of the skill are in its answer".into()],
    })
}

fn answered_by_model(text: &str) -> Result<Output, Error> {
    let (completion, limitations) = open::ask(text)?;
    let answer =
        Map::from_iter([("text".to_owned(), json!(completion.text)), ("model".to_owned(), json!(completion.model))]);
    Ok(Output {
        summary: completion.text,
        skill: "model".into(),
        why: "no skill fits the task, so a model answered".into(),
        alternatives: Vec::new(),
        answer,
        limitations,
    })
}

agent! { run: run, examples: ["../cases/forecast.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests;
