//! Runs of signs that have the form of an account or of another long number. Agents use
//! them to see what a check did not cover.

use std::ops::Range;
use std::sync::LazyLock;

use regex_lite::Regex;

static IBAN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?\b").ok());
static DIGITS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[+(]?\d[\d ()/.+-]*\d").ok());

/// Returns the places of what has the form of an IBAN, whether or not its check digits are
/// right.
pub fn ibans(text: &str) -> Vec<Range<usize>> {
    IBAN.iter().flat_map(|regex| regex.find_iter(text)).map(|hit| hit.range()).collect()
}

/// Returns the places of runs with at least `least` digits; spaces, points, hyphens,
/// slashes and brackets can lie between them.
pub fn digits(text: &str, least: usize) -> Vec<Range<usize>> {
    let runs = DIGITS.iter().flat_map(|regex| regex.find_iter(text));
    let long = runs.filter(|hit| hit.as_str().bytes().filter(u8::is_ascii_digit).count() >= least);
    long.map(|hit| hit.range()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_their_places() {
        let text = "Pay GB30 NWBK 6016 1331 9268 19 today, or call (0421) 700-33 11.";
        let shown =
            |places: Vec<Range<usize>>| places.into_iter().map(|place| text[place].to_owned()).collect::<Vec<_>>();
        assert_eq!(shown(ibans(text)), ["GB30 NWBK 6016 1331 9268 19"]);
        assert_eq!(shown(digits(text, 9)), ["6016 1331 9268 19", "(0421) 700-33 11"]);
    }
}
