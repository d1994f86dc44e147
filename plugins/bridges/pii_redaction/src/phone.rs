//! Phone numbers.

use crate::detection::{Detection, Group, after, before, free, has_word};
use crate::input::Kind;

const PHONE_WORDS: [&str; 20] = [
    "phone",
    "telephone",
    "tel",
    "mobile",
    "cell",
    "call",
    "fax",
    "dial",
    "ring",
    "text",
    "whatsapp",
    "sms",
    "contact number",
    "reach me",
    "number is",
    "ph",
    "messages to",
    "message to",
    "answering at",
    "reached at",
];

/// What a "number is" can be of that is no phone.
const OTHER_WORDS: [&str; 10] =
    ["licence", "license", "account", "order", "passport", "policy", "invoice", "tracking", "reference", "serial"];

/// The phone number in a run of groups, if there is one: the longest that has a known form.
pub fn phones(text: &str, run: &[Group], found: &mut Vec<Detection>) {
    let mut from = 0usize;
    while from < run.len() {
        let hit = (from..run.len().min(from.saturating_add(8))).rev().find_map(|to| {
            let groups = run.get(from..=to)?;
            Some((to, phone(text, groups)?))
        });
        if let Some((to, phone)) = hit {
            found.push(phone);
            from = to;
        }
        from = from.saturating_add(1);
    }
}

fn phone(text: &str, groups: &[Group]) -> Option<Detection> {
    let (first, last) = (groups.first()?, groups.last()?);
    // Before all else, as most groups of digits are no phone number: no form has fewer or more digits.
    let count: usize = groups.iter().map(|group| group.digits.len()).sum();
    if !(7..=15).contains(&count) {
        return None;
    }
    let mut start = first.start;
    let head = text.get(..start).unwrap_or_default();
    let opened = head.ends_with('(');
    let head = head.strip_suffix('(').unwrap_or(head);
    let plus = head.ends_with('+');
    start = start.saturating_sub(usize::from(opened)).saturating_sub(usize::from(plus));
    let end = extension(text, last.end);
    let digits: Vec<u32> = groups.iter().flat_map(|group| group.digits.iter().copied()).collect();
    let cue = before(text, start, 30);
    let is_labelled = is_told(&cue)
        || ["-office", " (office", " office", "-fax", " (fax", " fax", "-mobile", " (mobile", " mobile"]
            .iter()
            .any(|word| after(text, end, 10).starts_with(word));
    let evidence = form(plus, opened, groups, &digits, is_labelled)?;
    let around = free(text, start, end) || (plus && free(text, start.saturating_add(1), end));
    (around && !decimal(text, start, last.end)).then_some(Detection { start, end, kind: Kind::Phone, evidence })
}

/// Do the words before a number say that it is one of a phone? "number is" alone says so unless it is another's.
fn is_told(cue: &str) -> bool {
    let other = OTHER_WORDS.iter().any(|word| has_word(cue, word));
    PHONE_WORDS.iter().any(|word| has_word(cue, word) && !(other && *word == "number is"))
}

/// What speaks for a phone number; none for other digits.
fn form(plus: bool, opened: bool, groups: &[Group], digits: &[u32], told: bool) -> Option<&'static str> {
    let lengths: Vec<usize> = groups.iter().map(|group| group.digits.len()).collect();
    let count = digits.len();
    let parted = groups.len() > 1;
    // A day such as 2026-01-31 or 31.01.2026 is none, whatever is said before it.
    if !plus && matches!(lengths.as_slice(), [4, 1..=2, 1..=2] | [1..=2, 1..=2, 4 | 2]) {
        return None;
    }
    let known_area = |at: usize| digits.get(at).is_some_and(|digit| *digit >= 2);
    let us = lengths.ends_with(&[3, 3, 4])
        && known_area(count.saturating_sub(10))
        && (count == 10 || (digits.starts_with(&[1]) && count == 11) || digits.starts_with(&[0, 0, 1]));
    let grouped_us = us || (opened && lengths == [3, 7]);
    let uk = digits.first() == Some(&0)
        && matches!(digits.get(1), Some(1 | 2 | 3 | 7 | 8 | 9))
        && (10..=11).contains(&count);
    let national = parted && (grouped_us || (uk && lengths.first().is_some_and(|first| (3..=5).contains(first))));
    if (plus && (8..=15).contains(&count)) || national {
        Some("format")
    } else if (uk && count == 11 && digits.get(1) == Some(&7)) || (told && (7..=15).contains(&count)) {
        Some(if told { "context" } else { "format" })
    } else {
        None
    }
}

/// The end of an extension ("x123", "ext. 12") after a number, or the number's own end.
fn extension(text: &str, end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    let bare = rest.trim_start_matches(' ');
    let mark = ["extension ", "ext. ", "ext.", "ext ", "ext", "x"].into_iter().find(|mark| bare.starts_with(mark));
    let Some(number) = mark.and_then(|mark| bare.strip_prefix(mark)) else { return end };
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=6).contains(&digits) || rest.len().saturating_sub(bare.len()) > 1 {
        return end;
    }
    end.saturating_add(rest.len().saturating_sub(number.len())).saturating_add(digits)
}

/// Whether a number goes on before or after a dot, as amounts and versions do.
fn decimal(text: &str, start: usize, end: usize) -> bool {
    let money = text.get(..start).unwrap_or_default().ends_with(['$', '£', '€', '.', '#']);
    let mut rest = text.get(end..).unwrap_or_default().chars();
    money || (matches!(rest.next(), Some('.' | ',')) && rest.next().is_some_and(char::is_numeric))
}
