//! Conversion of raw values to typed ones: the trait `Setting`, and its implementations
//! for basic types.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::raw::Raw;
use crate::excerpt::excerpt;
use crate::money::Millipence;

/// A type that a setting can have.
pub(super) trait Setting: Sized {
    /// Whether the value must never be shown.
    const SECRET: bool = false;

    /// Parses a value; the error states the value and the expected form. The
    /// configuration reader adds the prefix `KEY: `.
    fn read(raw: &Raw) -> Result<Self, String>;
}

/// Formats the error for a value that does not have the expected form.
pub(super) fn unexpected_value(raw: &Raw, expected: &str) -> String {
    let chosen = match raw {
        Raw::Table(_) => "a table".to_owned(),
        Raw::List(_) => "a list".to_owned(),
        other => excerpt(&other.to_string(), SHOWN_CHARS),
    };
    format!("{chosen} is not {expected}")
}

/// Parses a text that must be one of `choices`.
pub(super) fn one_of<T: Copy>(raw: &Raw, choices: &[(&str, T)]) -> Result<T, String> {
    let chosen = raw.text().and_then(|text| choices.iter().find(|(word, _)| *word == text));
    chosen.map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<String> = choices.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        unexpected_value(raw, &format!("one of {}", words.join(", ")))
    })
}

/// The number of characters of a wrong value that messages show: enough to find the
/// value.
const SHOWN_CHARS: usize = 60;

impl Setting for bool {
    fn read(raw: &Raw) -> Result<Self, String> {
        match raw {
            Raw::Flag(flag) => Ok(*flag),
            Raw::Words(text) if text == "true" => Ok(true),
            Raw::Words(text) if text == "false" => Ok(false),
            other => Err(unexpected_value(other, "true or false")),
        }
    }
}

impl Setting for u32 {
    fn read(raw: &Raw) -> Result<Self, String> {
        let digits = match raw {
            Raw::Number(digits) | Raw::Words(digits) => digits,
            other => return Err(unexpected_value(other, "a whole number")),
        };
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let value = if plain { digits.parse().ok() } else { None };
        value.ok_or_else(|| unexpected_value(raw, &format!("a whole number from 0 to {}", Self::MAX)))
    }
}

impl Setting for String {
    fn read(raw: &Raw) -> Result<Self, String> {
        match raw.text() {
            Some(text) if text.trim().is_empty() => Err("is empty; leave the key out instead".to_owned()),
            Some(text) if text.chars().any(char::is_control) => Err("contains a control character".to_owned()),
            Some(text) => Ok(text.to_owned()),
            None => Err(unexpected_value(raw, "text in quotes")),
        }
    }
}

impl Setting for PathBuf {
    fn read(raw: &Raw) -> Result<Self, String> {
        String::read(raw).map(Self::from)
    }
}

impl Setting for SocketAddr {
    fn read(raw: &Raw) -> Result<Self, String> {
        let parsed = raw.text().and_then(|text| text.parse().ok());
        parsed.ok_or_else(|| {
            unexpected_value(raw, "an address with a port; write it like \"127.0.0.1:8402\" or \"[::1]:8402\"")
        })
    }
}

impl Setting for Millipence {
    /// Parses an amount in pounds, quoted or as a bare number, digit by digit and without
    /// a float.
    fn read(raw: &Raw) -> Result<Self, String> {
        match raw.scalar() {
            Some(text) => text.parse().map_err(|error: crate::money::ParseAmountError| error.to_string()),
            None => Err(unexpected_value(raw, "an amount in pounds; write it like \"0.30\"")),
        }
    }
}

impl<T: Setting> Setting for Vec<T> {
    const SECRET: bool = T::SECRET;

    /// Parses a list; in an environment variable, either a TOML array or comma-separated
    /// items.
    fn read(raw: &Raw) -> Result<Self, String> {
        match raw {
            Raw::List(items) => items.iter().map(T::read).collect(),
            Raw::Words(text) => match Raw::parse(text) {
                Some(Raw::List(items)) => items.iter().map(T::read).collect(),
                _ => {
                    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                    items.map(|item| T::read(&Raw::Words(item.to_owned()))).collect()
                }
            },
            other => Err(unexpected_value(other, "a list; write it like [\"one\", \"two\"]")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Setting + PartialEq + std::fmt::Debug>(toml: &str, expect: Result<T, &str>) {
        let got = T::read(&Raw::parse(toml).unwrap());
        match expect {
            Ok(value) => assert_eq!(got, Ok(value), "{toml}"),
            Err(part) => assert!(got.as_ref().is_err_and(|e| e.contains(part)), "{toml}: {got:?}"),
        }
    }

    #[test]
    fn plain_types() {
        check("true", Ok(true));
        check::<bool>("\"true\"", Err("\"true\" is not true or false"));
        check("7", Ok(7_u32));
        check::<u32>("-1", Err("whole number"));
        check::<u32>("1.5", Err("whole number"));
        check::<u32>("4294967296", Err("from 0 to 4294967295"));
        check("\"127.0.0.1:1\"", Ok("127.0.0.1:1".parse::<SocketAddr>().unwrap()));
        check::<SocketAddr>("\"localhost:80\"", Err("127.0.0.1:8402"));
        check::<SocketAddr>("8402", Err("8402 is not an address"));
        check::<String>("\" \"", Err("empty"));
        check::<String>("\"a\\nb\"", Err("control"));
    }

    #[test]
    fn money_is_read_from_digits() {
        check("\"0.30\"", Ok(Millipence::new(30_000)));
        check("0.30", Ok(Millipence::new(30_000)));
        check("10", Ok(Millipence::new(1_000_000)));
        check::<Millipence>("0.305", Err("fraction of a penny"));
        check::<Millipence>("-1", Err("not an amount"));
        check::<Millipence>("1e2", Err("not an amount"));
        check::<Millipence>("inf", Err("not an amount"));
    }

    #[test]
    fn lists_from_variables() {
        let from = |text: &str| Vec::<u32>::read(&Raw::Words(text.to_owned()));
        assert_eq!(from("1, 2,3"), Ok(vec![1, 2, 3]));
        assert_eq!(from("[1, 2]"), Ok(vec![1, 2]));
        assert_eq!(from(""), Ok(vec![]));
        assert!(from("1,x").is_err());
    }

    #[test]
    fn long_values_are_cut() {
        let message = u32::read(&Raw::Text("é".repeat(1000))).unwrap_err();
        assert!(message.chars().count() < 100, "{message}");
    }
}
