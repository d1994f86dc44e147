//! IBANs and payment cards.

use crate::detection::{Detection, Group, free, near};
use crate::input::Kind;
use crate::patterns::Patterns;

const CARDS: &str = include_str!("../data/cards.tsv");
const IBANS: &str = include_str!("../data/iban.tsv");

/// Cards are written in at most so many groups of digits (4-4-4-4-3).
const MOST_GROUPS: usize = 6;
/// Words that say that a number is a card's.
const CARD_WORDS: [&str; 9] = ["card", "credit", "debit", "visa", "mastercard", "amex", "maestro", "cvv", "cc "];

/// IBANs with the length of their country and a right check number.
pub fn ibans(text: &str, patterns: &Patterns) -> Vec<Detection> {
    let mut spans = Vec::new();
    for start in patterns.iban.find_iter(text).map(|hit| hit.start()) {
        let country = text.get(start..start.saturating_add(2)).unwrap_or_default().to_ascii_uppercase();
        let length = IBANS.lines().find_map(|line| {
            let mut cells = line.split('\t');
            (cells.next() == Some(country.as_str())).then(|| cells.next()?.parse::<usize>().ok())?
        });
        let Some((end, value)) = length.and_then(|length| take(text, start, length)) else { continue };
        if free(text, start, end) && mod_97(&value) {
            spans.push(Detection { start, end, kind: Kind::Iban, evidence: "checksum" });
        }
    }
    spans
}

/// So many letters and digits from a place on, with single spaces or hyphens between them.
fn take(text: &str, start: usize, count: usize) -> Option<(usize, String)> {
    let mut value = String::new();
    let mut gap = false;
    for (at, sign) in text.get(start..)?.char_indices() {
        if sign.is_ascii_alphanumeric() {
            value.push(sign.to_ascii_uppercase());
            gap = false;
            if value.len() == count {
                return Some((start.saturating_add(at).saturating_add(1), value));
            }
        } else if !gap && matches!(sign, ' ' | '-' | '\u{a0}') {
            gap = true;
        } else {
            return None;
        }
    }
    None
}

/// ISO 7064 mod 97-10: the first four signs go to the end, letters count from 10, the rest must be 1.
fn mod_97(value: &str) -> bool {
    let Some((head, tail)) = value.split_at_checked(4) else { return false };
    let digits = tail.chars().chain(head.chars()).filter_map(|sign| sign.to_digit(36));
    digits.fold(0u32, |rest, digit| (rest * if digit > 9 { 100 } else { 10 } + digit) % 97) == 1
}

/// Cards among the groups of a run: any groups in a row with a right check digit.
pub fn cards(text: &str, run: &[Group], found: &mut Vec<Detection>) {
    let mut from = 0usize;
    while from < run.len() {
        let mut digits: Vec<u32> = Vec::new();
        let mut hit = None;
        for (place, group) in run.iter().enumerate().skip(from).take(MOST_GROUPS) {
            digits.extend(&group.digits);
            if digits.len() > 19 {
                break;
            }
            let Some(start) = run.get(from).map(|group| group.start) else { break };
            // The cheap tests first: most runs of digits are no cards.
            let checked = digits.len() >= 12 && luhn(&digits) && varied(&digits);
            if checked
                && (is_card(&digits) || near(text, start, group.end, 60, &CARD_WORDS))
                && free(text, start, group.end)
            {
                hit = Some((place, Detection { start, end: group.end, kind: Kind::Card, evidence: "checksum" }));
            }
        }
        if let Some((place, card)) = hit {
            found.push(card);
            from = place;
        }
        from = from.saturating_add(1);
    }
}

/// More than one digit: 0000 0000 0000 0000 is no card.
fn varied(digits: &[u32]) -> bool {
    digits.iter().any(|digit| Some(digit) != digits.first())
}

/// Luhn's check digit: every second digit from the right counts double, with its digits added up.
fn luhn(digits: &[u32]) -> bool {
    let double = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 =
        digits.iter().rev().enumerate().map(|(at, digit)| if at % 2 == 1 { double(*digit) } else { *digit }).sum();
    sum.is_multiple_of(10)
}

/// Whether a brand has cards with this prefix and length. Maestro's prefixes are too wide to tell anything.
fn is_card(digits: &[u32]) -> bool {
    CARDS.lines().any(|line| {
        let mut cells = line.split('\t');
        let (Some(brand), Some(low), Some(high), Some(lengths)) =
            (cells.next(), cells.next(), cells.next(), cells.next())
        else {
            return false;
        };
        let prefix =
            digits.iter().take(low.len()).fold(0u32, |sum, digit| sum.saturating_mul(10).saturating_add(*digit));
        let bounds = low.parse::<u32>().ok().zip(high.parse::<u32>().ok());
        brand != "maestro"
            && bounds.is_some_and(|(low, high)| (low..=high).contains(&prefix))
            && lengths.split(',').any(|length| length.parse() == Ok(digits.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_of_the_table_is_found() {
        let found = |text: &str| ibans(text, Patterns::all().unwrap());
        for line in IBANS.lines() {
            let example = line.split('\t').nth(2).unwrap();
            let text = format!("pay {example}, please");
            assert_eq!(found(&text).len(), 1, "{example}");
            // With one digit changed the check number is wrong.
            let last = example.len() - 1;
            let other = if example.ends_with('1') { '2' } else { '1' };
            assert!(found(&format!("{}{other}", &example[..last])).is_empty(), "{example}");
        }
        assert_eq!(IBANS.lines().count(), 102);
    }

    #[test]
    fn check_digits() {
        // 7992739871 with check digit 3: the usual example of Luhn's algorithm (US patent 2950048).
        let number = |last: u32| [7, 9, 9, 2, 7, 3, 9, 8, 7, 1, last];
        assert!(luhn(&number(3)) && (0..10).filter(|last| luhn(&number(*last))).count() == 1);
    }
}
