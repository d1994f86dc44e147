//! The body of an agent's call: a task as text, an input as JSON, or both.
//!
//! Invariant: the digests in the record of a task cover exactly the data that the agent
//! received.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tollbridge_core::money::Millipence;
use tollbridge_store::Hash;

use super::error::CheckoutError;

/// Members that the body may have.
const MEMBERS: [&str; 4] = ["task", "input", "max_cost_gbp", "wait_ms"];

/// The request to an agent.
#[derive(Debug, PartialEq)]
pub(super) struct Task {
    /// Task text; empty if there is only an input.
    pub(super) text: String,
    pub(super) input: Option<Value>,
    /// Maximum cost that the caller accepts.
    pub(super) max_cost: Option<Millipence>,
}

impl Task {
    /// Reads a task from the members of a body.
    pub(super) fn read(members: &Map<String, Value>) -> Result<Self, CheckoutError> {
        if let Some(name) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
            let name: String = name.chars().take(64).collect();
            let message = format!(
                "`{name}` is not a member of a task; the members are {}: data for the agent goes into `input`",
                MEMBERS.join(", ")
            );
            return Err(invalid(&format!("/{name}"), message));
        }
        let text = match members.get("task") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => return Err(invalid("/task", "the task must be a string".to_owned())),
        };
        let input = match members.get("input") {
            None | Some(Value::Null) => None,
            Some(input @ Value::Object(_)) => Some(input.clone()),
            Some(_) => return Err(invalid("/input", "the input must be a JSON object".to_owned())),
        };
        if text.is_none() && input.is_none() {
            let message = "send `task` (what to do, in words), `input` (a JSON object), or both";
            return Err(invalid("/task", message.to_owned()));
        }
        let max_cost = max_cost(members.get("max_cost_gbp"))?;
        Ok(Self::new(text.unwrap_or_default(), input, max_cost))
    }

    /// Creates a task. If the text is a JSON object and there is no input, the text also
    /// serves as the input.
    pub(super) fn new(text: String, input: Option<Value>, max_cost: Option<Millipence>) -> Self {
        let looks_like_object = text.trim_start().starts_with('{');
        let read = || serde_json::from_str(&text).ok().filter(Value::is_object);
        let input = input.or_else(|| if looks_like_object { read() } else { None });
        Self { text, input, max_cost }
    }

    /// Returns the digest of task and input in canonical form.
    pub(super) fn sha256(&self) -> Result<Hash, CheckoutError> {
        canonical_sha256(&self.members())
    }

    /// Returns task and input as an object, without absent members.
    pub(super) fn members(&self) -> Value {
        let mut members = Map::new();
        if !self.text.is_empty() {
            members.insert("task".to_owned(), json!(self.text));
        }
        if let Some(input) = &self.input {
            members.insert("input".to_owned(), input.clone());
        }
        Value::Object(members)
    }
}

/// Returns the digest of a value's canonical form (RFC 8785).
pub(super) fn canonical_sha256(value: &Value) -> Result<Hash, CheckoutError> {
    let bytes = serde_json_canonicalizer::to_vec(value)
        .map_err(|error| invalid("", format!("the value has no canonical form: {error}")))?;
    Ok(Sha256::digest(bytes).into())
}

/// Parses an amount in pounds, given as a string or a number.
fn max_cost(value: Option<&Value>) -> Result<Option<Millipence>, CheckoutError> {
    let text = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(_) => return Err(invalid("/max_cost_gbp", "write an amount in pounds, like \"0.50\"".to_owned())),
    };
    match text.parse::<Millipence>() {
        Ok(amount) => Ok(Some(amount)),
        Err(error) => Err(invalid("/max_cost_gbp", error.to_string())),
    }
}

fn invalid(field: &str, message: String) -> CheckoutError {
    CheckoutError::Invalid { field: field.to_owned(), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: Value) -> Result<Task, CheckoutError> {
        Task::read(body.as_object().unwrap())
    }

    #[test]
    fn words_an_input_or_both_are_a_task() {
        let words = read(json!({ "task": "count" })).unwrap();
        assert_eq!((words.text.as_str(), &words.input, words.max_cost), ("count", &None, None));
        let both = read(json!({ "task": "count", "input": { "a": 1 }, "max_cost_gbp": "0.50" })).unwrap();
        assert_eq!((both.input, both.max_cost), (Some(json!({ "a": 1 })), Millipence::from_pence(50)));
        assert_eq!(read(json!({ "input": {}, "max_cost_gbp": 1 })).unwrap().text, "");
    }

    #[test]
    fn a_task_that_is_an_object_is_the_input_too() {
        let task = read(json!({ "task": " {\"a\": 1}" })).unwrap();
        assert_eq!((task.text.as_str(), task.input), (" {\"a\": 1}", Some(json!({ "a": 1 }))));
        assert_eq!(read(json!({ "task": "{broken" })).unwrap().input, None);
        assert_eq!(read(json!({ "task": "[1]" })).unwrap().input, None);
        let given = read(json!({ "task": "{\"a\": 1}", "input": { "b": 2 } })).unwrap();
        assert_eq!(given.input, Some(json!({ "b": 2 })));
    }

    #[test]
    fn everything_else_is_refused_by_its_name() {
        for (body, field) in [
            (json!({}), "/task"),
            (json!({ "task": 1 }), "/task"),
            (json!({ "task": "x", "input": [] }), "/input"),
            (json!({ "task": "x", "prompt": "y" }), "/prompt"),
            (json!({ "task": "x", "max_cost_gbp": "a lot" }), "/max_cost_gbp"),
            (json!({ "task": "x", "max_cost_gbp": 0.001 }), "/max_cost_gbp"),
        ] {
            let Err(CheckoutError::Invalid { field: found, .. }) = read(body.clone()) else {
                panic!("{body} was accepted")
            };
            assert_eq!(found, field, "{body}");
        }
    }

    #[test]
    fn a_stored_task_reads_back_without_its_price() {
        for body in [
            json!({ "task": "count", "max_cost_gbp": "0.50" }),
            json!({ "input": { "a": 1 } }),
            json!({ "task": " {\"a\": 1}", "wait_ms": 0 }),
            json!({ "task": "count", "input": { "a": 1 } }),
        ] {
            let task = read(body).unwrap();
            let again = read(task.members()).unwrap();
            assert_eq!(again, Task { max_cost: None, ..task });
        }
    }

    #[test]
    fn the_digest_is_of_the_canonical_form() {
        let task = read(json!({ "task": "count", "input": { "b": 1.0, "a": "é" } })).unwrap();
        let expect: Hash = Sha256::digest("{\"input\":{\"a\":\"é\",\"b\":1},\"task\":\"count\"}").into();
        assert_eq!(task.sha256().unwrap(), expect);
    }
}
