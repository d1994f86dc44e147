//! An untyped value as it was written; the key determines its type later.
//!
//! Numbers keep their digits as text, so that a percentage or a price never passes
//! through a float.

use std::collections::BTreeMap;
use std::fmt;

use toml::de::{DeTable, DeValue};

use super::key::quoted;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Raw {
    /// Quoted text.
    Text(String),
    /// A number: its digits as written, without underscores.
    Number(String),
    Flag(bool),
    List(Vec<Raw>),
    Table(BTreeMap<String, Raw>),
    /// Text from an environment variable or a flag, neither of which has a type.
    Words(String),
}

impl Raw {
    /// Converts a TOML value. A date becomes text, because no setting has a date as its
    /// value.
    pub(super) fn of(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(text.to_string()),
            DeValue::Integer(number) if number.radix() == 10 => Self::Number(number.as_str().to_owned()),
            DeValue::Integer(number) => Self::Number(
                u128::from_str_radix(number.as_str(), number.radix())
                    .map_or_else(|_| number.to_string(), |n| n.to_string()),
            ),
            DeValue::Float(number) => Self::Number(number.as_str().to_owned()),
            DeValue::Boolean(flag) => Self::Flag(*flag),
            DeValue::Datetime(time) => Self::Text(time.to_string()),
            DeValue::Array(items) => Self::List(items.iter().map(|item| Self::of(item.get_ref())).collect()),
            DeValue::Table(table) => {
                Self::Table(table.iter().map(|(k, v)| (k.get_ref().to_string(), Self::of(v.get_ref()))).collect())
            }
        }
    }

    /// Parses a text that contains one TOML value, such as a list in an environment
    /// variable.
    pub(super) fn parse(text: &str) -> Option<Self> {
        // A line break could add a second key to the document.
        if text.contains(['\n', '\r']) {
            return None;
        }
        let document = format!("value = {text}\n");
        let table = DeTable::parse(&document).ok()?;
        let mut values = table.get_ref().iter();
        match (values.next(), values.next()) {
            (Some((_, value)), None) => Some(Self::of(value.get_ref())),
            _ => None,
        }
    }

    /// The characters of a text or number; `None` for any other value.
    pub(super) fn scalar(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Number(text) | Self::Words(text) => Some(text),
            Self::Flag(_) | Self::List(_) | Self::Table(_) => None,
        }
    }

    /// The characters of a text; `None` for a bare number.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Words(text) => Some(text),
            _ => None,
        }
    }
}

impl fmt::Display for Raw {
    /// Formats the value as TOML on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Number(digits) => f.write_str(digits),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::to_string).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Self::Table(table) => {
                let members: Vec<String> =
                    table.iter().map(|(k, v)| format!("{} = {v}", super::key::Key::new(vec![k.clone()]))).collect();
                write!(f, "{{ {} }}", members.join(", "))
            }
            Self::Words(text) => f.write_str(&quoted(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_numbers_as_written() {
        for (text, expect) in [
            ("80.0", Raw::Number("80.0".into())),
            ("17.5", Raw::Number("17.5".into())),
            ("1_000", Raw::Number("1000".into())),
            ("0x10", Raw::Number("16".into())),
            ("\"a\"", Raw::Text("a".into())),
            ("[1, \"b\"]", Raw::List(vec![Raw::Number("1".into()), Raw::Text("b".into())])),
            ("true", Raw::Flag(true)),
        ] {
            assert_eq!(Raw::parse(text), Some(expect), "{text}");
        }
    }

    #[test]
    fn one_value_only() {
        for text in ["", "1\nother = 2", "1 2", "{", "plain words"] {
            assert_eq!(Raw::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn is_shown_as_toml_that_reads_back() {
        let value = Raw::parse(r#"[{ id = "a\"b", price = 0.15 }, { "x:y" = [true] }]"#).unwrap();
        assert_eq!(Raw::parse(&value.to_string()), Some(value));
    }
}
