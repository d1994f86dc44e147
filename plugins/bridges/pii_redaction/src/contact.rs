//! Ways to reach somebody: e-mail and IP addresses, phone numbers.

use std::net::{Ipv4Addr, Ipv6Addr};

use tollbridge_sdk::Error;

use crate::detection::{Detection, Group, after, before, free, has_word, pattern};
use crate::input::Kind;

const PHONE_WORDS: [&str; 16] = [
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
];

/// E-mail addresses of the usual form. Each `@` is looked at from inside, so that long words cost nothing.
pub fn emails(text: &str) -> Result<Vec<Detection>, Error> {
    let domain = pattern(r"^(?:\w(?:[\w-]{0,61}\w)?\.){1,8}[A-Za-zÀ-ÿ]{2,24}")?;
    let local = |sign: &char| sign.is_alphanumeric() || matches!(sign, '.' | '_' | '%' | '+' | '-' | '\'');
    let mut spans = Vec::new();
    for (at, _) in text.match_indices('@') {
        let name: usize =
            text.get(..at).unwrap_or_default().chars().rev().take(64).take_while(local).map(char::len_utf8).sum();
        let start = at.saturating_sub(name);
        let value = text.get(start..at).unwrap_or_default();
        let start = at.saturating_sub(value.trim_start_matches(['.', '\'', '-']).len());
        let mut to = at.saturating_add(256).min(text.len());
        while !text.is_char_boundary(to) {
            to = to.saturating_sub(1);
        }
        let rest = text.get(at.saturating_add(1)..to).unwrap_or_default();
        if let Some(hit) = domain.find(rest)
            && start < at
            && !value.ends_with('.')
        {
            let end = at.saturating_add(1).saturating_add(hit.end());
            spans.push(Detection { start, end, kind: Kind::Email, evidence: "format" });
        }
    }
    Ok(spans)
}

/// IP addresses. Four numbers after the word version are none.
pub fn ips(text: &str) -> Result<Vec<Detection>, Error> {
    let mut spans = Vec::new();
    let mut push =
        |start: usize, end: usize| spans.push(Detection { start, end, kind: Kind::IpAddress, evidence: "format" });
    for hit in pattern(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")?.find_iter(text) {
        let cue = before(text, hit.start(), 16);
        let version = ["version", "release", "firmware", "build"].iter().any(|word| has_word(&cue, word));
        let goes_on = cue.ends_with('.')
            || after(text, hit.end(), 2).strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_numeric));
        if hit.as_str().parse::<Ipv4Addr>().is_ok() && free(text, hit.start(), hit.end()) && !version && !goes_on {
            push(hit.start(), hit.end());
        }
    }
    for hit in pattern(r"[0-9A-Fa-f:.]{2,45}")?.find_iter(text) {
        // A colon after the address belongs to the sentence, one before it to what was said before.
        let value = hit.as_str().trim_end_matches('.');
        let cut = if value.ends_with("::") { value } else { value.trim_end_matches(':') };
        let end = hit.start().saturating_add(cut.len());
        let colons = cut.bytes().filter(|byte| *byte == b':').count();
        if colons >= 2 && cut.len() > 3 && cut.parse::<Ipv6Addr>().is_ok() && free(text, hit.start(), end) {
            push(hit.start(), end);
        }
    }
    Ok(spans)
}

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
    let is_labelled = PHONE_WORDS.iter().any(|word| has_word(&cue, word))
        || ["-office", " (office", "-fax", " (fax", "-mobile"]
            .iter()
            .any(|word| after(text, end, 10).starts_with(word));
    let evidence = form(plus, opened, groups, &digits, is_labelled)?;
    let around = free(text, start, end) || (plus && free(text, start.saturating_add(1), end));
    (around && !decimal(text, start, last.end)).then_some(Detection { start, end, kind: Kind::Phone, evidence })
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
