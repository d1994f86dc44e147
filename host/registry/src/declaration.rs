//! `[declaration]` of `plugin.toml`: an agent without its own code. It runs the component of
//! another agent with these instructions, which are signed with the rest of the manifest.

use serde::Serialize;
use tollbridge_core::plugin_kind::PluginKind;

use super::fields::{FieldError, Fields};
use crate::limits::INSTRUCTIONS_BYTES_MAX;

/// Maximum size of the input schema of a declared agent; manifest and instructions have
/// separate limits.
const DECLARED_SCHEMA_BYTES_MAX: usize = 16 << 10;
/// Maximum length of the id of a model in a declaration.
const MODEL_NAME_BYTES_MAX: usize = 128;

const FIELD: &str = "declaration";
const FIELDS: [&str; 3] = ["instructions", "model", "input_schema"];

/// An agent without its own code, declared in a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Declaration {
    /// Instructions that are sent to the model before each task.
    pub instructions: String,
    /// The id of the model to use; if absent, the router chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// JSON Schema of the agent's input, as text; if absent, any object is accepted. The schema is
    /// checked when the agent is loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<String>,
}

impl Declaration {
    pub(super) fn read(top: &mut Fields, kind: PluginKind) -> Result<Option<Self>, FieldError> {
        let Some(mut table) = top.table(FIELD, &FIELDS)? else { return Ok(None) };
        if kind != PluginKind::Agent {
            return Err(top.error(FIELD, "only agents can have a declaration; make it an agent or drop the table"));
        }
        let instructions = table.parsed("instructions", "the model's instructions for every task", instructions)?;
        let model = table.text("model", "the id of a model")?;
        if model.as_ref().is_some_and(|name| name.trim().is_empty() || name.len() > MODEL_NAME_BYTES_MAX) {
            return Err(table.error("model", format!("a model's id has 1 to {MODEL_NAME_BYTES_MAX} bytes")));
        }
        let input_schema = table.text("input_schema", "a JSON Schema, as text")?;
        if input_schema.as_ref().is_some_and(|text| text.len() > DECLARED_SCHEMA_BYTES_MAX) {
            return Err(table.error("input_schema", format!("has more than {DECLARED_SCHEMA_BYTES_MAX} bytes")));
        }
        Ok(Some(Self { instructions, model, input_schema }))
    }

    /// Returns the configuration values that the shared component reads through the `config` grant.
    pub fn config(&self) -> impl Iterator<Item = (String, String)> {
        let model = self.model.iter().map(|model| ("model".to_owned(), model.clone()));
        std::iter::once(("instructions".to_owned(), self.instructions.clone())).chain(model)
    }
}

fn instructions(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("is empty; write what the model should do with a task".to_owned());
    }
    match text.len() > INSTRUCTIONS_BYTES_MAX {
        true => Err(format!("has {} bytes; at most {INSTRUCTIONS_BYTES_MAX} are allowed", text.len())),
        false => Ok(text.to_owned()),
    }
}
