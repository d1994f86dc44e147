//! Words of requests that ask for nothing.

use super::plain_english as english;
use super::plain_foreign as foreign;

/// What an apostrophe leaves.
const FRAGMENTS: &[&str] = &["s", "t", "m", "re", "ve"];

/// Units of weight and money.
const UNITS: &[&str] = &["kg", "eur", "euro", "euros", "usd", "gbp", "dollars", "pounds", "chf"];

/// Whether a word asks for nothing.
pub fn is_plain(word: &str) -> bool {
    let all = [
        english::COMBINING,
        english::GRAMMAR,
        english::TELLING,
        foreign::GERMAN,
        foreign::ROMANCE,
        foreign::DUTCH,
        FRAGMENTS,
        UNITS,
    ];
    all.iter().any(|list| list.contains(&word))
}
