//! The input of an agent's call, collected from the messages of a conversation.
//!
//! Invariant: every message of the user contributes to the input, except a message that
//! consists only of a skill name and answers the question which skill is wanted.

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
        for entry in task.history.iter().filter(|entry| entry.by_user) {
            input.add(&entry.parts);
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
                input.add(&message.parts);
                if message.capability.is_some() {
                    task.capability.clone_from(&message.capability);
                }
            }
        }
        input
    }

    fn add(&mut self, parts: &[Value]) {
        for part in parts {
            if let Some(text) = part.get("text").and_then(Value::as_str) {
                if !self.task.is_empty() {
                    self.task.push('\n');
                }
                self.task.push_str(text);
            }
            if let Some(data) = part.get("data").and_then(Value::as_object) {
                self.input.extend(data.clone());
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
    fn a_first_message_that_reads_like_a_skill_is_a_task() {
        let mut task = A2aTask::new("t".to_owned(), "k".to_owned(), "c".to_owned());
        let input = AgentInput::of(&mut task, &message(None, json!([{ "kind": "text", "text": "translation" }])));
        assert_eq!((task.capability, body(input)), (None, json!({ "task": "translation" })));
    }
}
