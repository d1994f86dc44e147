//! What callers give besides the task.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::document::Document;

/// Documents, and what to hold them against.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The documents, at most 20 and 90,000 bytes in all. The task's own text unless given.
    #[schemars(length(min = 1, max = 20))]
    pub documents: Option<Vec<Document>>,
    /// One document instead, as its text.
    #[schemars(length(min = 1, max = 90_000))]
    pub document: Option<String>,
    /// What to look for, at most 40 items such as `governing law` or `IBAN`. Default: those of the task, else all that is known.
    #[schemars(length(max = 40), inner(length(min = 1, max = 200)))]
    pub checklist: Option<Vec<String>>,
    /// Persons and companies to look for on the list, at most 20.
    #[schemars(length(min = 1, max = 20))]
    pub parties: Option<Vec<String>>,
    /// The sanctions list: objects with `name` and, if wanted, `aliases`, `births`, `countries`. None is shipped.
    #[schemars(length(min = 1, max = 5_000))]
    pub sanctions_list: Option<Vec<Map<String, Value>>>,
}
