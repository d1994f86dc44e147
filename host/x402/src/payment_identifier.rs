//! Extension `payment-identifier`: an id that a client gives its payment, so that a
//! repeat can be recognized.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value, json};

use crate::text::text_in_json;

/// Name of the extension.
const EXTENSION: &str = "payment-identifier";
/// Minimum length of an id.
const CHARS_MIN: usize = 16;
/// Maximum length of an id.
const CHARS_MAX: usize = 128;

/// An id that a client gives its payment: 16 to 128 letters, digits, `-` and `_`.
/// Untrusted: compare it only with ids of the same payer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PaymentIdentifier(String);

text_in_json!(PaymentIdentifier);

/// An invalid or missing payment identifier. The server should respond with 400.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum PaymentIdentifierError {
    #[error("`extensions.payment-identifier.info.id` is not 16 to 128 letters, digits, `-` and `_`")]
    Malformed,
    #[error("`extensions.payment-identifier.info.id` is missing; it is required here")]
    Missing,
}

impl PaymentIdentifier {
    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Declares in the `extensions` of a 402 response that payment identifiers are
    /// supported and, if `required`, mandatory.
    pub fn advertise(extensions: &mut Map<String, Value>, required: bool) {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "required": { "type": "boolean" },
                "id": { "type": "string", "minLength": CHARS_MIN, "maxLength": CHARS_MAX },
            },
            "required": ["required"],
        });
        extensions.insert(EXTENSION.to_owned(), json!({ "info": { "required": required }, "schema": schema }));
    }

    /// Returns the payment identifier in the `extensions` of a payment, if it has one.
    /// The client's own value of `required` is ignored.
    ///
    /// # Errors
    ///
    /// Fails if the identifier is malformed, or missing although `required`.
    pub fn of(extensions: &Map<String, Value>, required: bool) -> Result<Option<Self>, PaymentIdentifierError> {
        let id = extensions.get(EXTENSION).and_then(|extension| extension.get("info")).and_then(|info| info.get("id"));
        match id {
            Some(Value::String(id)) => id.parse().map(Some),
            Some(Value::Null) | None if !required => Ok(None),
            Some(Value::Null) | None => Err(PaymentIdentifierError::Missing),
            Some(_) => Err(PaymentIdentifierError::Malformed),
        }
    }
}

impl FromStr for PaymentIdentifier {
    type Err = PaymentIdentifierError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_one = (CHARS_MIN..=CHARS_MAX).contains(&text.len()) && text.bytes().all(plain);
        is_one.then(|| Self(text.to_owned())).ok_or(PaymentIdentifierError::Malformed)
    }
}

impl fmt::Display for PaymentIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extensions(id: Value) -> Map<String, Value> {
        let mut extensions = Map::new();
        PaymentIdentifier::advertise(&mut extensions, true);
        extensions[EXTENSION]["info"]["id"] = id;
        extensions
    }

    #[test]
    fn an_id_has_16_to_128_plain_characters() {
        for (length, is_one) in [(15, false), (16, true), (128, true), (129, false)] {
            let read = PaymentIdentifier::of(&extensions(json!("a".repeat(length))), true);
            assert_eq!(read.is_ok(), is_one, "{length}");
        }
        for id in [json!("pay_7d5d747be160e28 "), json!("é".repeat(16)), json!(1), json!({})] {
            assert_eq!(PaymentIdentifier::of(&extensions(id), false), Err(PaymentIdentifierError::Malformed));
        }
    }

    #[test]
    fn a_missing_id_is_an_error_where_it_is_required() {
        for none in [Map::new(), extensions(Value::Null)] {
            assert_eq!(PaymentIdentifier::of(&none, false), Ok(None));
            assert_eq!(PaymentIdentifier::of(&none, true), Err(PaymentIdentifierError::Missing));
        }
    }
}
