//! Parameters of an authentication challenge (RFC 9110, 11.2).

use std::collections::BTreeMap;

/// An error of parsing or writing the parameters of a challenge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParamsError {
    #[error("the header does not begin with `Payment` and a parameter")]
    NotPayment,
    #[error("the parameters are not written `name=\"value\"`, with commas between them")]
    Malformed,
    #[error("the parameter `{0}` occurs twice")]
    Twice(String),
}

/// Writes a text as a quoted string. Non-ASCII characters become `\uXXXX`, as in the
/// libraries of the draft's authors; other libraries show the escape as it is.
///
/// Returns `None` if the text has control characters, which are not allowed in a header.
pub(crate) fn quoted(value: &str) -> Option<String> {
    let mut text = String::with_capacity(value.len().saturating_add(2));
    text.push('"');
    if value.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\') {
        text.extend([value, "\""]);
        return Some(text);
    }
    for character in value.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            ' '..='~' => text.push(character),
            _ if character.is_ascii_control() => return None,
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    text.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    text.push('"');
    Some(text)
}

/// Parses the parameters of one `Payment` challenge into a map with lower-case names.
pub(crate) fn read(text: &str) -> Result<BTreeMap<String, String>, ParamsError> {
    let (scheme, mut rest) = text.trim().split_once(' ').ok_or(ParamsError::NotPayment)?;
    if !scheme.eq_ignore_ascii_case("payment") {
        return Err(ParamsError::NotPayment);
    }
    let mut params = BTreeMap::new();
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        if rest.is_empty() {
            return Ok(params);
        }
        let (name, value) = rest.split_once('=').ok_or(ParamsError::Malformed)?;
        let name = name.trim_end().to_ascii_lowercase();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(plain) {
            return Err(ParamsError::Malformed);
        }
        let (value, after) = value_of(value.trim_start()).ok_or(ParamsError::Malformed)?;
        if !after.trim_start().is_empty() && !after.trim_start().starts_with(',') {
            return Err(ParamsError::Malformed);
        }
        if params.insert(name.clone(), value).is_some() {
            return Err(ParamsError::Twice(tollbridge_core::excerpt::excerpt(&name, 60)));
        }
        rest = after;
    }
}

/// Parses a quoted or unquoted value; returns the value and the rest of the text.
fn value_of(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ' ', '\t']).unwrap_or(text.len());
        let (value, after) = text.split_at_checked(end)?;
        return (!value.is_empty()).then(|| (value.to_owned(), after));
    };
    let mut units: Vec<u16> = Vec::new();
    let mut rest = quoted;
    loop {
        let mut characters = rest.chars();
        match characters.next()? {
            '"' => return Some((String::from_utf16_lossy(&units), characters.as_str())),
            '\\' => {
                let escaped = characters.next()?;
                let unit = characters.as_str().get(..4).filter(|_| escaped == 'u').and_then(hex_unit);
                match unit {
                    Some(unit) => {
                        units.push(unit);
                        rest = characters.as_str().get(4..)?;
                        continue;
                    }
                    None => units.extend(escaped.encode_utf16(&mut [0; 2]).iter()),
                }
            }
            character => units.extend(character.encode_utf16(&mut [0; 2]).iter()),
        }
        rest = characters.as_str();
    }
}

fn hex_unit(digits: &str) -> Option<u16> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parameters_are_read_as_rfc_9110_writes_them() {
        let params = read("payment  ID = \"a\" ,realm=b,, x=\"q\\\"\\\\\\u2014\"").unwrap();
        let pairs: Vec<(&str, &str)> = params.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("id", "a"), ("realm", "b"), ("x", "q\"\\—")]);
        for text in ["", "Payment", "Bearer a=\"b\"", "PaymentX a=\"b\""] {
            assert_eq!(read(text), Err(ParamsError::NotPayment), "{text}");
        }
        for text in ["Payment a", "Payment a=\"b", "Payment a=\"b\"c", "Payment =b", "Payment a=", "Payment a=\"\\"] {
            assert_eq!(read(text), Err(ParamsError::Malformed), "{text}");
        }
        assert_eq!(read("Payment a=1, A=2"), Err(ParamsError::Twice("a".to_owned())));
    }

    proptest! {
        #[test]
        fn quoted_values_are_parsed(value in "\\PC*") {
            let text = quoted(&value).unwrap();
            prop_assert!(text.is_ascii());
            prop_assert_eq!(&read(&format!("Payment a={text}")).unwrap()["a"], &value);
        }

        #[test]
        fn no_text_panics(text in "(Payment )?[\\PC\"\\\\=,u0-9]*") {
            let _ = read(&text);
        }
    }
}
