//! Findings: what is wrong, how bad, and where.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_with::skip_serializing_none;

use crate::captions::Cue;
use crate::input::Check;

/// Severities with the points that a finding takes off the score, and the most that all of them take off.
pub const WEIGHTS: [(&str, u32, u32); 4] = [("high", 15, 45), ("medium", 6, 30), ("low", 2, 15), ("info", 0, 0)];
/// Points that grave findings take off if every caption has one.
const SHARE_MAX: f64 = 50.0;
/// Highest score of captions that break a limit.
const BROKEN_MAX: u32 = 69;

/// The kinds of the bridge, one a line: the kind, the checks that it belongs to, its meaning.
const KINDS: &str = include_str!("../kinds.txt");

/// Returns the checks that a kind of the bridge belongs to, and its meaning in plain words.
pub fn kind(name: &str) -> Option<(Vec<Check>, &'static str)> {
    let rest = KINDS.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" | "))?;
    let (checks, meaning) = rest.split_once(" | ")?;
    let check = |name: &str| serde_json::from_value(json!(name)).ok();
    Some((checks.split(' ').filter_map(check).collect(), meaning))
}

/// A finding.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// high, medium, low, or info, which takes nothing off.
    pub severity: String,
    /// What kind.
    pub kind: String,
    /// What is wrong.
    pub message: String,
    /// The caption, from 1, in the order of the file.
    pub cue: Option<usize>,
    /// The line of the captions, from 1.
    pub line: Option<usize>,
    /// The words that it is about.
    pub quote: Option<String>,
}

impl Finding {
    /// Returns a finding about all captions, or one without a quote.
    pub fn new(severity: &str, kind: &str, message: String, cue: Option<usize>) -> Self {
        Self { severity: severity.into(), kind: kind.into(), message, cue, line: None, quote: None }
    }

    /// Returns a finding about a caption.
    pub fn of(severity: &str, kind: &str, cue: &Cue, message: &str) -> Self {
        let message = format!("caption {}: {message}", cue.number);
        Self { quote: Some(cue.line()), ..Self::new(severity, kind, message, Some(cue.number)) }
    }

    /// Returns a finding of the bridge in plain words, with the text of its caption.
    pub fn explained(self, cues: &[Cue]) -> Self {
        let message = match (kind(&self.kind), self.cue) {
            (Some((_, meaning)), Some(cue)) => format!("caption {cue}: {meaning}; {}", self.message),
            (Some((_, meaning)), None) => format!("{meaning}; {}", self.message),
            (None, _) => self.message,
        };
        let own = cues.iter().find(|cue| Some(cue.number) == self.cue);
        let quote = own.map(Cue::line).filter(|line| !line.is_empty());
        Self { message, quote, ..self }
    }
}

/// Returns 100 less what the findings take off, and less for the share of captions with grave
/// ones; captions that break a limit do not get a score that counts as good.
pub fn score(findings: &[Finding], cues: usize) -> u32 {
    let off = |(name, weight, most): &(&str, u32, u32)| {
        let own = findings.iter().filter(|finding| finding.severity == *name);
        own.map(|_| weight).sum::<u32>().min(*most)
    };
    let off: u32 = WEIGHTS.iter().map(off).sum();
    let grave = |finding: &&Finding| matches!(finding.severity.as_str(), "high" | "medium");
    let touched: BTreeSet<usize> = findings.iter().filter(grave).filter_map(|finding| finding.cue).collect();
    let share = if cues > 2 { touched.len() as f64 / cues as f64 * SHARE_MAX } else { 0.0 };
    let score = 100_u32.saturating_sub(off.max(share.round() as u32));
    let broken = findings.iter().any(|finding| {
        finding.severity != "info" && (finding.cue.is_some() || finding.kind == "too_few_words_per_minute")
    });
    if broken { score.min(BROKEN_MAX) } else { score }
}
