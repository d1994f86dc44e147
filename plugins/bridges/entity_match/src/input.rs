//! What a caller may send.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most records in both lists together.
pub const MOST_RECORDS: usize = 5_000;
/// Most fields that are compared.
pub const MOST_FIELDS: usize = 20;
/// Longest value that is compared, in characters; the rest is not looked at.
pub const LONGEST_VALUE: usize = 200;
/// Most pairs that are listed.
pub const MOST_LISTED: u32 = 4_000;
/// Most pairs that are listed with their fields.
pub const MOST_DETAILED: u32 = 250;
/// Longest name of a field, in bytes.
pub const LONGEST_NAME: usize = 100;

/// Records to compare. With one list duplicates in it are looked for, with two the links between them.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("records | resource_id"))]
pub struct Input {
    /// Records: objects of plain values, at most 5,000 in both lists together. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 5_000))]
    pub records: Option<Vec<Record>>,
    /// A second list: links between the two are looked for instead of duplicates in the first. Default: one list.
    #[schemars(length(min = 1, max = 5_000))]
    pub against: Option<Vec<Record>>,
    /// Id of a stored resource (`res_…`) that holds the records: CSV with a header, a JSON array of objects, or JSON
    /// lines. It takes the place of `records`. This bridge has no other natural key; alone, it means: duplicates in
    /// this file, fields by their names.
    pub resource_id: Option<String>,
    /// Fields to compare, at most 20. Default: every member but the id, its type by its name and values.
    #[schemars(length(min = 1, max = 20))]
    pub fields: Option<Vec<Field>>,
    /// Member that names a record; its first 40 characters are shown in the answer, it is not compared. Default: `id` or `rec_id` where there is one.
    pub id_field: Option<String>,
    /// Probability from which a pair is a match, 0.5 to 0.9999. Default: 0.9.
    #[schemars(range(min = 0.5, max = 0.9999))]
    pub threshold: Option<f64>,
    /// Probability from which a pair is listed for review, 0.01 up to `threshold`. Default: 0.5.
    #[schemars(range(min = 0.01, max = 0.9999))]
    pub review: Option<f64>,
    /// Where the weights come from. Default: estimated from 50 records on, else fixed.
    pub parameters: Option<Parameters>,
    /// With two lists: a record is matched once at most, the likeliest pairs first. Default: false.
    #[serde(default)]
    pub one_to_one: bool,
    /// List how every field of a pair compares. Default: true.
    pub details: Option<bool>,
    /// Most pairs to list, the likeliest first (1 to 250, without `details` to 4,000; default 200).
    #[schemars(range(min = 1, max = 4_000))]
    pub max_pairs: Option<u32>,
}

/// A record: values by member name. Empty texts and null count as missing.
pub type Record = BTreeMap<String, Scalar>;

/// A plain value.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "a text, a number, true, false or null")]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// A text.
    Text(String),
    /// Missing.
    Null,
}

/// A field to compare.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Member of the records; at most 100 bytes.
    pub name: String,
    /// How it is compared. Default: by its name and values.
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// Probability that two records of the same entity agree exactly here, 0.01 to 0.9999. Default: fixed (0.8) or
    /// estimated.
    #[schemars(range(min = 0.01, max = 0.9999))]
    pub m: Option<f64>,
    /// Probability that two records of different entities agree exactly here, 0.000001 to 0.9. Default: fixed (by
    /// type) or estimated.
    #[schemars(range(min = 0.000_001, max = 0.9))]
    pub u: Option<f64>,
}

/// How a field is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Of persons or companies: words in any order, initials, titles and legal forms ignored, Jaro-Winkler.
    Name,
    /// Words with usual abbreviations opened, house numbers exactly.
    Address,
    /// ISO, 20260131, or 31/01/2026: day and month swapped and single wrong digits count as close.
    Date,
    /// By relative difference: 1 % is close, 5 % partial.
    Number,
    /// Case ignored; the part before the @ by Jaro-Winkler.
    Email,
    /// Digits only, country code and leading zero ignored.
    Phone,
    /// Postcodes, account and registration numbers: exact, or one typing error.
    Code,
    /// Any other text: its words.
    Text,
}

/// Where the weights come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Parameters {
    /// Stated values, the same for all lists.
    Fixed,
    /// From the lists: chance agreement from a fixed sample of pairs, agreement of matches from clear matches.
    Estimated,
}
