//! What callers give besides the task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Documents, and what to check them for.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The documents, at most 20 and 90,000 bytes in all. The task's own text unless given.
    #[schemars(length(min = 1, max = 20))]
    pub documents: Option<Vec<Document>>,
    /// One document instead, as its text.
    #[schemars(length(min = 1, max = 90_000))]
    pub document: Option<String>,
    /// What to look for, at most 40 items: `IBAN`, `valid VAT number`, `e-mail address`, a text in quotation marks, a label with a value. Items that need meaning need a model. Default, if nothing else is asked: personal data, tax numbers, accounts and sanctions.
    #[schemars(length(max = 40), inner(length(min = 1, max = 200)))]
    pub checklist: Option<Vec<String>>,
    /// Labels that the documents must have, at most 40; decided by the labels alone.
    #[schemars(length(max = 40), inner(length(min = 1, max = 200)))]
    pub labels: Option<Vec<String>>,
    /// Whether a label without a value, or with a blank line to fill in, counts as present. Default: false.
    pub accept_blank: Option<bool>,
    /// Texts that the documents must contain word for word, at most 40.
    #[schemars(length(max = 40), inner(length(min = 1, max = 1_000)))]
    pub phrases: Option<Vec<String>>,
    /// Personal data to replace; the documents are returned without them.
    pub redact: Option<Redact>,
    /// Persons and companies to look for on the list, at most 20.
    #[schemars(length(min = 1, max = 20))]
    pub parties: Option<Vec<String>>,
    /// The sanctions list: objects with `name` and, if wanted, `aliases`, `births`, `countries`. None is included.
    #[schemars(length(min = 1, max = 5_000))]
    pub sanctions_list: Option<Vec<Map<String, Value>>>,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Its name.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Its text.
    #[schemars(length(min = 1, max = 90_000))]
    pub text: String,
}

/// What is replaced.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Redact {
    /// Kinds of personal data. Default: all of them.
    #[schemars(length(min = 1, max = 10))]
    pub types: Option<Vec<Personal>>,
    /// The replacement: `replace` (`[EMAIL]`, the default), `mask` (`*` for each letter and digit) or `pseudonym` (`[EMAIL_1]`).
    pub mode: Option<Mode>,
}

/// A kind of personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Personal {
    Email,
    Iban,
    Card,
    NhsNumber,
    NationalInsurance,
    UsSsn,
    IpAddress,
    DateOfBirth,
    Phone,
    Name,
}

/// A replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Replace,
    Mask,
    Pseudonym,
}
