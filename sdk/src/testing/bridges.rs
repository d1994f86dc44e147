//! A test double of other plugins: each returns, in order, the answers that a test
//! specifies.

use std::collections::{BTreeMap, VecDeque};

use serde::Deserialize;
use serde_json::Value;

use crate::bridges::error::Error;

/// The specified answers by plugin: a bridge by its name, an agent as `agents/NAME`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Bridges(BTreeMap<String, VecDeque<Stated>>);

/// An answer of a plugin, and optionally the input or task that the test expects.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stated {
    /// The exact input that the test expects.
    input: Option<Value>,
    /// The exact task that the test expects.
    task: Option<String>,
    output: Option<Value>,
    error: Option<StatedError>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatedError {
    /// Kind of the error, spelled as in the plugin contract.
    kind: String,
    #[serde(default)]
    field: String,
    #[serde(default)]
    message: String,
}

impl Bridges {
    /// Returns the next answer of a plugin, as the text of a JSON object.
    pub fn answer(&mut self, name: &str, task: Option<&str>, input: Option<&str>) -> Result<String, Error> {
        let Some(stated) = self.0.get_mut(name) else {
            return Err(Error::Unavailable(format!("there is no plugin `{name}`; the test states no answers for it")));
        };
        let Some(next) = stated.pop_front() else {
            return Err(Error::Failed(format!("the test states no further answer for `{name}`")));
        };
        next.answer(name, task, input)
    }
}

impl Stated {
    fn answer(self, name: &str, task: Option<&str>, input: Option<&str>) -> Result<String, Error> {
        let given = input.and_then(|text| serde_json::from_str::<Value>(text).ok());
        if self.input.is_some() && self.input != given {
            return Err(Error::Failed(format!(
                "the test expects another input for `{name}`: {}",
                input.unwrap_or("none")
            )));
        }
        if self.task.is_some() && self.task.as_deref() != task {
            return Err(Error::Failed(format!(
                "the test expects another task for `{name}`: {}",
                task.unwrap_or("none")
            )));
        }
        match (self.output, self.error) {
            (Some(output), None) => Ok(output.to_string()),
            (None, Some(error)) => Err(error.into_error()),
            _ => Err(Error::Failed(format!("an answer of `{name}` needs exactly one of `output` and `error`"))),
        }
    }
}

impl StatedError {
    fn into_error(self) -> Error {
        let Self { kind, field, message } = self;
        match kind.as_str() {
            "invalid-input" => Error::InvalidInput { field, message },
            "not-found" => Error::NotFound(message),
            "unavailable" => Error::Unavailable(message),
            "refused" => Error::Refused(message),
            "no-provider" => Error::NoProvider(message),
            _ => Error::Failed(message),
        }
    }
}
