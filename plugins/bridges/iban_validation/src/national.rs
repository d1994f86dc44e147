//! National check digits inside the BBAN, where the rule of a country is published.
//!
//! Invariant: a rule is asked only about a BBAN that has the structure of its country, and answers for any text.

use bridge_common::luhn;
use schemars::JsonSchema;
use serde::Serialize;

/// What came of the national check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The digits agree.
    Passed,
    /// They do not.
    Failed,
    /// This country has no such digits, or their rule is not known here.
    NoRule,
    /// Not checked, because the structure is wrong.
    NotChecked,
}

/// A rule: its name, and whether a BBAN keeps it.
pub type Rule = (&'static str, fn(&str) -> bool);

/// The rule of a country.
pub fn rule(country: &str) -> Option<Rule> {
    Some(match country {
        "BA" | "ME" | "MK" | "PT" | "RS" | "SI" | "TL" => {
            ("ISO 7064 mod 97-10 over the whole BBAN", |bban| mod97(bban) == 1)
        }
        "BE" => ("first ten digits mod 97, 97 for 0", |bban| tail(bban, 2, |n| if n == 0 { 97 } else { n })),
        "TN" | "MR" => ("97 less the digits before, with 00 added, mod 97", |bban| {
            tail_of(bban, 2, |head| 97u32.saturating_sub(mod97(&format!("{head}00"))))
        }),
        "FR" | "MC" => ("clé RIB: 97 less weighted bank, branch and account mod 97", french),
        "ES" => ("two digits, each weighted mod 11", spanish),
        "IT" | "SM" => ("CIN: letter from the sum of tabled values mod 26", italian),
        "NO" => ("last digit weighted mod 11", norwegian),
        "FI" => ("Luhn", luhn::is_valid),
        "EE" => ("7-3-1 weights mod 10", |bban| {
            weighted(bban, 2..15, &[7, 1, 3]).is_some_and(|sum| complement(sum, 10) == digit(bban, 15))
        }),
        "PL" => ("eighth digit, weights 3-9-7-1 mod 10", |bban| {
            weighted(bban, 0..7, &[3, 9, 7, 1]).is_some_and(|sum| complement(sum, 10) == digit(bban, 7))
        }),
        "HU" => ("eighth and last digit, weights 9-7-3-1 mod 10", hungarian),
        "HR" => ("ISO 7064 mod 11,10 for bank and for account", |bban| hybrid(bban, 0..7) && hybrid(bban, 7..17)),
        "CZ" | "SK" => ("prefix and account each weighted 0 mod 11", czech),
        "IS" => ("ninth digit of the holder's kennitala, mod 11", |bban| {
            let sum = weighted(bban, 12..20, &[3, 2, 7, 6, 5, 4, 3, 2]);
            sum.is_some_and(|sum| complement(sum, 11) == digit(bban, 20))
        }),
        _ => return None,
    })
}

/// A text of letters (A = 10 … Z = 35) and digits as a number, mod 97.
pub fn mod97(text: &str) -> u32 {
    text.chars().fold(0u32, |rest, letter| match letter.to_digit(36) {
        Some(value) if value > 9 => (rest * 100 + value) % 97,
        Some(value) => (rest * 10 + value) % 97,
        None => rest,
    })
}

fn digit(text: &str, place: usize) -> Option<u32> {
    text.get(place..)?.chars().next()?.to_digit(10)
}

/// What must be added to `sum` to make it 0.
fn complement(sum: u32, modulus: u32) -> Option<u32> {
    Some((modulus - sum % modulus) % modulus)
}

/// Digits of a range times weights, which repeat.
fn weighted(text: &str, range: std::ops::Range<usize>, weights: &[u32]) -> Option<u32> {
    let digits = text.get(range)?.chars().map(|letter| letter.to_digit(10));
    digits.zip(weights.iter().cycle()).map(|(value, weight)| Some(value? * weight)).sum()
}

/// The last `count` digits are made from the number before them, mod 97.
fn tail(bban: &str, count: usize, make: fn(u32) -> u32) -> bool {
    tail_of(bban, count, |head| make(mod97(head)))
}

fn tail_of(bban: &str, count: usize, make: impl Fn(&str) -> u32) -> bool {
    let Some((head, last)) = bban.len().checked_sub(count).and_then(|at| bban.split_at_checked(at)) else {
        return false;
    };
    last.parse() == Ok(make(head))
}

/// Letters count as digits: A and J are 1, B, K and S are 2, and so on.
fn french(bban: &str) -> bool {
    let plain = |letter: char| match letter.to_digit(36) {
        Some(value @ 10..=27) => (value - 10) % 9 + 1,
        Some(value @ 28..) => value - 26,
        value => value.unwrap_or(0),
    };
    let number = |from, to| {
        bban.get(from..to)
            .unwrap_or_default()
            .chars()
            .fold(0u64, |sum, letter| (sum * 10 + u64::from(plain(letter))) % 97)
    };
    let sum = 89 * number(0, 5) + 15 * number(5, 10) + 3 * number(10, 21);
    bban.get(21..23).and_then(|key| key.parse().ok()) == Some(97 - sum % 97)
}

fn spanish(bban: &str) -> bool {
    let key = |sum: Option<u32>| sum.map(|sum| [0, 1].get((sum % 11) as usize).copied().unwrap_or(11 - sum % 11));
    let bank = key(weighted(bban, 0..8, &[4, 8, 5, 10, 9, 7, 3, 6]));
    let account = key(weighted(bban, 10..20, &[1, 2, 4, 8, 5, 10, 9, 7, 3, 6]));
    bank.is_some() && bank == digit(bban, 8) && account.is_some() && account == digit(bban, 9)
}

/// What a letter or digit in an odd place counts in the Italian CIN.
const ODD: [u32; 26] = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

fn italian(bban: &str) -> bool {
    let mut letters = bban.chars();
    let cin = letters.next();
    let value = |letter: char| letter.to_digit(36).map_or(0, |value| if value > 9 { value - 10 } else { value });
    let sum: u32 = letters
        .enumerate()
        .map(|(place, letter)| match place % 2 {
            0 => ODD.get(value(letter) as usize).copied().unwrap_or(0),
            _ => value(letter),
        })
        .sum();
    cin.and_then(|cin| cin.to_digit(36)) == Some(sum % 26 + 10)
}

/// Accounts that begin with 00 may leave the bank out of the sum.
fn norwegian(bban: &str) -> bool {
    let fits = |sum: Option<u32>| sum.is_some_and(|sum| complement(sum, 11) == digit(bban, 10));
    fits(weighted(bban, 0..10, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]))
        || (bban.get(4..6) == Some("00") && fits(weighted(bban, 6..10, &[5, 4, 3, 2])))
}

