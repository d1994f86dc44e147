//! The component of every agent that is deployed as a prompt: instructions go
//! before the task, a model of the host answers.
//!
//! Invariants: what stands in `text` is what a model said, word for word; the
//! caller's task is never part of the instructions; without a provider there is
//! no answer (503 E005), and nothing is charged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tollbridge_sdk::{Call, Error, agent, config, inference::Request};

/// Where an answer is cut off.
const TOKENS: u32 = 1_024;

/// Whatever the declaration of the agent says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Input(pub Map<String, Value>);

/// What the model said.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The answer.
    pub text: String,
    /// The answer was cut off.
    pub truncated: bool,
    /// The model that answered.
    pub model: String,
    /// Who runs it.
    pub provider: String,
    /// What the provider took, in thousandths of a penny; paid out of the price of this call.
    pub cost_millipence: u64,
    /// What to bear in mind.
    pub limitations: Vec<String>,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let instructions = config::get("instructions")?.ok_or_else(|| {
        Error::unavailable("instructions: this agent runs those that are deployed as a prompt; invoke one of them")
    })?;
    let response = request(instructions, task, input)?.complete()?;
    if response.text.trim().is_empty() {
        return Err(Error::upstream(format!("{} gave an empty answer", response.model)));
    }
    let mut limitations = vec![
        "a model's answer can be wrong; nothing in it was checked against facts".to_owned(),
        "the same task can get another answer: models, and the choice among them, change".to_owned(),
    ];
    if response.truncated {
        limitations.push(format!("the answer was cut off at {TOKENS} tokens"));
    }
    Ok(Output {
        text: response.text,
        truncated: response.truncated,
        model: response.model,
        provider: response.provider,
        cost_millipence: response.cost_millipence,
        limitations,
    })
}

/// The author's words as the system's, the caller's as the user's.
fn request(instructions: String, task: &str, input: Option<Input>) -> Result<Request, Error> {
    let input = input.map(|Input(members)| Value::Object(members));
    let user = match (task.trim(), input) {
        ("", None) => return Err(Error::invalid("/task", "say what to do, in `task` or `input`")),
        ("", Some(input)) => input.to_string(),
        (task, None) => task.to_owned(),
        // A task that is the JSON of its input is said once.
        (task, Some(input)) if serde_json::from_str::<Value>(task).is_ok_and(|same| same == input) => input.to_string(),
        (task, Some(input)) => format!("{task}\n\n{input}"),
    };
    let request = Request::new(TOKENS).system(instructions).user(user);
    Ok(match config::get("model")? {
        Some(model) => request.model(model),
        None => request,
    })
}

// No examples: what a model answers is not known beforehand.
agent! { run: run }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests {
    use tollbridge_sdk::inference::AUTO;

    use super::*;

    fn said(task: &str, input: Option<Value>) -> Vec<String> {
        let input = input.map(|value| serde_json::from_value(value).unwrap());
        let asked = || request("Be brief.".to_owned(), task, input);
        let asked = tollbridge_sdk::testing::Doubles::new().run(asked).0.unwrap();
        assert_eq!(asked.model, AUTO);
        asked.messages.into_iter().map(|message| message.content).collect()
    }

    #[test]
    fn task_and_input_are_the_users_words() {
        assert_eq!(said(" hello ", None), ["Be brief.", "hello"]);
        assert_eq!(said("", Some(serde_json::json!({ "a": 1 }))), ["Be brief.", "{\"a\":1}"]);
        assert_eq!(said("add", Some(serde_json::json!({ "a": 1 }))), ["Be brief.", "add\n\n{\"a\":1}"]);
        assert_eq!(said("{ \"a\": 1 }", Some(serde_json::json!({ "a": 1 }))), ["Be brief.", "{\"a\":1}"]);
    }
}
