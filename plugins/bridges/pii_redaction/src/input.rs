//! What a caller may send.

use bridge_common::text_input;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error};

const LONGEST: usize = 100_000;

/// A text in which personal data are to be found. Give `text`, or `resource_id` of a stored text.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("text | resource_id"))]
pub struct Input {
    /// The text, 100,000 bytes at most. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 100_000))]
    pub text: Option<String>,
    /// Id of a stored resource (`res_…`): text in UTF-8. Alone it means: this text, all types, mode replace.
    pub resource_id: Option<String>,
    /// What to look for. Default: all types.
    #[schemars(length(min = 1, max = 10))]
    pub types: Option<Vec<Kind>>,
    /// What to put in the place of what was found. Default: replace.
    #[serde(default)]
    pub mode: Mode,
}

/// A type of personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// E-mail addresses.
    Email,
    /// Bank accounts: IBAN with the length of its country and a right check number (mod 97).
    Iban,
    /// Payment cards: right check digit (Luhn) and a known prefix, or the word card nearby.
    Card,
    /// NHS numbers: right check digit (mod 11), written 3-3-4 or with NHS nearby.
    NhsNumber,
    /// UK national insurance numbers, by their form.
    NationalInsurance,
    /// US social security numbers with hyphens, by their form; without hyphens only with their name nearby.
    UsSsn,
    /// IPv4 and IPv6 addresses.
    IpAddress,
    /// Dates after a word such as born or DOB.
    DateOfBirth,
    /// Phone numbers: international, UK and US forms; other digits after a word such as phone.
    Phone,
    /// Names of persons after a clear cue only: a title, "my name is", "Dear".
    Name,
}

/// All types, those with the surest evidence first: of two that overlap, the earlier is kept.
pub const KINDS: [Kind; 10] = [
    Kind::Email,
    Kind::Iban,
    Kind::Card,
    Kind::NhsNumber,
    Kind::NationalInsurance,
    Kind::UsSsn,
    Kind::IpAddress,
    Kind::DateOfBirth,
    Kind::Phone,
    Kind::Name,
];

/// What to put in the place of what was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// `*` for every letter and digit; length and punctuation stay.
    Mask,
    /// The type: `[EMAIL]`.
    #[default]
    Replace,
    /// The type and a number: `[EMAIL_1]`; the same value has the same number in this text, but nothing is derived
    /// from the value itself.
    Pseudonym,
}

/// The text of a call.
pub fn text(call: &Call, input: &Input) -> Result<String, Error> {
    let (text, _) = text_input::text(call, input.text.as_ref(), input.resource_id.as_ref(), LONGEST)?;
    if input.types.as_ref().is_some_and(|types| types.is_empty() || types.len() > KINDS.len()) {
        return Err(Error::invalid("/types", "give 1 to 10 types, or leave this out for all"));
    }
    Ok(text)
}
