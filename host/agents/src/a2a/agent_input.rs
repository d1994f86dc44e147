//! The input of an agent's call, collected from the messages of a conversation.
//!
//! Invariants:
//! 1. Every message of the user contributes to the input, except a message that consists
//!    only of a skill name and answers the question which skill is wanted.
//! 2. The data that answer a proposed input are the whole input: a member that the user
//!    left out does not come back from an earlier message.

use serde_json::{Map, Value};

use super::message::Message;
use super::skills::SKILLS;
use super::task::A2aTask;

/// The task text and the input members of an agent's call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AgentInput {
    task: String,
    input: Map<String, Value>,
    /// The maximum cost that the last message allows.
    max_cost: Option<Value>,
}

impl AgentInput {
    /// Collects the input from the messages so far and `message`, and sets the task's
    /// capability. After the first message, `message` may also name a skill as plain
    /// text, for clients that cannot send metadata.
    pub(super) fn of(task: &mut A2aTask, message: &Message) -> Self {
        let mut input = Self { max_cost: message.max_cost.clone(), ..Self::default() };
        let mut proposed = None;
        for entry in &task.history {
            if entry.by_user {
                input.add(&entry.parts, proposed);
            }
            proposed = entry.parts.iter().find_map(|part| part.get("data")?.get("input")).filter(|_| !entry.by_user);
        }
        if message.is_about_payment() {
            return input;
        }
        let named = (!task.history.is_empty() && message.capability.is_none())
            .then(|| SKILLS.iter().find(|skill| skill.id == message.text.trim()))
            .flatten();
        match named {
            Some(skill) if message.data.is_empty() => task.capability = Some(skill.id.to_owned()),
            _ => {
                input.add(&message.parts, task.proposal.as_ref());
                if message.capability.is_some() {
                    task.capability.clone_from(&message.capability);
                }
            }
        }
        input
    }

    /// Adds the parts of a message; `proposed` is the input that the agent proposed before.
    fn add(&mut self, parts: &[Value], mut proposed: Option<&Value>) {
        for part in parts {
            if let Some(text) = part.get("text").and_then(Value::as_str) {
                if !self.task.is_empty() {
                    self.task.push('\n');
                }
                self.task.push_str(text);
            }
            if let Some(data) = part.get("data").and_then(Value::as_object) {
                match proposed.take() {
                    Some(proposed) => self.input = confirmed(data, proposed).clone(),
                    None => self.input.extend(data.clone()),
                }
            }
        }
    }

    /// Formats the body for the agent's call.
    pub(super) fn into_body(self) -> String {
        let mut body = Map::new();
        body.insert("task".to_owned(), self.task.into());
        if !self.input.is_empty() {
            body.insert("input".to_owned(), self.input.into());
        }
        body.extend(self.max_cost.map(|amount| ("max_cost_gbp".to_owned(), amount)));
        Value::Object(body).to_string()
    }
}

/// Returns the input in the answer to a proposed one: the data, or their member `input` if
/// the client sent the data part of the proposal back.
fn confirmed<'d>(data: &'d Map<String, Value>, proposed: &Value) -> &'d Map<String, Value> {
    match data.get("input") {
        Some(Value::Object(input)) if data.len() == 1 && proposed.get("input").is_none() => input,
        _ => data,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(capability: Option<&str>, parts: Value) -> Message {
        let Value::Array(parts) = parts else { panic!("{parts}") };
        let text = parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n");
        let data = parts.iter().filter_map(|part| part["data"].as_object()).flatten();
        Message {
            id: "m".to_owned(),
            task_id: None,
            context_id: None,
            capability: capability.map(str::to_owned),
            max_cost: None,
            payment: None,
            declines: false,
            text,
            data: data.map(|(name, value)| (name.clone(), value.clone())).collect(),
            parts,
        }
    }

    fn body(input: AgentInput) -> Value {
        serde_json::from_str(&input.into_body()).unwrap()
    }

    #[test]
    fn one_message_with_a_skill() {
        let mut task = A2aTask::new("t".to_owned(), "k".to_owned(), "c".to_owned());
        let parts = json!([{ "kind": "text", "text": "sum" }, { "kind": "data", "data": { "a": 1 } }]);
        let input = AgentInput::of(&mut task, &message(Some("data:aggregation"), parts));
        assert_eq!(task.capability.as_deref(), Some("data:aggregation"));
        assert_eq!(body(input), json!({ "task": "sum", "input": { "a": 1 } }));
    }

    #[test]
    fn the_skill_may_be_named_later_and_in_words() {
        for (capability, text, whole) in
            [(None, " summarization\n", "a long text"), (Some("summarization"), "in short", "a long text\nin short")]
        {
            let mut task = A2aTask::new("t".to_owned(), "k".to_owned(), "c".to_owned());
            let first = message(None, json!([{ "kind": "text", "text": "a long text" }]));
            AgentInput::of(&mut task, &first);
            assert_eq!(task.capability, None);
            task.add_message(&first, "m");
            task.note = Some("which?".to_owned());
            let input = AgentInput::of(&mut task, &message(capability, json!([{ "kind": "text", "text": text }])));
            assert_eq!(task.capability.as_deref(), Some("summarization"));
            assert_eq!(body(input), json!({ "task": whole }));
        }
    }

    #[test]
    fn the_answer_to_a_proposal_is_the_whole_input() {
        let data = |data: Value| json!([{ "kind": "data", "data": data }]);
        let mut task = A2aTask::new("t".to_owned(), "k".to_owned(), "c".to_owned());
        let mut answered = |parts: Value, proposal: Option<Value>| {
            let message = message(Some("coding"), parts);
            let answered = body(AgentInput::of(&mut task, &message))["input"].clone();
            task.add_message(&message, "m");
            task.note = Some("is it so?".to_owned());
            task.proposal = proposal;
            answered
        };
        let proposal = || Some(json!({ "a": 1, "b": 2 }));
        assert_eq!(answered(data(json!({ "a": 0 })), proposal()), json!({ "a": 0 }));
        // Only a text: the data so far stay.
        assert_eq!(answered(json!([{ "kind": "text", "text": "yes" }]), proposal()), json!({ "a": 0 }));
        assert_eq!(answered(data(json!({ "b": 3 })), proposal()), json!({ "b": 3 }));
        // The data part of the proposal, sent back.
        assert_eq!(answered(data(json!({ "input": { "a": 1 } })), None), json!({ "a": 1 }));
        assert_eq!(answered(data(json!({ "c": 4 })), Some(json!({ "input": {} }))), json!({ "a": 1, "c": 4 }));
        assert_eq!(answered(data(json!({ "input": {} })), None), json!({ "input": {} }));
    }

    #[test]
    fn a_first_message_that_reads_like_a_skill_is_a_task() {
        let mut task = A2aTask::new("t".to_owned(), "k".to_owned(), "c".to_owned());
        let input = AgentInput::of(&mut task, &message(None, json!([{ "kind": "text", "text": "translation" }])));
        assert_eq!((task.capability, body(input)), (None, json!({ "task": "translation" })));
    }
}
