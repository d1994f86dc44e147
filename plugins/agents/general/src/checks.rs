//! Checks of identifiers: by bridges, and the Luhn digit of a card.

use serde_json::{Map, Value, json};
use tollbridge_sdk::{Error, bridges};

/// Clauses with the name of their identifier, the bridge that checks it, and the member of its input.
const CHECKS: [(&str, &str, &str, &str); 5] = [
    ("iban", "IBAN", "iban_validation", "iban"),
    ("vatid", "VAT number", "vat_number_check", "vat_number"),
    ("email", "e-mail address", "email_verification", "email"),
    ("isbn", "identifier", REFERENCES, "references"),
    ("doi", "identifier", REFERENCES, "references"),
];
/// The bridge that finds the identifiers in references.
const REFERENCES: &str = "citation_check";

/// The answer of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    pub name: &'static str,
    pub valid: bool,
    pub answer: Map<String, Value>,
}

/// Checks the value of a clause; none if the clause is no check.
///
/// # Errors
/// A value in which the bridge finds no identifier, or several.
pub fn run(clause: &str, value: &str) -> Result<Option<Checked>, Error> {
    if clause == "card" {
        let valid = luhn(value).ok_or_else(|| Error::invalid("/task", "a card number has 12 to 19 digits"))?;
        let answer = Map::from_iter([("valid".to_owned(), json!(valid)), ("check".to_owned(), json!("Luhn"))]);
        return Ok(Some(Checked { name: "card number", valid, answer }));
    }
    let Some((_, name, bridge, member)) = CHECKS.iter().find(|(own, ..)| *own == clause) else { return Ok(None) };
    let input = if *bridge == REFERENCES { json!([value]) } else { json!(value) };
    let answer: Value = bridges::call(bridge, &json!({ *member: input }))?;
    let result = answer.get("result").and_then(Value::as_object).cloned().unwrap_or_default();
    let valid = if *bridge == REFERENCES {
        let identifiers = result.get("references").and_then(|list| list.get(0)?.get("identifiers")?.as_array());
        let Some([only]) = identifiers.map(Vec::as_slice) else {
            return Err(Error::invalid("/task", format!("`{value}` is not one ISBN, ISSN or DOI")));
        };
        only.get("valid")
    } else {
        result.get("valid")
    };
    let valid = valid.and_then(Value::as_bool);
    let valid = valid.ok_or_else(|| Error::upstream(format!("{bridge} gave no verdict")))?;
    Ok(Some(Checked { name, valid, answer: result }))
}

/// Returns whether the last digit of a card number is right; none if it is no card number.
fn luhn(text: &str) -> Option<bool> {
    let digits: Vec<u32> =
        text.chars().filter(|c| !matches!(c, ' ' | '-')).map(|c| c.to_digit(10)).collect::<Option<_>>()?;
    let doubled = |(at, digit): (usize, &u32)| if at % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { *digit };
    (12..=19).contains(&digits.len()).then(|| digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0)
}
