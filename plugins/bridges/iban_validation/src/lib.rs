//! A bridge that checks an IBAN and takes it apart.
//!
//! What is wrong with an IBAN is an answer, with the reasons; errors are for inputs that are no question. Nothing is
//! looked up outside the tables of `data/`.

mod check;
mod national;
mod registry;

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error, bridge};

use crate::{check::Verdict, registry::Country};

/// The longest text that is looked at, in characters. An IBAN has at most 34.
const TEXT_MAX: usize = 100;

/// An IBAN, or the parts to make one of.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("iban | resource_id | country + bban"))]
pub struct Input {
    /// The IBAN, as `iban` takes it; alone it is checked. Not the id of a stored resource.
    #[schemars(length(min = 1, max = 100))]
    pub resource_id: Option<String>,
    /// The IBAN in any written form: small letters, spaces, hyphens, full stops and the word `IBAN` before it are taken
    /// away. Give this, `resource_id`, or `country` and `bban`.
    #[schemars(length(min = 1, max = 100))]
    pub iban: Option<String>,
    /// With `bban`: the country's ISO 3166-1 alpha-2 code (or XK), to make the IBAN of a national account number. Give
    /// it with `bban` alone.
    #[schemars(length(min = 2, max = 2))]
    pub country: Option<String>,
    /// The national account number (BBAN) in the country's full length, spaces and hyphens allowed. Give this with
    /// `country`, or an IBAN.
    #[schemars(length(min = 1, max = 100))]
    pub bban: Option<String>,
}

/// The answer of this bridge.
pub type Output = Report<Verdict>;

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    call.without_stored("an IBAN")?;
    let iban = match (&input.resource_id, &input.iban, &input.country, &input.bban) {
        (Some(text), None, None, None) => electronic(text, "/resource_id")?,
        (None, Some(text), None, None) => electronic(text, "/iban")?,
        (None, None, Some(country), Some(bban)) => make(country, bban)?,
        (None, None, Some(_), None) => return Err(Error::invalid("/bban", "give the account number with the country")),
        (None, None, None, Some(_)) => {
            return Err(Error::invalid("/country", "give the country with the account number"));
        }
        _ => {
            let message = "give an IBAN once: in `iban` or `resource_id`, or as `country` and `bban`";
            return Err(Error::invalid("/iban", message));
        }
    };
    let verdict = check::check(&iban);
    let limitations = limitations(&verdict);
    Ok(Report::new(verdict, METHOD, limitations).with_data(registry::sources()?))
}

const METHOD: &str = "structure of the country by table, ISO 7064 mod 97-10 over the whole IBAN, then the national check digits where their rule is known";

/// The electronic form: letters and digits in capitals. Other signs stay, for the check to name them.
fn electronic(text: &str, field: &str) -> Result<String, Error> {
    if text.chars().take(TEXT_MAX + 1).count() > TEXT_MAX {
        return Err(Error::invalid(field, format!("longer than {TEXT_MAX} characters; an IBAN has at most 34")));
    }
    let left_out = |letter: &char| !letter.is_whitespace() && !matches!(letter, '-' | '.' | '\u{2010}'..='\u{2015}');
    let text: String = text.chars().filter(left_out).map(|letter| letter.to_ascii_uppercase()).collect();
    let text = text.strip_prefix("IBAN").map_or(text.as_str(), |rest| rest.trim_start_matches(':'));
    if text.is_empty() {
        return Err(Error::invalid(field, "give an IBAN, for example GB29 NWBK 6016 1331 9268 19"));
    }
    Ok(text.to_owned())
}

/// The IBAN of a national account number.
fn make(country: &str, bban: &str) -> Result<String, Error> {
    let bban = electronic(bban, "/bban")?;
    let known = Country::find(&country.to_ascii_uppercase()).filter(|_| country.len() == 2);
    let known = known.ok_or_else(|| Error::invalid("/country", "no country with IBANs known here has this code"))?;
    if let Some(fault) = check::bban_fault(&known, &bban) {
        return Err(Error::invalid("/bban", format!("{}; {} has {}", fault.message, known.code, known.structure)));
    }
    Ok(format!("{}{}{bban}", known.code, check::check_digits(known.code, &bban)))
}

fn limitations(verdict: &Verdict) -> Vec<&'static str> {
    let mut notes = vec![
        "A valid IBAN is well formed; whether bank, branch and account exist, and whose the account is, is not looked up.",
    ];
    if verdict.national_check == national::Status::NoRule {
        notes.push("No national check digits were checked: this country has none, or their rule is not known here.");
    }
    if verdict.registered == Some(false) {
        notes.push(
            "This country is not in the SWIFT IBAN registry; its structure is from use, and banks may refuse it.",
        );
    }
    if verdict.fields.iter().any(|field| !field.registry) {
        notes.push("Fields with `registry` false are not in the SWIFT registry's own data; their places are from the second source.");
    }
    notes
}

bridge! { handle: handle, examples: ["../cases/gb.json", "../cases/wrong_digit.json"] }

#[cfg(test)]
mod tests;
