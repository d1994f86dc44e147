//! Numbers of persons (NHS, national insurance, social security), dates of birth and names.

use crate::detection::{Detection, Group, before, free, has_word, near};
use crate::input::Kind;
use crate::patterns::Patterns;

const BIRTH_WORDS: [&str; 8] = ["born", "birth", "dob", "d.o.b", "birthday", "birthdate", "geboren", "né le"];
const SSN_WORDS: [&str; 3] = ["ssn", "social security", "social"];

/// NHS numbers: ten digits with a right check digit, written 3-3-4 or with NHS nearby.
pub fn nhs(text: &str, run: &[Group], found: &mut Vec<Detection>) {
    for (place, first) in run.iter().enumerate() {
        let mut digits: Vec<u32> = Vec::new();
        for (groups, group) in (1usize..).zip(run.iter().skip(place)) {
            digits.extend(&group.digits);
            if digits.len() > 10 {
                break;
            }
            let (start, end) = (first.start, group.end);
            if digits.len() != 10 || !mod_11(&digits) || !free(text, start, end) {
                continue;
            }
            // An area code in brackets is a phone number's.
            let bracket = text.get(..start).unwrap_or_default().ends_with('(');
            let shaped = groups == 3 && first.digits.len() == 3 && group.digits.len() == 4 && run.len() == 3;
            if (shaped && !bracket) || near(text, start, end, 40, &["nhs"]) {
                found.push(Detection { start, end, kind: Kind::NhsNumber, evidence: "checksum" });
            }
        }
    }
}

/// Weights 10 to 2; 11 less the rest is the check digit, 11 counts as 0, and 10 is not used.
fn mod_11(digits: &[u32]) -> bool {
    let sum: u32 = digits.iter().take(9).zip((2..=10u32).rev()).map(|(digit, weight)| digit * weight).sum();
    let check = match 11 - sum % 11 {
        11 => 0,
        check => check,
    };
    check < 10 && digits.get(9) == Some(&check) && digits.iter().any(|digit| *digit != 0)
}

/// National insurance numbers, by HMRC's manual NIM39110; QQ is its own example and counts.
pub fn national_insurance(text: &str, patterns: &Patterns) -> Vec<Detection> {
    let unused = ["BG", "GB", "KN", "NK", "NT", "TN", "ZZ"];
    let mut spans = Vec::new();
    for hit in patterns.national_insurance.find_iter(text) {
        let prefix = hit.as_str().get(..2).unwrap_or_default().to_ascii_uppercase();
        if !unused.contains(&prefix.as_str()) && free(text, hit.start(), hit.end()) {
            spans.push(Detection {
                start: hit.start(),
                end: hit.end(),
                kind: Kind::NationalInsurance,
                evidence: "format",
            });
        }
    }
    spans
}

/// US social security numbers: 3-2-4, and no part that is never given out (000, 666, 9xx; 00; 0000).
pub fn ssn(text: &str, run: &[Group], found: &mut Vec<Detection>) {
    let lengths: Vec<usize> = run.iter().map(|group| group.digits.len()).collect();
    let digits: Vec<u32> = run.iter().flat_map(|group| group.digits.iter().copied()).collect();
    let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
    let zero = |from: usize, to: usize| digits.get(from..to).is_none_or(|part| part.iter().all(|digit| *digit == 0));
    let never = zero(0, 3) || digits.starts_with(&[6, 6, 6]) || digits.first() == Some(&9) || zero(3, 5) || zero(5, 9);
    let hyphens = lengths == [3, 2, 4] && text.get(first.end..).is_some_and(|rest| rest.starts_with('-'));
    let is_labelled = digits.len() == 9 && near(text, first.start, last.end, 40, &SSN_WORDS);
    if (hyphens || is_labelled) && !never && free(text, first.start, last.end) {
        let evidence = if hyphens { "format" } else { "context" };
        found.push(Detection { start: first.start, end: last.end, kind: Kind::UsSsn, evidence });
    }
}

/// Dates shortly after a word for birth.
pub fn births(text: &str, patterns: &Patterns) -> Vec<Detection> {
    let mut spans = Vec::new();
    for hit in patterns.date.find_iter(text) {
        let cue = before(text, hit.start(), 40);
        // Between word and date stands no other number: what follows a first date is another one.
        let cue = cue.rsplit(char::is_numeric).next().unwrap_or_default();
        if BIRTH_WORDS.iter().any(|word| has_word(cue, word)) {
            spans.push(Detection { start: hit.start(), end: hit.end(), kind: Kind::DateOfBirth, evidence: "context" });
        }
    }
    spans
}

/// Names after a clear cue.
pub fn names(text: &str, patterns: &Patterns) -> Vec<Detection> {
    let mut spans = Vec::new();
    for (pattern, titled) in &patterns.names {
        for groups in pattern.captures_iter(text) {
            let (Some(whole), Some(name)) = (groups.get(0), groups.get(1)) else { continue };
            let Some((from, end)) = trimmed(text, name.start(), name.end()) else { continue };
            // A title belongs to the name.
            let start = if *titled { whole.start() } else { from };
            spans.push(Detection { start, end, kind: Kind::Name, evidence: "context" });
        }
    }
    spans
}

/// The place without a possessive; none for words that stand after a cue but are no names.
fn trimmed(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    const NOT_NAMES: [&str; 22] = [
        "Sir",
        "Madam",
        "Sirs",
        "All",
        "Team",
        "Customer",
        "Colleagues",
        "Colleague",
        "Everyone",
        "There",
        "Friends",
        "Friend",
        "Hiring",
        "Support",
        "The",
        "This",
        "We",
        "I",
        "Editor",
        "Manager",
        "President",
        "Members",
    ];
    let mut name = text.get(start..end)?;
    let first = name.split_whitespace().next()?;
    if NOT_NAMES.contains(&first.trim_end_matches('.')) {
        return None;
    }
    // A possessive is no part of the name.
    for ending in ["'s", "’s"] {
        name = name.strip_suffix(ending).unwrap_or(name);
    }
    Some((start, start.saturating_add(name.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nhs_check_digit() {
        // 943 476 5919: the example of the NHS data dictionary's algorithm.
        assert!(mod_11(&[9, 4, 3, 4, 7, 6, 5, 9, 1, 9]));
        assert!(!mod_11(&[9, 4, 3, 4, 7, 6, 5, 9, 1, 8]));
        assert!(!mod_11(&[0; 10]));
    }
}
