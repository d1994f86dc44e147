//! A bridge that checks an e-mail address without sending anything.
//!
//! What is wrong with an address is an answer with reasons; nothing is looked up outside the lists of `data/`.

mod domain;
mod length;
mod syntax;
mod table;
mod typo;
mod verdict;

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error, bridge};

use crate::verdict::Answer;

/// The longest text that is looked at, in bytes.
const TEXT_MAX: usize = 1_000;

/// An address.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("email | resource_id"))]
pub struct Input {
    /// The address, as `email` takes it; alone it is checked. Not the id of a stored resource.
    #[schemars(length(min = 1, max = 1000))]
    pub resource_id: Option<String>,
    /// The address alone (`name@example.org`), without display name and angle brackets; at most 1,000 bytes. White space
    /// around it is taken away. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 1000))]
    pub email: Option<String>,
}

/// The answer of this bridge.
pub type Output = Report<Answer>;

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    call.without_stored("an e-mail address")?;
    let (text, field) = match (&input.email, &input.resource_id) {
        (Some(text), None) => (text, "/email"),
        (None, Some(text)) => (text, "/resource_id"),
        (Some(_), Some(_)) => return Err(Error::invalid("/resource_id", "give `email` or `resource_id`, not both")),
        (None, None) => return Err(Error::invalid("/email", "give an address in `email` or `resource_id`")),
    };
    if text.len() > TEXT_MAX {
        return Err(Error::invalid(field, format!("longer than {TEXT_MAX} bytes; an address has at most 254")));
    }
    let text = text.trim_matches([' ', '\t']);
    if text.is_empty() {
        return Err(Error::invalid(field, "give an address, for example name@example.org"));
    }
    Ok(Report::new(verdict::of(text), METHOD, LIMITATIONS).with_data(table::sources()?))
}

const METHOD: &str = "grammar of RFC 5322 and 6532, then the limits of RFC 5321 and 6531 on the address as SMTP sends it (local part in NFC, domain in A-labels); UTS 46 for the domain; search in the lists under `data`; edit distance to common providers";
const LIMITATIONS: [&str; 3] = [
    "No DNS or mail server was asked: whether the domain takes mail (MX, A, AAAA) and the mailbox exists is not known.",
    "Disposable, role and provider lists are never complete; an address that is on none of them can still be one.",
    "A suggestion is a guess from spelling; ask the person before you use it.",
];

bridge! { handle: handle, examples: ["../cases/plain.json", "../cases/typo.json"] }

#[cfg(test)]
mod tests;
