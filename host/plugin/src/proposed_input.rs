//! The input that an agent proposes when it refuses a task.

use std::sync::Arc;

use serde_json::Value;

use crate::log::CallLog;

/// A proposed input as the agent wrote it, not checked yet.
pub struct ProposedInput {
    /// The text, expected to be a JSON object.
    pub text: String,
    /// The log of the call.
    pub log: Arc<CallLog>,
}

impl ProposedInput {
    /// Parses the text as a JSON object.
    pub(crate) fn read(&self) -> Result<Value, String> {
        match serde_json::from_str(&self.text) {
            Ok(object @ Value::Object(_)) => Ok(object),
            Ok(_) => Err("it is not a JSON object".to_owned()),
            Err(error) => Err(format!("it is not JSON: {error}")),
        }
    }

    /// Writes to the plugin's log why a proposal does not reach the caller.
    pub fn log_dropped(log: &CallLog, reason: &str) {
        log.write(tracing::Level::WARN, &format!("the proposed input was dropped: {reason}"));
    }
}
