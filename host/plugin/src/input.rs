//! The input of a plugin call.

use bytes::Bytes;

/// The input of a plugin call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginInput {
    /// A bridge's input: the text of a JSON object that fits the input schema.
    Bridge(Bytes),
    /// An agent's input: a task, and an object if the caller sent one.
    Agent {
        /// The text of the task.
        task: String,
        /// The text of a JSON object that fits the input schema.
        input: Option<Bytes>,
    },
}

impl From<Bytes> for PluginInput {
    fn from(object: Bytes) -> Self {
        Self::Bridge(object)
    }
}
