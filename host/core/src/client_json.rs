//! Parses JSON from clients with JSON Schema's notion of integers.
//!
//! JSON Schema counts `1.0` and `1e2` as integers; Rust integer types reject them.
//! Numbers without a fraction are therefore rewritten as integers before parsing.

use std::borrow::Cow;

use memchr::memchr2;
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;

/// The largest integer that every JSON reader represents exactly (RFC 8259);
/// larger numbers are left unchanged.
const WHOLE_MAX: f64 = 9_007_199_254_740_991.0;

/// Parses JSON from a client.
///
/// # Errors
/// The text is not JSON, or does not match `T`.
pub fn read<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(&with_whole_numbers(text))
}

/// Returns the JSON pointer to the member that does not fit `T`, or to a missing member.
/// Empty if the whole value does not fit or the text is not JSON.
#[must_use]
pub fn wrong_member<T: DeserializeOwned>(text: &[u8]) -> String {
    let text = with_whole_numbers(text);
    let mut reader = serde_json::Deserializer::from_slice(&text);
    let Err(error) = serde_path_to_error::deserialize::<_, T>(&mut reader) else { return String::new() };
    if !error.inner().is_data() {
        return String::new();
    }
    let steps = error.path().iter().map(|step| match step {
        Segment::Seq { index } => index.to_string(),
        Segment::Map { key } => key.replace('~', "~0").replace('/', "~1"),
        Segment::Enum { variant } => variant.clone(),
        Segment::Unknown => "?".to_owned(),
    });
    let mut pointer: String = steps.map(|step| format!("/{step}")).collect();
    let why = error.inner().to_string();
    if let Some((name, _)) = why.strip_prefix("missing field `").and_then(|rest| rest.split_once('`')) {
        pointer.extend(["/", name]);
    }
    pointer
}

/// Returns the JSON with `1.0` rewritten as `1`. Invalid JSON stays invalid.
#[must_use]
pub fn with_whole_numbers(text: &[u8]) -> Cow<'_, [u8]> {
    let mut written: Vec<u8> = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(byte) = text.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        let length = match byte {
            b'"' => string_length(rest),
            b'-' | b'0'..=b'9' => rest.iter().take_while(|byte| is_of_number(**byte)).count(),
            _ => 1,
        };
        let end = at.saturating_add(length);
        if *byte != b'"'
            && let Some(whole) = text.get(at..end).and_then(whole)
        {
            written.extend_from_slice(text.get(copied..at).unwrap_or_default());
            written.extend_from_slice(whole.as_bytes());
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    written.extend_from_slice(text.get(copied..).unwrap_or_default());
    Cow::Owned(written)
}

/// The length in bytes of the string at the start of `text`, including its quotes.
fn string_length(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = text.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at = at.saturating_add(found);
        if text.get(at) == Some(&b'"') {
            return at.saturating_add(1);
        }
        // Skip the escaped character, which never ends the string.
        at = at.saturating_add(2);
    }
    text.len()
}

const fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Returns a number such as `1.0` or `1e2` as an integer; `None` if it has a fraction or
/// is already written as an integer.
fn whole(number: &[u8]) -> Option<String> {
    if number != b"-0" && !number.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        return None;
    }
    serde_json::from_slice::<f64>(number).ok()?;
    // The JSON reader may be off by a unit in the last place; Rust's own float
    // parser is exact.
    let value: f64 = std::str::from_utf8(number).ok()?.parse().ok()?;
    // Integers have no negative zero, so write `-0` as `0`.
    let value = if value == 0.0 { 0.0 } else { value };
    (value.fract() == 0.0 && value.abs() <= WHOLE_MAX).then(|| format!("{value:.0}"))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    fn written(text: &str) -> String {
        String::from_utf8(with_whole_numbers(text.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn a_number_without_a_fraction_is_a_whole_one() {
        #[derive(Deserialize)]
        struct Body {
            count: u32,
            share: f64,
        }
        let body: Body = read(br#"{"count": 1e2, "share": 3.0}"#).unwrap();
        assert_eq!((body.count, body.share), (100, 3.0));
        assert!(serde_json::from_str::<Body>(r#"{"count": 1.0, "share": 1}"#).is_err());
        for (sent, expect) in [
            ("[1.0,-2.00 , 0.5e1]", "[1,-2 , 5]"),
            ("[-0.0, -0, 0e9]", "[0, 0, 0]"),
            ("9007199254740991.0", "9007199254740991"),
            ("1.0", "1"),
        ] {
            assert_eq!(written(sent), expect, "{sent}");
        }
    }

    #[test]
    fn the_wrong_member_is_named() {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Body {
            #[serde(rename = "a/b")]
            _list: Vec<u8>,
            _name: Option<String>,
        }
        let wrong = |text: &str| wrong_member::<Body>(text.as_bytes());
        assert_eq!(wrong(r#"{"a/b": [1, 2.0]}"#), "");
        assert_eq!(wrong(r#"{"a/b": [1, "x"]}"#), "/a~1b/1");
        assert_eq!(wrong(r#"{"a/b": [], "_name": 7}"#), "/_name");
        assert_eq!(wrong(r#"{"_name": null}"#), "/a/b", "missing");
        assert_eq!(wrong(r#"{"a/b": [], "other": 1}"#), "/other");
        assert_eq!(wrong("{"), "");
        assert_eq!(wrong("7"), "");
    }

    #[test]
    fn everything_else_stays() {
        for same in [
            "{\"1.0\":\"2.0 \\\" 3.0\",\"a\":\"\\\\\"}",
            "[1.5, -0.1, 1, 1e300, 9007199254740993.0, 1e-2]",
            "[01.0, 1., 1.0.0, 1e, --1.0]",
            "\"1.0",
            "\"\\",
            "",
            "{",
        ] {
            assert_eq!(written(same), same);
        }
    }

    #[test]
    fn valid_json_keeps_its_meaning_and_invalid_json_stays_invalid() {
        for text in ["[1.0.0]", "[01.0]", "[1.0 2.0]", "1.0e", "{\"a\":1.0}", "[1.0,\"\\u00e9 7.0\",2e0]", "-0"] {
            let before: Result<serde_json::Value, _> = serde_json::from_str(text);
            let after: Result<serde_json::Value, _> = read(text.as_bytes());
            assert_eq!(before.is_ok(), after.is_ok(), "{text}");
        }
    }
}
