//! How random a text looks.

/// Shannon entropy in bits a character; 0 for an empty text.
#[must_use]
pub fn bits(text: &str) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    for byte in text.bytes() {
        *counts.entry(byte).or_insert(0u32) += 1;
    }
    let total = text.len().max(1) as f64;
    let bits: f64 = counts.values().map(|count| f64::from(*count) / total).map(|share| -share * share.log2()).sum();
    bits.max(0.0)
}

/// How many of small letters, capitals, digits and other characters a text has.
#[must_use]
pub fn classes(text: &str) -> usize {
    let has = |test: fn(&u8) -> bool| usize::from(text.as_bytes().iter().any(test));
    let other = |byte: &u8| !byte.is_ascii_alphanumeric();
    has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase) + has(u8::is_ascii_digit) + has(other)
}

/// Whether letters could be words in camel case: what begins with a capital has three letters and more in the mean.
#[must_use]
pub fn reads_as_words(letters: &str) -> bool {
    let bytes = letters.as_bytes();
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let humps = 1 + pairs.filter(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase()).count();
    humps == 1 || bytes.len() >= 3 * humps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!((bits(""), bits("aaaa"), bits("abab"), bits("abcd")), (0.0, 0.0, 1.0, 2.0));
        assert!(reads_as_words("SomeHashKey") && reads_as_words("DATABASE") && !reads_as_words("sMvfFhpsWrB"));
        assert_eq!((classes("abc"), classes("aB1-"), classes("")), (1, 4, 0));
    }
}
