//! Personal data in text: found by form, check digit or cue, and taken out.
//!
//! Invariants: finds do not overlap; nothing of a find's value is in the answer but its place (and, when masking, its
//! length); the same text gives the same answer.

mod bank;
mod detection;
mod email;
mod input;
mod ip;
mod patterns;
mod person;
mod phone;
mod redact;

use bridge_common::{Report, Source};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use tollbridge_sdk::{Call, Error, bridge};

pub use input::Input;
use input::{KINDS, Kind};

/// Finds that one call lists; a text with more is refused.
const MOST_FOUND: usize = 5_000;

/// The answer of this bridge.
pub type Output = Report<Redacted>;

/// The text without personal data, and where it was.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Redacted {
    /// The text with replacements.
    pub text: String,
    /// What was found, in order of place.
    pub spans: Vec<Span>,
    /// How many of each type.
    pub counts: BTreeMap<&'static str, usize>,
}

/// Something found, by its place in the text given.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Span {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// checksum: form and check digits are right; format: the form is right; context: a word nearby says so.
    pub evidence: &'static str,
    /// Where it begins, in bytes of UTF-8 from 0.
    pub start_byte: usize,
    /// Where it ends (not included), in bytes of UTF-8.
    pub end_byte: usize,
    /// Where it begins, in characters (Unicode code points) from 0.
    pub start_char: usize,
    /// Where it ends (not included), in characters.
    pub end_char: usize,
    /// What stands in its place.
    pub replacement: String,
}

const DATA: [Source<&str>; 2] = [
    Source {
        name: "prefixes and lengths of payment cards",
        version: "10.3.0",
        as_of: "2026-07-10",
        licence: "MIT",
        source: "credit-card-type on npm, Braintree",
    },
    Source {
        name: "lengths of IBANs",
        version: "0.0.14",
        as_of: "2024-12-11",
        licence: "MIT",
        source: "iban on npm, ARHS Developments",
    },
];

const METHOD: &str = "forms, check digits (Luhn for cards, mod 97 for IBANs, mod 11 for NHS numbers) and cue words; of \
     overlapping finds the one with the surest evidence is kept";

const LIMITATIONS: [&str; 4] = [
    "nothing found does not mean that there is nothing: names without a title or another clear cue, addresses, and numbers \
     of other countries are not looked for",
    "written for English texts; cues of other languages are few",
    "what stays in the text can still tell who is meant",
    "numbers of another kind can have the form of one that is looked for",
];

/// Redacts the text that the input gives.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let text = input::text(call, &input)?;
    let wanted = input.types.clone().unwrap_or_else(|| KINDS.to_vec());
    let spans = redact::find(&text, &wanted)?;
    if spans.len() > MOST_FOUND {
        let field = if input.text.is_some() { "/text" } else { "/resource_id" };
        return Err(Error::invalid(field, format!("{} matches are more than {MOST_FOUND}; send parts", spans.len())));
    }
    let replacements = redact::replacements(&text, &spans, input.mode);
    let mut result = Redacted { text: String::with_capacity(text.len()), spans: Vec::new(), counts: BTreeMap::new() };
    let (mut at, mut characters) = (0usize, 0usize);
    for (span, replacement) in spans.iter().zip(replacements) {
        let before = text.get(at..span.start).unwrap_or_default();
        let value = text.get(span.start..span.end).unwrap_or_default();
        result.text.push_str(before);
        result.text.push_str(&replacement);
        let start_char = characters.saturating_add(before.chars().count());
        let end_char = start_char.saturating_add(value.chars().count());
        let count = result.counts.entry(name(span.kind)).or_insert(0);
        *count = count.saturating_add(1);
        result.spans.push(Span {
            kind: span.kind,
            evidence: span.evidence,
            start_byte: span.start,
            end_byte: span.end,
            start_char,
            end_char,
            replacement,
        });
        (at, characters) = (span.end, end_char);
    }
    result.text.push_str(text.get(at..).unwrap_or_default());
    Ok(Report::new(result, METHOD, LIMITATIONS).with_data(DATA))
}

/// The name of a type in input and output.
fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Email => "email",
        Kind::Iban => "iban",
        Kind::Card => "card",
        Kind::NhsNumber => "nhs_number",
        Kind::NationalInsurance => "national_insurance",
        Kind::UsSsn => "us_ssn",
        Kind::IpAddress => "ip_address",
        Kind::DateOfBirth => "date_of_birth",
        Kind::Phone => "phone",
        Kind::Name => "name",
    }
}

/// Compiles the patterns.
fn prepare() {
    patterns::PATTERNS.prepare();
}

bridge! { handle: handle, init: prepare, examples: ["../cases/letter.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
