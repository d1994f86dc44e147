//! Findings: what is wrong, how bad, and where.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::captions::Cue;

/// Severities with the points that a finding takes off the score, and the most that all of them take off.
pub const WEIGHTS: [(&str, u32, u32); 4] = [("high", 15, 45), ("medium", 6, 30), ("low", 2, 15), ("info", 0, 0)];
/// Points that grave findings take off if every caption has one.
const SHARE_MAX: f64 = 50.0;

/// Highest score of captions that break a limit.
const BROKEN_MAX: u32 = 69;

/// A finding.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// high, medium, low, or info, which takes nothing off.
    pub severity: String,
    /// What kind.
    pub kind: String,
    /// What is wrong.
    pub message: String,
    /// The caption, from 1, in the order of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cue: Option<usize>,
    /// The line of the captions, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The words that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

impl Finding {
    /// A finding of a cue, or of all.
    #[must_use]
    pub fn new(severity: &str, kind: &str, message: impl Into<String>, cue: Option<usize>) -> Self {
        Self { severity: severity.into(), kind: kind.into(), message: message.into(), cue, line: None, quote: None }
    }

    /// With the words that it is about.
    #[must_use]
    pub fn quoting(self, quote: impl Into<String>) -> Self {
        Self { quote: Some(quote.into()), ..self }
    }
}

/// The kinds of the bridge in plain words.
const MEANINGS: &[(&str, &str)] = &[
    ("overlap", "overlap: it begins before the one before has ended"),
    ("out_of_order", "wrong order: it begins before an earlier caption"),
    ("empty_cue", "empty: there is no text"),
    ("too_short", "too short on screen"),
    ("too_long", "too long on screen"),
    ("too_many_characters_per_second", "too fast to read: the reading speed is too high"),
    ("too_many_words_per_minute", "too fast: too many words per minute"),
    ("line_too_long", "line too long"),
    ("too_many_lines", "too many lines"),
    ("end_not_after_start", "the end is not after the start (negative or no duration)"),
    ("number_out_of_order", "numbering: a number is missing, repeated or out of sequence"),
    ("no_number", "the number of the caption is missing"),
    ("wrong_decimal_mark", "wrong format of the timestamp (comma or point)"),
    ("loose_timestamp", "the timestamp is not in the usual format"),
    ("bad_timing", "invalid timestamp"),
    ("no_timing", "text without a timing"),
    ("missing_blank_line", "a blank line is missing before it"),
    ("small_gap", "the gap is too small"),
    ("after_media_end", "after the end of the video: it is never shown"),
    ("across_media_end", "it runs beyond the end of the video"),
    ("replacement_character", "wrong encoding: garbled characters"),
    ("unclosed_tag", "a tag is not closed"),
    ("unknown_tag", "an unknown tag"),
    ("no_signature", "the WEBVTT header is missing"),
    ("repeated_identifier", "duplicate identifier"),
];

/// Returns the findings of the bridge in plain words, with the text of their cues.
#[must_use]
pub fn explained(findings: Vec<Finding>, cues: &[Cue]) -> Vec<Finding> {
    let explain = |finding: Finding| {
        let meaning = MEANINGS.iter().find(|(kind, _)| *kind == finding.kind).map(|(_, meaning)| *meaning);
        let message = match (meaning, finding.cue) {
            (Some(meaning), Some(cue)) => format!("caption {cue}: {meaning}; {}", finding.message),
            (Some(meaning), None) => format!("{meaning}; {}", finding.message),
            (None, _) => finding.message.clone(),
        };
        let own = finding.cue.and_then(|number| cues.iter().find(|cue| cue.number == number));
        let quote = own.map(Cue::line).filter(|line| !line.is_empty());
        Finding { message, quote, ..finding }
    };
    findings.into_iter().map(explain).collect()
}

/// Returns captions that repeat the text of the one before.
#[must_use]
pub fn repeated(cues: &[Cue]) -> Vec<Finding> {
    let same = |pair: &[Cue]| match pair {
        [a, b] if !a.line().is_empty() && a.line().to_lowercase() == b.line().to_lowercase() => {
            let message = format!("caption {}: duplicate, it repeats the text of caption {}", b.number, a.number);
            Some(Finding::new("low", "repeated_text", message, Some(b.number)).quoting(b.line()))
        }
        _ => None,
    };
    cues.windows(2).filter_map(same).collect()
}

/// Returns 100 less what the findings take off, and less for the share of captions with grave
/// ones; captions that break a limit do not get a score that counts as good.
#[must_use]
pub fn score(findings: &[Finding], cues: usize) -> u32 {
    let count = |severity: &str| {
        u32::try_from(findings.iter().filter(|finding| finding.severity == severity).count()).unwrap_or(u32::MAX)
    };
    let off: u32 = WEIGHTS.iter().map(|(name, weight, most)| count(name).saturating_mul(*weight).min(*most)).sum();
    let grave = |finding: &&Finding| matches!(finding.severity.as_str(), "high" | "medium");
    let touched: std::collections::BTreeSet<usize> =
        findings.iter().filter(grave).filter_map(|finding| finding.cue).collect();
    let share = if cues > 2 { touched.len() as f64 / cues as f64 * SHARE_MAX } else { 0.0 };
    let score = 100_u32.saturating_sub(off.max(share.round() as u32));
    let broken = findings.iter().any(|finding| {
        finding.severity != "info" && (finding.cue.is_some() || finding.kind == "too_few_words_per_minute")
    });
    if broken { score.min(BROKEN_MAX) } else { score }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_repetitions() {
        let medium = |cue| Finding::new("medium", "overlap", "", Some(cue));
        assert_eq!(score(&[], 3), 100);
        assert_eq!(score(&[medium(1)], 10), 69);
        assert_eq!(score(&[medium(1), medium(2), medium(3)], 4), 62);
        let cue = |number, text: &str| Cue { number, start: 0.0, end: 1.0, text: text.into() };
        assert_eq!(repeated(&[cue(1, "Hi."), cue(2, "hi."), cue(3, "Ho.")]).len(), 1);
    }
}
