//! The shape of a text: which places are digits, capitals and small letters.

/// `AB-1234` is `AA-9999`, small letters are `a`.
pub(crate) fn shape(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            _ if c.is_ascii_digit() => '9',
            _ if c.is_uppercase() => 'A',
            _ if c.is_alphabetic() => 'a',
            _ => c,
        })
        .collect()
}
