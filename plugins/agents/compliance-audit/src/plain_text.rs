//! Text as it is compared: small letters and digits.

/// Small letters and digits, single spaces between.
pub fn plain(text: &str) -> String {
    let letters: String = text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    letters.split_whitespace().collect::<Vec<_>>().join(" ").replace('é', "e").replace('ó', "o")
}