/// A short account ends in eight zeros and has its digit before them.
fn hungarian(bban: &str) -> bool {
    let fits = |from: usize, last: usize| {
        weighted(bban, from..last, &[9, 7, 3, 1]).is_some_and(|sum| complement(sum, 10) == digit(bban, last))
    };
    fits(0, 7) && if bban.ends_with("00000000") { fits(8, 15) } else { fits(8, 23) }
}

/// ISO 7064 mod 11,10: the last digit of the range is the check digit.
fn hybrid(bban: &str, range: std::ops::Range<usize>) -> bool {
    let mut product = 10u32;
    for letter in bban.get(range.start..range.end.saturating_sub(1)).unwrap_or_default().chars() {
        let sum = (product + letter.to_digit(10).unwrap_or(0)) % 10;
        product = if sum == 0 { 10 } else { sum } * 2 % 11;
    }
    digit(bban, range.end.saturating_sub(1)) == Some((11 - product) % 10)
}

fn czech(bban: &str) -> bool {
    let zero = |sum: Option<u32>| sum.is_some_and(|sum| sum % 11 == 0);
    zero(weighted(bban, 4..10, &[10, 5, 8, 4, 2, 1])) && zero(weighted(bban, 10..20, &[6, 3, 7, 9, 10, 5, 8, 4, 2, 1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IBANs of the tests of schwifty (github.com/mdomke/schwifty, tests/test_iban.py), which mostly are the examples
    /// of the SWIFT registry, and others that schwifty 2026.10.1 made.
    const GOOD: &str = include_str!("../data/known_good.txt");

    #[test]
    fn published_ibans_keep_the_rule_of_their_country() {
        let mut seen = std::collections::BTreeSet::new();
        for iban in GOOD.lines() {
            let Some((name, keeps)) = rule(&iban[..2]) else { continue };
            assert!(keeps(&iban[4..]), "{iban} {name}");
            seen.insert(&iban[..2]);
        }
        assert_eq!(seen.len(), 24, "{seen:?}");
    }

    #[test]
    fn a_changed_digit_breaks_the_rule() {
        let mut changed = std::collections::BTreeSet::new();
        for iban in GOOD.lines() {
            let Some((name, keeps)) = rule(&iban[..2]) else { continue };
            // Prefixes and other fields that the rule leaves out may change; each rule covers the last field.
            let last = iban.rfind(|c: char| c.is_ascii_digit() && c != '0').unwrap();
            if matches!(&iban[..2], "PL" | "IS") || (&iban[..2] == "HU" && iban.ends_with("00000000")) {
                continue;
            }
            let mut other = iban[4..].to_owned();
            let digit = other.as_bytes()[last - 4] - b'0';
            other.replace_range(last - 4..last - 3, &((digit + 1) % 10).to_string());
            assert!(!keeps(&other), "{iban} {other} {name}");
            changed.insert(&iban[..2]);
        }
        assert_eq!(changed.len(), 21, "{changed:?}");
    }
}
