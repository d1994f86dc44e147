//! The state of a multi round-trip request: what earlier rounds asked for, and what the client
//! answers now.
//!
//! Invariant: the server keeps nothing between rounds. The state that the client sends back holds
//! the payment intent and the arguments that its user filled in; both are checked as if they were
//! new.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rmcp::model::{CallToolRequestParams, ErrorData, JsonObject};
use serde_json::Value;

/// The key of the payment request in a result that asks for input.
pub(crate) const PAYMENT: &str = "payment";
/// The key of the question for a missing argument in a result that asks for input.
pub(crate) const ARGUMENT: &str = "argument";
/// The member of [`ARGUMENT`] with the user's answer to an agent.
pub(crate) const ANSWER: &str = "answer";
/// The separator between the two parts of a state: the intent and the filled-in
/// arguments.
const BETWEEN: char = '~';

/// The state of one round; see the module documentation.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Round {
    /// Whether an earlier round asked the client for input.
    pub is_later: bool,
    /// The intent that the user was asked to pay.
    pub intent: Option<String>,
    /// Arguments that the user filled in.
    pub filled_in: JsonObject,
}

impl Round {
    /// Reads the state that a call carries from earlier rounds, and the user's answers
    /// that came with it.
    pub(crate) fn of(request: &CallToolRequestParams) -> Result<Self, ErrorData> {
        let Some(state) = request.request_state.as_deref() else { return Ok(Self::default()) };
        let mut round = Self::read(state).ok_or_else(|| {
            let text = "requestState: must be returned unchanged, with the same arguments";
            ErrorData::invalid_params(text, None)
        })?;
        if accepted(request, ARGUMENT) == Some(true) {
            let answer = request.input_responses.as_ref().and_then(|responses| responses.get(ARGUMENT));
            let content = answer.and_then(|answer| answer.get("content")).and_then(Value::as_object);
            round.filled_in.extend(content.cloned().unwrap_or_default());
        }
        Ok(round)
    }

    /// Adds the filled-in values to arguments that lack them.
    pub(crate) fn complete(&self, arguments: &mut JsonObject) {
        for (name, value) in &self.filled_in {
            if arguments.get(name).is_none_or(Value::is_null) {
                arguments.insert(name.clone(), value.clone());
            }
        }
    }

    /// Appends the user's answer to the task that an agent asked about.
    pub(crate) fn complete_task(&self, arguments: &mut JsonObject) {
        let Some(answer) = self.filled_in.get(ANSWER).and_then(Value::as_str) else { return };
        let task = arguments.get("task").and_then(Value::as_str).unwrap_or_default();
        let whole = if task.is_empty() { answer.to_owned() } else { format!("{task}\n{answer}") };
        arguments.insert("task".to_owned(), whole.into());
    }

    fn read(state: &str) -> Option<Self> {
        let (intent, filled_in) = state.split_once(BETWEEN).unwrap_or((state, ""));
        let filled_in = match filled_in {
            "" => JsonObject::new(),
            text => serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()?,
        };
        let intent = Some(intent).filter(|intent| !intent.is_empty()).map(str::to_owned);
        (!state.is_empty()).then_some(Self { is_later: true, intent, filled_in })
    }

    /// Returns the state for the next round, with the intent to pay, if there is one.
    pub(crate) fn next(&self, intent: Option<&str>) -> String {
        let intent = intent.unwrap_or_default();
        if self.filled_in.is_empty() && !intent.is_empty() {
            return intent.to_owned();
        }
        let filled_in = serde_json::to_vec(&self.filled_in).unwrap_or_default();
        format!("{intent}{BETWEEN}{}", URL_SAFE_NO_PAD.encode(filled_in))
    }
}

/// Returns whether the user accepted a request; `None` without an answer.
pub(crate) fn accepted(request: &CallToolRequestParams, what: &str) -> Option<bool> {
    let answer = request.input_responses.as_ref()?.get(what)?;
    answer.get("action").and_then(Value::as_str).map(|action| action == "accept")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_state_comes_back_as_it_was() {
        let members = json!({ "text": "a ~ b", "count": 3 }).as_object().unwrap().clone();
        for filled_in in [JsonObject::new(), members] {
            for intent in [None, Some("pi_x.y-z")] {
                let round = Round { is_later: true, intent: intent.map(str::to_owned), filled_in: filled_in.clone() };
                assert_eq!(Round::read(&round.next(intent)), Some(round));
            }
        }
        for forged in ["", "~x", "pi_x~!", "pi_x~W10", "~bnVsbA"] {
            assert_eq!(Round::read(forged), None, "{forged}");
        }
    }
}
