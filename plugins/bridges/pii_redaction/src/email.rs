//! E-mail addresses, in every script.

use crate::detection::{Detection, is_mark};
use crate::input::Kind;

/// Bytes after an `@` that are looked at.
const DOMAIN_BYTES: usize = 256;
/// Labels of a domain, and letters of one.
const LABELS_MAX: usize = 9;
const LABEL_MAX: usize = 63;

/// E-mail addresses of the usual form. Each `@` is looked at from inside, so that long words cost nothing.
pub fn emails(text: &str) -> Vec<Detection> {
    let local =
        |sign: &char| sign.is_alphanumeric() || is_mark(*sign) || matches!(sign, '.' | '_' | '%' | '+' | '-' | '\'');
    let mut spans = Vec::new();
    for (at, _) in text.match_indices('@') {
        let name: usize =
            text.get(..at).unwrap_or_default().chars().rev().take(64).take_while(local).map(char::len_utf8).sum();
        let value = text.get(at.saturating_sub(name)..at).unwrap_or_default();
        let start = at.saturating_sub(value.trim_start_matches(['.', '\'', '-']).len());
        let mut to = at.saturating_add(DOMAIN_BYTES).min(text.len());
        while !text.is_char_boundary(to) {
            to = to.saturating_sub(1);
        }
        let rest = text.get(at.saturating_add(1)..to).unwrap_or_default();
        if let Some(length) = domain(rest)
            && start < at
            && !value.ends_with('.')
        {
            let end = at.saturating_add(1).saturating_add(length);
            spans.push(Detection { start, end, kind: Kind::Email, evidence: "format" });
        }
    }
    spans
}

/// The length of the domain that a text begins with: labels, and the longest way to end in a top-level domain. East
/// Asian full stops part labels too, but only where no top-level domain came before: there they end the sentence.
fn domain(text: &str) -> Option<usize> {
    let (mut at, mut best) = (0usize, None);
    for count in 0..LABELS_MAX {
        let rest = text.get(at..)?;
        if count > 0
            && let Some(length) = top(rest)
        {
            best = Some(at.saturating_add(length));
        }
        let sign = |letter: char| letter.is_alphanumeric() || is_mark(letter) || matches!(letter, '_' | '-');
        let label = rest.split(|letter| !sign(letter)).next().unwrap_or_default();
        let dot = rest.get(label.len()..).and_then(|rest| rest.chars().next());
        let goes_on = dot == Some('.') || (best.is_none() && matches!(dot, Some('\u{3002}' | '\u{ff0e}' | '\u{ff61}')));
        let fits = (1..=LABEL_MAX).contains(&label.chars().count()) && !label.starts_with('-') && !label.ends_with('-');
        let (true, true, Some(dot)) = (goes_on, fits, dot) else { break };
        at = at.saturating_add(label.len()).saturating_add(dot.len_utf8());
    }
    best
}

/// The length of the top-level domain that a text begins with: an A-label, or 2 to 24 letters that are all Latin or all of
/// other scripts (the text may go on without a space).
fn top(text: &str) -> Option<usize> {
    if text.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("xn--")) {
        let inner =
            text.bytes().take(LABEL_MAX).take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
        let label = text.get(..inner).unwrap_or_default().trim_end_matches('-');
        return (label.len() > 4).then_some(label.len());
    }
    let is_latin = text.chars().next().is_some_and(latin);
    let same = |letter: &char| is_mark(*letter) || (letter.is_alphabetic() && latin(*letter) == is_latin);
    let letters: Vec<char> = text.chars().take_while(same).take(24).collect();
    let bases = letters.iter().filter(|letter| !is_mark(**letter)).count();
    (bases >= 2 && !letters.first().copied().is_some_and(is_mark)).then(|| letters.iter().map(|c| c.len_utf8()).sum())
}

fn latin(letter: char) -> bool {
    letter.is_ascii_alphabetic() || matches!(letter, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}
