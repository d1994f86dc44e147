//! A bridge that checks a VAT number by the format of its country and by its check digits.
//!
//! What is wrong with a number is an answer with the reasons. Whether it is registered is not asked anywhere.

mod rule;
mod table;
mod verdict;

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error, bridge};

use crate::{table::Country, verdict::Verdict};

/// The longest text that is looked at, in bytes.
const TEXT_MAX: usize = 60;

/// A VAT number.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("vat_number | resource_id"))]
pub struct Input {
    /// The VAT number with the letters of its country (`DE136695976`); alone it is checked. Not the id of a stored
    /// resource.
    #[schemars(length(min = 1, max = 60))]
    pub resource_id: Option<String>,
    /// The VAT number in any written form; spaces, full stops, hyphens, slashes and brackets are taken away. At most 60
    /// bytes. Give this or `resource_id`.
    #[schemars(length(min = 1, max = 60))]
    pub vat_number: Option<String>,
    /// The country, needed where the number does not begin with its letters: ISO 3166-1 alpha-2 code, also EL, UK, XI
    /// (Northern Ireland) and XK. Default: by the first letters.
    #[schemars(length(min = 2, max = 2))]
    pub country: Option<String>,
}

/// The answer of this bridge.
pub type Output = Report<Verdict>;

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    call.without_stored("a VAT number")?;
    let (text, field) = match (&input.vat_number, &input.resource_id) {
        (Some(text), None) => (text, "/vat_number"),
        (None, Some(text)) => (text, "/resource_id"),
        (Some(_), Some(_)) => {
            return Err(Error::invalid("/resource_id", "give `vat_number` or `resource_id`, not both"));
        }
        (None, None) => return Err(Error::invalid("/vat_number", "give a number in `vat_number` or `resource_id`")),
    };
    if text.len() > TEXT_MAX {
        return Err(Error::invalid(field, format!("longer than {TEXT_MAX} bytes; no VAT number is")));
    }
    let number = plain(text);
    if number.is_empty() {
        return Err(Error::invalid(field, "give a VAT number, for example DE136695976"));
    }
    let country = country(&number, input.country.as_deref(), field)?;
    let result = verdict::of(&number, country)?;
    let limitations = limitations(&result);
    Ok(Report::new(result, METHOD, limitations).with_data(table::sources()?))
}

const METHOD: &str =
    "pattern of the country by table, then the check digits by the country's published rule where one is known here";

/// Capitals without what people write between.
fn plain(text: &str) -> String {
    let between =
        |c: &char| c.is_whitespace() || matches!(c, '.' | '-' | '/' | '(' | ')' | ',' | ':' | '\u{2010}'..='\u{2015}');
    text.chars().filter(|c| !between(c)).map(|c| c.to_ascii_uppercase()).collect()
}

/// The country given, else the one that the number's letters mean.
fn country(number: &str, given: Option<&str>, field: &str) -> Result<Country, Error> {
    if let Some(given) = given {
        let known = Country::find(&given.to_ascii_uppercase());
        return known.ok_or_else(|| {
            let codes: Vec<&str> = Country::all().map(|country| country.code).collect();
            Error::invalid("/country", format!("no format known for this country; known: {}", codes.join(", ")))
        });
    }
    let letters = number.get(..2).filter(|letters| letters.bytes().all(|b| b.is_ascii_uppercase()));
    let known = letters.and_then(Country::find);
    known.ok_or_else(|| match letters {
        Some(letters) => {
            Error::invalid(field, format!("no format known for numbers that begin with {letters}; give `country`"))
        }
        None => Error::invalid("/country", "the number does not begin with the letters of a country; give `country`"),
    })
}

fn limitations(verdict: &Verdict) -> Vec<&'static str> {
    let mut notes = vec![
        "VIES and national registers were not asked: a number of the right form may not be registered, or belong to another firm.",
    ];
    if verdict.check_digits == verdict::Check::NoRule {
        notes.push("The check digits of this country were not checked: it has none, or their rule is not known here.");
    }
    if verdict.country == "XI" {
        notes.push("XI numbers are GB numbers used for goods under the Windsor Framework; the form does not tell who may use XI.");
    }
    notes
}

bridge! { handle: handle, examples: ["../cases/de.json", "../cases/it_wrong_digit.json"] }

#[cfg(test)]
mod tests;
