//! A text, and the fields to take out of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A text, and what to take out of it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text, at most 100,000 bytes. The task's own text unless given.
    #[schemars(length(min = 1, max = 100_000))]
    pub(crate) text: Option<String>,
    /// HTML instead.
    #[schemars(length(min = 1, max = 900_000))]
    pub(crate) html: Option<String>,
    /// Fields to fill, at most 50. Default: everything that is found.
    #[schemars(length(min = 1, max = 50))]
    pub(crate) fields: Option<Vec<Field>>,
    /// A JSON Schema that the `values` must fit.
    pub(crate) schema: Option<Map<String, Value>>,
}

/// A field.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Its name in the answer.
    #[schemars(length(min = 1, max = 100))]
    pub(crate) name: String,
    /// What it is. Default: text.
    #[serde(default)]
    pub(crate) kind: Kind,
    /// The label before it in the text. Default: the name, `_` as space.
    #[schemars(length(min = 1, max = 100))]
    pub(crate) label: Option<String>,
}

/// A kind of value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What stands behind a label.
    #[default]
    Text,
    /// A number, as a number.
    Number,
    /// Money: with its sign or code.
    Amount,
    /// A date, as YYYY-MM-DD.
    Date,
    /// An e-mail address.
    Email,
    /// A phone number.
    Phone,
    /// A bank account.
    Iban,
    /// An address of the web.
    Url,
}
