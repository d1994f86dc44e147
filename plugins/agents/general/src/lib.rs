//! An agent for tasks of all kinds: it computes and checks what its own closed list of
//! commands covers, and passes other tasks to the skill that clearly fits.

mod arithmetic;
mod checks;
mod commands;
mod open;
mod route;

use agent_common::Answer;
use agent_common::command::Match;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_sdk::{Call, Error, agent, bridges};

use crate::checks::Checked;
use crate::route::Route;

/// A task in words, or one of another skill in its typed form.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The task in words. Default: the task of the call.
    #[schemars(length(min = 1, max = 200_000))]
    task: Option<String>,
    /// The skill to use instead of a choice, such as `code:review`.
    #[schemars(length(min = 1, max = 100))]
    skill: Option<String>,
    /// The typed input of that skill.
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
            let ids: Vec<&str> = route::skills().collect();
            Error::invalid("/skill", format!("there is no skill \"{id}\"; the skills are {}", ids.join(", ")))
        })?;
        return passed(skill, &text, input.input.as_ref(), "the caller named it");
    }
    if input.input.is_some() {
        return Err(Error::invalid("/skill", "for which skill is `input`? Name it as `skill`"));
    }
    if let Some(command) = commands::read(&text)? {
        return answered(&command);
    }
    match route::choose(&text) {
        Route::One(skill, next) => {
            let output = passed(skill, &text, None, "it clearly fits best by the words of the task")?;
            Ok(Output { alternatives: next.into_iter().map(str::to_owned).collect(), ..output })
        }
        Route::Several(ids) => {
            let question = format!("which skill is meant: {}? Send its id as `skill`", ids.join(", "));
            let proposed = Input { task: Some(text), skill: ids.first().map(|id| (*id).to_owned()), input: None };
            Err(Error::invalid("/skill", question).with_input(&proposed))
        }
        Route::None => {
            let Answer { result, limitations } = open::ask(&text)?;
            let answer = [("text", &result.text), ("model", &result.model)];
            let answer = answer.map(|(name, text)| (name.to_owned(), json!(text))).into_iter().collect();
            let why = "no skill fits the task, so a model answered";
            Ok(Output { limitations, ..output(result.text, "model", why, answer, "") })
        }
    }
}

fn output(summary: String, skill: &str, why: &str, answer: Map<String, Value>, limitation: &str) -> Output {
    let (skill, why, limitations) = (skill.to_owned(), why.to_owned(), vec![limitation.to_owned()]);
    Output { summary, skill, why, alternatives: Vec::new(), answer, limitations }
}

/// Answers a command of this agent's own list.
fn answered(command: &Match) -> Result<Output, Error> {
    let value = command.text("v");
    if let Some(Checked { name, valid, answer }) = checks::run(&command.clause, &value)? {
        let verdict = if valid { "is valid" } else { "is not valid" };
        let why = "every word of the task belongs to a command that checks an identifier";
        let limitation = "form and check digits are checked, not whether it is in use";
        return Ok(output(format!("The {name} {value} {verdict}."), "check", why, answer, limitation));
    }
    let (summary, value) = commands::computed(command)?;
    let exact = arithmetic::shown(value);
    let number = exact.parse::<f64>().ok();
    let answer = Map::from_iter([("value".to_owned(), json!(number)), ("exact".to_owned(), json!(exact))]);
    let why = "every word of the task belongs to a command of arithmetic";
    Ok(output(summary, "arithmetic", why, answer, "results are rounded to ten digits behind the point"))
}

/// Passes a task to the agent of a skill. If it refuses, no other skill is tried: one that
/// fits less would answer another question.
fn passed(skill: &str, text: &str, input: Option<&Map<String, Value>>, why: &str) -> Result<Output, Error> {
    let agent = route::agent(skill);
    if !route::is_affordable(skill) {
        let fix = "its price exceeds that of this agent; send the task there";
        return Err(Error::invalid("/task", format!("this is a task for the skill {skill} (agent {agent}): {fix}")));
    }
    let answer: Result<Map<String, Value>, bridges::Error> = match input {
        Some(input) => bridges::run_with(&agent, text, input),
        None => bridges::run(&agent, text),
    };
    let answer = answer.map_err(|error| match error {
        bridges::Error::InvalidInput { message, .. } => {
            Error::invalid("/task", format!("the skill {skill} refuses the task: {message}"))
        }
        other => other.into(),
    })?;
    let summary = ["summary", "note"].iter().find_map(|name| answer.get(*name)?.as_str()).unwrap_or_default();
    Ok(output(summary.to_owned(), skill, why, answer, "the limitations of the skill are in its answer"))
}

agent! { run: run, examples: ["../cases/forecast.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    #[test]
    fn published_examples_are_understood() {
        for example in command::examples(include_str!("../commands.md")) {
            assert!(commands::read(example).unwrap().is_some(), "{example}");
        }
    }

    /// Tasks with the answer of a command, a part of its refusal, or the skill that is chosen.
    #[test]
    fn tasks_are_answered_refused_or_passed() {
        let tasks: Vec<[String; 2]> = serde_json::from_str(include_str!("../tasks.json")).unwrap();
        for [task, expect] in tasks {
            let answer = commands::read(&task).and_then(|command| command.as_ref().map(answered).transpose());
            let text = match answer.map(|answer| answer.map(|output| output.summary)) {
                Err(error) => error.message().to_owned(),
                Ok(Some(summary)) => summary,
                Ok(None) => match route::choose(&task) {
                    Route::One(skill, _) => format!("no command, but {skill}"),
                    Route::Several(_) | Route::None => "no command, and no skill".to_owned(),
                },
            };
            assert!(text.contains(&expect), "{task}\n=> {text}");
        }
    }
}
