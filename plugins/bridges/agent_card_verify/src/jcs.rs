//! Canonical JSON: RFC 8785 (JCS), and the form of Python's `json.dumps` with sorted keys.
//!
//! Invariant: values are at most [`DEPTH_MAX`] deep, which the caller checks first.

use serde_json::Value;

/// Deepest nesting that is written.
pub const DEPTH_MAX: usize = 24;

/// Writes a value. `python` escapes what is not ASCII and sorts by code points; else RFC 8785.
pub fn write(value: &Value, python: bool, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => {
            let double = number.as_f64().filter(|_| !python && !number.is_i64() && !number.is_u64());
            out.push_str(&double.map_or_else(|| number.to_string(), ecmascript));
        }
        Value::String(text) => quote(text, python, out),
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write(item, python, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut keys: Vec<&String> = members.keys().collect();
            if python {
                keys.sort_unstable();
            } else {
                keys.sort_by_cached_key(|key| key.encode_utf16().collect::<Vec<u16>>());
            }
            out.push('{');
            for (place, key) in keys.into_iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                quote(key, python, out);
                out.push(':');
                write(members.get(key).unwrap_or(&Value::Null), python, out);
            }
            out.push('}');
        }
    }
}

fn quote(text: &str, python: bool, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
            _ if python && !letter.is_ascii() => {
                let mut units = [0u16; 2];
                for unit in letter.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
}

/// A number as ECMAScript writes it.
fn ecmascript(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let shortest = format!("{:e}", number.abs());
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let digits = mantissa.replace('.', "");
    let point = exponent.parse::<i32>().unwrap_or(0).saturating_add(1);
    let count = i32::try_from(digits.len()).unwrap_or(0);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let text = if (count..=21).contains(&point) {
        format!("{digits}{}", zeros(point - count))
    } else if (1..=21).contains(&point) {
        let (whole, part) = digits.split_at_checked(usize::try_from(point).unwrap_or(0)).unwrap_or((&digits, ""));
        format!("{whole}.{part}")
    } else if (-5..=0).contains(&point) {
        format!("0.{}{digits}", zeros(-point))
    } else {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
        let dot = if rest.is_empty() { "" } else { "." };
        format!("{first}{dot}{rest}e{}{}", if point > 0 { "+" } else { "-" }, (point - 1).abs())
    };
    if number < 0.0 { format!("-{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn canonical_text() {
        // Numbers and order of keys as in RFC 8785, section 3.2.
        for (number, expect) in [
            (333_333_333.333_333_3, "333333333.3333333"),
            (1e30, "1e+30"),
            (4.50, "4.5"),
            (2e-3, "0.002"),
            (1e-27, "1e-27"),
            (-1.5e-7, "-1.5e-7"),
            (1e20, "100000000000000000000"),
        ] {
            assert_eq!(ecmascript(number), expect);
        }
        let mut out = String::new();
        let value =
            json!({"\u{20ac}": "Euro", "\r": "CR", "1": "One", "\u{1f600}": "Smile", "\u{f6}": "o", "\u{fb33}": "D"});
        write(&value, false, &mut out);
        assert_eq!(
            out,
            "{\"\\r\":\"CR\",\"1\":\"One\",\"ö\":\"o\",\"€\":\"Euro\",\"😀\":\"Smile\",\"\u{fb33}\":\"D\"}"
        );
        out.clear();
        write(&json!({"a": "é😀"}), true, &mut out);
        assert_eq!(out, "{\"a\":\"\\u00e9\\ud83d\\ude00\"}");
    }
}
