//! Checks of identifiers: by bridges, and the Luhn digit of a card.

use serde_json::{Map, Value, json};
use tollbridge_sdk::{Error, bridges};

/// An identifier that can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    Iban,
    Vat,
    Email,
    Card,
    Reference,
}

/// The answer of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    pub name: &'static str,
    pub valid: bool,
    pub answer: Map<String, Value>,
}

impl Check {
    /// Returns the check of a clause.
    pub fn of(clause: &str) -> Option<Self> {
        Some(match clause {
            "iban" => Self::Iban,
            "vatid" => Self::Vat,
            "email" => Self::Email,
            "card" => Self::Card,
            "isbn" | "doi" => Self::Reference,
            _ => return None,
        })
    }

    /// Checks a value.
    ///
    /// # Errors
    /// A value in which the bridge finds no identifier, or several.
    pub fn run(self, value: &str) -> Result<Checked, Error> {
        let (name, bridge, input) = match self {
            Self::Iban => ("IBAN", "iban_validation", json!({ "iban": value })),
            Self::Vat => ("VAT number", "vat_number_check", json!({ "vat_number": value })),
            Self::Email => ("e-mail address", "email_verification", json!({ "email": value })),
            Self::Reference => ("identifier", "citation_check", json!({ "references": [value] })),
            Self::Card => {
                let valid = luhn(value).ok_or_else(|| Error::invalid("/task", "a card number has 12 to 19 digits"))?;
                let answer = Map::from_iter([("valid".to_owned(), json!(valid)), ("check".to_owned(), json!("Luhn"))]);
                return Ok(Checked { name: "card number", valid, answer });
            }
        };
        let answer: Map<String, Value> = bridges::call(bridge, &input)?;
        let result = answer.get("result").and_then(Value::as_object).cloned().unwrap_or_default();
        let valid = match self {
            Self::Reference => {
                let identifiers = result.get("references").and_then(|list| list.get(0)?.get("identifiers")?.as_array());
                match identifiers.map(Vec::as_slice) {
                    Some([only]) => only.get("valid").and_then(Value::as_bool),
                    _ => return Err(Error::invalid("/task", format!("`{value}` is not one ISBN, ISSN or DOI"))),
                }
            }
            _ => result.get("valid").and_then(Value::as_bool),
        };
        let valid = valid.ok_or_else(|| Error::upstream(format!("{bridge} gave no verdict")))?;
        Ok(Checked { name, valid, answer: result })
    }
}

/// Returns whether the last digit of a card number is right; none if it is no card number.
fn luhn(text: &str) -> Option<bool> {
    let digits: Vec<u32> =
        text.chars().filter(|c| !matches!(c, ' ' | '-')).map(|c| c.to_digit(10)).collect::<Option<_>>()?;
    let doubled = |(at, digit): (usize, &u32)| if at % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { *digit };
    (12..=19).contains(&digits.len()).then(|| digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luhn_digits() {
        assert_eq!(luhn("4111 1111 1111 1111"), Some(true));
        assert_eq!(luhn("4111-1111-1111-1112"), Some(false));
        assert_eq!((luhn("4111"), luhn("4111 1111 1111 111x")), (None, None));
    }
}
