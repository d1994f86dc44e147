//! A text, and what to take out of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use serde_with::skip_serializing_none;

/// A text, and what to take out of it.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text, at most 100,000 bytes: lines such as `Label: value`, tables, JSON. The task's own text unless given.
    #[schemars(length(min = 1, max = 100_000))]
    pub text: Option<String>,
    /// HTML instead.
    #[schemars(length(min = 1, max = 900_000))]
    pub html: Option<String>,
    /// Fields to fill, at most 50. Default: everything that is found.
    #[schemars(length(min = 1, max = 50))]
    pub fields: Option<Vec<Field>>,
    /// A JSON Schema that the `values` must fit.
    pub schema: Option<Map<String, Value>>,
    /// How 3/4/2024 is read. Default: such a date has no value, unless other dates of the text show the order.
    pub dates: Option<DateOrder>,
    /// The decimal sign. Default: as other numbers of the text show.
    pub decimals: Option<Decimals>,
}

/// A field.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Its name in the answer.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// What it is. Default: text.
    #[serde(default, skip_serializing_if = "Kind::is_text")]
    pub kind: Kind,
    /// The label before it in the text, the name of a column, or a path in JSON. Default: the name, `_` as space.
    #[schemars(length(min = 1, max = 100))]
    pub label: Option<String>,
    /// Whether all values with this label are returned, as a list. Default: false; a column of a table with several rows is always a list.
    pub all: Option<bool>,
    /// Whether the field is the list of all values of its kind (email, phone, date, amount, iban, url), with or without a label. Default: false.
    pub everywhere: Option<bool>,
    /// Whether the task is refused if the field has no value. Default: false; the field is then null, and `notes` has the reason.
    pub required: Option<bool>,
}

/// A kind of value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The value behind a label, as written.
    #[default]
    Text,
    /// A number, as a number.
    Number,
    /// Money: with its sign or code, as written.
    Amount,
    /// A date, as YYYY-MM-DD.
    Date,
    /// An e-mail address.
    Email,
    /// A phone number.
    Phone,
    /// A bank account, with valid check digits.
    Iban,
    /// An address of the web.
    Url,
}

impl Kind {
    /// Returns its name in input and output.
    pub fn name(self) -> String {
        json!(self).as_str().unwrap_or_default().to_owned()
    }

    /// Returns whether it is the default.
    fn is_text(&self) -> bool {
        *self == Self::Text
    }
}

/// Which part of 3/4/2024 is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DateOrder {
    /// 3 April.
    DayFirst,
    /// 4 March.
    MonthFirst,
}

/// The decimal sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decimals {
    /// 1,234.56
    Point,
    /// 1.234,56
    Comma,
}
