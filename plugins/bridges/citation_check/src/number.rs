//! Numbers with check digits: ISBN (ISO 2108), ISSN (ISO 3297), ORCID (ISO 7064 mod 11-2).
//!
//! Invariant: functions take what they call digits as plain text of digits and, last, perhaps an X; anything else has
//! no check digit.

use bridge_common::{Source, source};
use tollbridge_sdk::Error;

const RANGES: &str = include_str!("../data/isbn.txt");
const SOURCES: &str = include_str!("../data/sources.json");

/// The sources of the ISBN ranges.
pub fn sources() -> Result<Vec<Source>, Error> {
    source::listed(SOURCES)
}

/// Digits and X of a written number, in capitals.
pub fn compact(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_digit() || matches!(c, 'x' | 'X')).map(|c| c.to_ascii_uppercase()).collect()
}

/// The check digit that the first digits of an ISBN-13 (12), ISBN-10 (9) or ISSN (7) ask for.
pub fn check_digit(body: &str) -> Option<char> {
    let digits: Option<Vec<u32>> = body.chars().map(|c| c.to_digit(10)).collect();
    let digits = digits?;
    if digits.len() == 12 {
        let sum: u32 = digits.iter().enumerate().map(|(place, d)| if place % 2 == 0 { *d } else { d * 3 }).sum();
        return char::from_digit((10 - sum % 10) % 10, 10);
    }
    if !matches!(digits.len(), 7 | 9) {
        return None;
    }
    let sum: u32 = digits.iter().rev().zip(2u32..).map(|(d, weight)| d * weight).sum();
    eleven((11 - sum % 11) % 11)
}

/// The check digit of the first 15 digits of an ORCID.
pub fn orcid_digit(body: &str) -> Option<char> {
    let digits: Option<Vec<u32>> = body.chars().map(|c| c.to_digit(10)).collect();
    let digits = digits.filter(|digits| digits.len() == 15)?;
    let total = digits.iter().fold(0u32, |total, d| (total + d) * 2 % 11);
    eleven((12 - total) % 11)
}

fn eleven(value: u32) -> Option<char> {
    if value == 10 { Some('X') } else { char::from_digit(value, 10) }
}

/// The check digit that a whole number should have, if it is another one.
pub fn wrong_digit(number: &str, right: fn(&str) -> Option<char>) -> Option<char> {
    let body = number.get(..number.len().checked_sub(1)?)?;
    right(body).filter(|digit| !number.ends_with(*digit))
}

/// The same book's ISBN-13 of an ISBN-10.
pub fn isbn13(isbn10: &str) -> Option<String> {
    let body = format!("978{}", isbn10.get(..9)?);
    Some(format!("{body}{}", check_digit(&body)?))
}

/// The same book's ISBN-10 of an ISBN-13 that begins with 978.
pub fn isbn10(isbn13: &str) -> Option<String> {
    let body = isbn13.strip_prefix("978")?.get(..9)?;
    Some(format!("{body}{}", check_digit(body)?))
}

/// An ISBN-13 with hyphens between its parts, and the name of its group.
pub fn hyphenated(isbn: &str) -> Option<(String, &'static str)> {
    let (prefix, rest) = isbn.split_at_checked(3).filter(|_| isbn.len() == 13)?;
    for line in RANGES.lines() {
        let mut cells = line.split('\t');
        let (key, name, ranges) = (cells.next()?, cells.next()?, cells.next()?);
        let Some(group) = key.strip_prefix(prefix).and_then(|key| key.strip_prefix('-')) else { continue };
        let Some(body) = rest.strip_prefix(group) else { continue };
        for (low, high) in ranges.split(' ').filter_map(|range| range.split_once('-')) {
            let Some(registrant) = body.get(..low.len()) else { continue };
            if (low..=high).contains(&registrant) {
                let (title, check) =
                    body.get(low.len()..)?.split_at_checked(9usize.checked_sub(group.len() + low.len())?)?;
                return Some((format!("{prefix}-{group}-{registrant}-{title}-{check}"), name));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_numbers() {
        // Used as examples in many places; each agrees with its check digit by the rule of the standard.
        for isbn in ["9783161484100", "0306406152", "9780306406157", "080442957X", "9780393040029"] {
            assert_eq!(wrong_digit(isbn, check_digit), None, "{isbn}");
        }
        for issn in ["03785955", "20493630", "2434561X"] {
            assert_eq!(wrong_digit(issn, check_digit), None, "{issn}");
        }
        for orcid in ["0000000218250097", "000000021694233X", "0000000151093700"] {
            assert_eq!(wrong_digit(orcid, orcid_digit), None, "{orcid}");
        }
        assert_eq!(wrong_digit("9783161484101", check_digit), Some('0'));
        assert_eq!(isbn13("0306406152").as_deref(), Some("9780306406157"));
        assert_eq!(isbn10("9780306406157").as_deref(), Some("0306406152"));
        assert_eq!(isbn10("9791090636071"), None);
    }

    #[test]
    fn hyphens_by_range() {
        for (isbn, expect) in [
            ("9783161484100", Some(("978-3-16-148410-0", "German language"))),
            ("9780306406157", Some(("978-0-306-40615-7", "English language"))),
            ("9791090636071", Some(("979-10-90636-07-1", "France"))),
            ("9770000000000", None),
            ("978", None),
        ] {
            let got = hyphenated(isbn);
            assert_eq!(got.as_ref().map(|(text, name)| (text.as_str(), *name)), expect, "{isbn}");
        }
        assert!(RANGES.lines().all(|line| line.split('\t').count() == 3));
        assert_eq!(sources().unwrap().len(), 1);
    }
}
