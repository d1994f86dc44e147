//! Everything found in a text, without overlaps, and the text without it.

use std::collections::BTreeMap;
use std::net::IpAddr;

use tollbridge_sdk::Error;

use crate::detection::{Detection, is_mark, runs};
use crate::input::{KINDS, Kind, Mode};
use crate::patterns::Patterns;
use crate::{bank, email, ip, person, phone};

/// Finds all that is wanted, in order of place.
///
/// Everything is looked for, wanted or not: a card is no phone number even when only phones are asked for.
pub fn find(text: &str, wanted: &[Kind]) -> Result<Vec<Detection>, Error> {
    let mut all = email::emails(text);
    let patterns = Patterns::all()?;
    all.extend(bank::ibans(text, patterns));
    all.extend(person::national_insurance(text, patterns));
    all.extend(ip::ips(text, patterns));
    all.extend(person::births(text, patterns));
    all.extend(person::names(text, patterns));
    for run in runs(text) {
        bank::cards(text, &run, &mut all);
        person::nhs(text, &run, &mut all);
        person::ssn(text, &run, &mut all);
        phone::phones(text, &run, &mut all);
    }
    let rank = |found: &Detection| KINDS.iter().position(|kind| *kind == found.kind).unwrap_or(KINDS.len());
    all.sort_by_key(|found| (rank(found), found.start, std::cmp::Reverse(found.end)));
    // Kept places by their beginning; none overlaps another.
    let mut spans: BTreeMap<usize, Detection> = BTreeMap::new();
    for found in all {
        let left = spans.range(..=found.start).next_back().is_some_and(|(_, other)| other.end > found.start);
        let right = spans.range(found.start..).next().is_some_and(|(start, _)| *start < found.end);
        if found.start < found.end && !left && !right {
            spans.insert(found.start, found);
        }
    }
    Ok(spans.into_values().filter(|found| wanted.contains(&found.kind)).collect())
}

/// What stands in the place of each find.
#[must_use]
pub fn replacements(text: &str, found: &[Detection], mode: Mode) -> Vec<String> {
    let mut numbers: BTreeMap<(Kind, String), usize> = BTreeMap::new();
    let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
    let replacement = |found: &Detection| {
        let value = text.get(found.start..found.end).unwrap_or_default();
        match mode {
            Mode::Mask => masked(value),
            Mode::Replace => format!("[{}]", label(found.kind)),
            Mode::Pseudonym => {
                let number = *numbers.entry((found.kind, identity(found.kind, value))).or_insert_with(|| {
                    let count = counts.entry(found.kind).or_insert(0);
                    *count = count.saturating_add(1);
                    *count
                });
                format!("[{}_{number}]", label(found.kind))
            }
        }
    };
    found.iter().map(replacement).collect()
}

/// A star for each letter, digit and accent, which tells letters too.
fn masked(value: &str) -> String {
    value.chars().map(|sign| if sign.is_alphanumeric() || is_mark(sign) { '*' } else { sign }).collect()
}

/// What two spellings of the same value share. Full stops and colons part the numbers of an address, and an accent makes
/// another letter; elsewhere signs only group letters and digits.
fn identity(kind: Kind, value: &str) -> String {
    match kind {
        Kind::IpAddress => value.parse::<IpAddr>().map_or_else(|_| value.to_lowercase(), |address| address.to_string()),
        Kind::Email => value.to_lowercase(),
        _ => value.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect(),
    }
}

/// The name of a type in a replacement.
#[must_use]
pub fn label(kind: Kind) -> &'static str {
    match kind {
        Kind::Email => "EMAIL",
        Kind::Iban => "IBAN",
        Kind::Card => "CARD",
        Kind::NhsNumber => "NHS_NUMBER",
        Kind::NationalInsurance => "NATIONAL_INSURANCE",
        Kind::UsSsn => "US_SSN",
        Kind::IpAddress => "IP_ADDRESS",
        Kind::DateOfBirth => "DATE_OF_BIRTH",
        Kind::Phone => "PHONE",
        Kind::Name => "NAME",
    }
}
