//! Canonical JSON (RFC 8785) for the contents of records.
//!
//! Written by hand because it runs on the single writer's thread for every paid call; a
//! test compares it with a general canonicaliser.
//!
//! Invariant: every value can be written. A number that some JSON readers could not
//! represent exactly becomes a string of its digits, so that a record is always well
//! formed.

use serde_json::{Map, Value};

use crate::limits::SAFE_INTEGER_MAX;

/// Appends a value.
pub(super) fn value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => match number.as_i64() {
            Some(small) if is_safe(small) => integer(out, small),
            _ => string(out, &number.to_string()),
        },
        Value::String(text) => string(out, text),
        Value::Array(items) => {
            out.push(b'[');
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                self::value(out, item);
            }
            out.push(b']');
        }
        Value::Object(members) => object(out, members),
    }
}

/// Appends an object with its members sorted by their UTF-16 code units.
pub(super) fn object(out: &mut Vec<u8>, members: &Map<String, Value>) {
    // For ASCII names, UTF-16 order equals byte order, and most maps are already sorted
    // by bytes.
    if members.keys().all(|name| name.is_ascii()) && members.keys().is_sorted() {
        return sorted_object(out, members.iter());
    }
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_by(|(left, _), (right, _)| left.encode_utf16().cmp(right.encode_utf16()));
    sorted_object(out, sorted.into_iter());
}

fn sorted_object<'a>(out: &mut Vec<u8>, members: impl Iterator<Item = (&'a String, &'a Value)>) {
    out.push(b'{');
    for (position, (name, item)) in members.enumerate() {
        if position > 0 {
            out.push(b',');
        }
        string(out, name);
        out.push(b':');
        value(out, item);
    }
    out.push(b'}');
}

/// Appends a string in quotes with the shortest escapes.
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        let (plain, tail) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((&special, tail)) = tail.split_first() else { break };
        escape(out, special);
        rest = tail;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x09 => b't',
        0x0a => b'n',
        0x0c => b'f',
        0x0d => b'r',
        _ => {
            out.extend_from_slice(b"\\u00");
            return hex(out, &[byte]);
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Appends bytes as lower-case hex.
pub(super) fn hex(out: &mut Vec<u8>, bytes: &[u8]) {
    let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' - 10 + nibble };
    for byte in bytes {
        out.extend_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
}

/// Appends an integer in decimal.
pub(super) fn integer(out: &mut Vec<u8>, value: i64) {
    let mut digits = [0_u8; 20];
    let mut rest = value.unsigned_abs();
    let mut used = 0;
    for slot in digits.iter_mut().rev() {
        // The remainder is a single digit.
        *slot = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        used += 1;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(digits.get(digits.len() - used..).unwrap_or_default());
}

/// Returns whether every JSON reader can represent this integer exactly.
pub(super) const fn is_safe(value: i64) -> bool {
    value >= -SAFE_INTEGER_MAX && value <= SAFE_INTEGER_MAX
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn written(json: &Value) -> String {
        let mut out = Vec::new();
        value(&mut out, json);
        String::from_utf8(out).unwrap()
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let safe = -SAFE_INTEGER_MAX..=SAFE_INTEGER_MAX;
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            safe.prop_map(Value::from),
            (-20_i64..20).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            proptest::collection::vec(0_u32..0x1_0000, 0..6)
                .prop_map(|points| { Value::from(points.into_iter().filter_map(char::from_u32).collect::<String>()) }),
        ];
        let name = prop_oneof![any::<String>(), "[a-z_]{1,8}", "[\u{e000}-\u{ffff}\u{10000}-\u{10fff}]{1,2}"];
        leaf.prop_recursive(4, 40, 6, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                proptest::collection::vec((name.clone(), inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn equals_the_general_canonicaliser(json in any_json()) {
            prop_assert_eq!(written(&json), serde_json_canonicalizer::to_string(&json).unwrap());
        }
    }

    #[test]
    fn numbers_that_are_not_exact_become_text() {
        for (json, expect) in [
            (json!(0), "0"),
            (json!(-7), "-7"),
            (json!(9_007_199_254_740_991_i64), "9007199254740991"),
            (json!(9_007_199_254_740_992_i64), "\"9007199254740992\""),
            (json!(i64::MIN), "\"-9223372036854775808\""),
            (json!(u64::MAX), "\"18446744073709551615\""),
            (json!(1.5), "\"1.5\""),
            (json!(-0.0), "\"-0.0\""),
            (json!({"b": 1, "a": "\u{1}\u{7f}\"\\\n"}), "{\"a\":\"\\u0001\u{7f}\\\"\\\\\\n\",\"b\":1}"),
        ] {
            assert_eq!(written(&json), expect);
        }
    }
}
