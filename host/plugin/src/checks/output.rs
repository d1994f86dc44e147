//! Checks that a plugin's output is the text of a JSON object.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use tollbridge_core::limits::JSON_DEPTH_MAX;

/// Checks that a text is one JSON object of bounded depth that every JSON parser reads the same
/// way. Does not build values.
pub(crate) fn check(body: &[u8]) -> Result<(), String> {
    let mut parser = serde_json::Deserializer::from_str(object(body)?);
    Check { depth: 0 }.deserialize(&mut parser).and_then(|()| parser.end()).map_err(not_json)
}

/// Parses a plugin's output into a JSON value.
pub(crate) fn read(body: &[u8]) -> Result<Value, String> {
    let value = serde_json::from_str(object(body)?).map_err(not_json)?;
    if is_deeper(&value, JSON_DEPTH_MAX) {
        return Err(not_json(format_args!("it is nested deeper than {JSON_DEPTH_MAX}")));
    }
    Ok(value)
}

fn object(body: &[u8]) -> Result<&str, String> {
    let text = std::str::from_utf8(body).map_err(|_| "the output is not UTF-8".to_owned())?;
    if text.trim_ascii_start().as_bytes().first() != Some(&b'{') {
        return Err("the output is not a JSON object".to_owned());
    }
    Ok(text)
}

/// Describes a parse error by category, line and column only; the full message would repeat the
/// output.
fn not_json(why: impl fmt::Display) -> String {
    format!("the output is not valid JSON: {why}")
}

/// Returns whether a value is nested more than `left` levels deep. The recursion is bounded:
/// serde_json parses at most 128 levels.
fn is_deeper(value: &Value, left: usize) -> bool {
    match (value, left.checked_sub(1)) {
        (Value::Array(items), Some(left)) => items.iter().any(|value| is_deeper(value, left)),
        (Value::Object(members), Some(left)) => members.values().any(|value| is_deeper(value, left)),
        (Value::Array(items), None) => !items.is_empty(),
        (Value::Object(members), None) => !members.is_empty(),
        _ => false,
    }
}

struct Check {
    depth: usize,
}

impl Check {
    fn deeper<E: Error>(&self) -> Result<Self, E> {
        let depth = self.depth.saturating_add(1);
        if depth > JSON_DEPTH_MAX {
            return Err(E::custom(format_args!("it is nested deeper than {JSON_DEPTH_MAX}")));
        }
        Ok(Self { depth })
    }
}

impl<'de> DeserializeSeed<'de> for Check {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Check {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self.deeper()?)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while members.next_key_seed(Check { depth: 0 })?.is_some() {
            members.next_value_seed(self.deeper()?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_answers() {
        for text in ["{}", " {\"a\": [1, -2, 0.5e3, \"\\u00e9\", null, true, {\"b\": {}}]}\n"] {
            assert_eq!(check(text.as_bytes()), Ok(()), "{text}");
            assert_eq!(read(text.as_bytes()), Ok(serde_json::from_str(text).unwrap()), "{text}");
        }
    }

    #[test]
    fn everything_else_is_not() {
        for text in [
            "",
            "null",
            "[]",
            "\"x\"",
            "1",
            "{",
            "{}{}",
            "{} x",
            "{\"a\"}",
            "{a:1}",
            "{\"a\":1,}",
            "{\"a\":01}",
            "{\"a\":1e999}",
            "{\"a\":NaN}",
            "{\"a\":\"\\ud800\"}",
            "{\"a\":\"\n\"}",
            "\u{feff}{}",
        ] {
            assert!(check(text.as_bytes()).is_err(), "{text}");
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(check(b"{\"a\":\"\xff\"}").is_err());
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(check(nested(JSON_DEPTH_MAX - 1).as_bytes()), Ok(()));
        assert!(read(nested(JSON_DEPTH_MAX - 1).as_bytes()).is_ok());
        for depth in [JSON_DEPTH_MAX + 1, 200, 100_000] {
            assert!(check(nested(depth).as_bytes()).is_err(), "{depth}");
            assert!(read(nested(depth).as_bytes()).is_err(), "{depth}");
        }
    }

    proptest::proptest! {
        #[test]
        fn agrees_with_a_full_parser(text in "[{}\\[\\]\",:0-9a\\\\u.eE-]{0,20}") {
            let parsed = serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|value| value.is_object());
            proptest::prop_assert_eq!(check(text.as_bytes()).is_ok(), parsed, "{}", text);
            proptest::prop_assert_eq!(read(text.as_bytes()).is_ok(), parsed, "{}", text);
        }
    }
}
