//! Which checks are made, with their limits, and what the bridge does not check.

use agent_common::figures::{count, figure};
use serde_json::{Map, Value, json};

use crate::captions::Cue;
use crate::facts::{Fact, gaps, shown};
use crate::finding::{self, Finding};
use crate::given;
use crate::input::{Check, Input, Limits};

/// Returns the limits that the bridge checks, by its names.
pub fn thresholds(limits: &Limits) -> Map<String, Value> {
    given(&json!({
        "least_seconds": limits.min_seconds,
        "most_seconds": limits.max_seconds,
        "characters_per_second": limits.max_characters_per_second,
        "words_per_minute": limits.max_words_per_minute,
        "line_characters": limits.max_line_characters,
        "lines": limits.max_lines,
        "least_gap_seconds": limits.min_gap_seconds,
    }))
}

/// The checks of a task; none for all, with their limits and the defaults that apply.
pub struct Wanted {
    checks: Option<Vec<Check>>,
    limits: Limits,
}

impl Wanted {
    /// Returns the checks of an input.
    pub fn of(input: &Input) -> Self {
        let nothing = input.media.is_none() && input.captions.is_none();
        let checks = if nothing { Some(Vec::new()) } else { input.checks.clone() };
        let mut limits = input.limits.clone().unwrap_or_default();
        limits.max_characters_per_second.get_or_insert(17.0);
        limits.max_line_characters.get_or_insert(42);
        limits.max_lines.get_or_insert(2);
        // One limit of two does not bring the default of the other one, unless all is checked.
        if checks.is_none() || (limits.min_seconds.is_none() && limits.max_seconds.is_none()) {
            limits.min_seconds.get_or_insert(0.833);
            limits.max_seconds.get_or_insert(7.0);
        }
        if checks.is_none() || limits.min_words_per_minute.is_none() {
            limits.max_words_per_minute.get_or_insert(200.0);
        }
        Self { checks, limits }
    }

    /// Returns whether anything is checked.
    pub fn any(&self) -> bool {
        self.checks.as_ref().is_none_or(|checks| !checks.is_empty())
    }

    fn has(&self, check: Check) -> bool {
        self.checks.as_ref().is_none_or(|checks| checks.contains(&check))
    }

    /// Returns whether a kind of finding belongs to the checks.
    pub fn includes(&self, kind: &str) -> bool {
        let limited = match kind {
            "too_short" => self.limits.min_seconds.is_some(),
            "too_long" => self.limits.max_seconds.is_some(),
            "too_many_words_per_minute" => self.limits.max_words_per_minute.is_some(),
            _ => true,
        };
        let checks = finding::kind(kind).map_or_else(|| vec![Check::Format], |(checks, _)| checks);
        limited && checks.into_iter().any(|check| self.has(check))
    }

    /// Returns the findings that the bridge does not have; `known` are those that it has.
    pub fn beyond(&self, cues: &[Cue], facts: &[Fact], known: &[Finding]) -> Vec<Finding> {
        let mut found = if self.has(Check::Repeated) { repeated(cues) } else { Vec::new() };
        if self.has(Check::Overlap) {
            found.extend(overlaps(cues, known));
        }
        if let Some(limit) = self.limits.max_gap_seconds.filter(|_| self.has(Check::Gap)) {
            let wanted = figure(limit);
            found.extend(gaps(cues).into_iter().filter(|(.., gap)| *gap > limit).map(|(a, b, gap)| {
                let gap = shown(gap);
                let text =
                    format!("captions {a} and {b}: gap of {gap} s without captions, at most {wanted} s are wanted");
                Finding::new("medium", "long_gap", text, Some(a))
            }));
        }
        let pace = facts.iter().find(|fact| fact.name == "words_per_minute").map(|fact| fact.value);
        let least = self.limits.min_words_per_minute.filter(|_| self.has(Check::WordsPerMinute));
        if let (Some(pace), Some(least)) = (pace, least)
            && pace < least
        {
            let text = format!("{} words per minute, at least {} are wanted", shown(pace), figure(least));
            found.push(Finding::new("medium", "too_few_words_per_minute", text, None));
        }
        for word in self.limits.forbidden_words.iter().flatten().filter(|_| self.has(Check::Words)) {
            found.extend(
                cues.iter().filter(|cue| occurs(word, &cue.text) > 0).map(|cue| {
                    Finding::of("high", "forbidden_word", cue, &format!("it has the forbidden word `{word}`"))
                }),
            );
        }
        found
    }

    /// Returns the checks and their limits in words.
    pub fn words(&self) -> String {
        let limits = &self.limits;
        let range = |least: Option<f64>, most: Option<f64>, unit: &str| {
            let limit = |(word, value): (&str, Option<f64>)| Some(format!("{word} {}", figure(value?)));
            let parts: Vec<String> = [("at least", least), ("at most", most)].into_iter().filter_map(limit).collect();
            (!parts.is_empty()).then(|| format!("{} {unit}", parts.join(" and ")))
        };
        let plain = |words: &str| Some(words.to_owned());
        let all = [
            (Check::Overlap, plain("overlaps")),
            (Check::Order, plain("order")),
            (Check::Numbering, plain("numbering")),
            (Check::Empty, plain("empty captions")),
            (Check::Repeated, plain("repeated text")),
            (Check::ReadingSpeed, range(None, limits.max_characters_per_second, "characters per second")),
            (
                Check::WordsPerMinute,
                range(limits.min_words_per_minute, limits.max_words_per_minute, "words per minute"),
            ),
            (Check::LineLength, range(None, limits.max_line_characters.map(f64::from), "characters per line")),
            (Check::Lines, range(None, limits.max_lines.map(f64::from), "lines")),
            (Check::Duration, range(limits.min_seconds, limits.max_seconds, "s on screen")),
            (Check::Gap, range(limits.min_gap_seconds, limits.max_gap_seconds, "s between captions")),
            (Check::Words, limits.forbidden_words.as_ref().and_then(|_| plain("forbidden words"))),
        ];
        let own = all.into_iter().filter(|(check, _)| self.has(*check)).filter_map(|(_, words)| words);
        own.collect::<Vec<_>>().join(", ")
    }
}

/// Returns the captions that repeat the text of the one before.
fn repeated(cues: &[Cue]) -> Vec<Finding> {
    let same = |(a, b): &(&Cue, &Cue)| !a.line().is_empty() && a.line().to_lowercase() == b.line().to_lowercase();
    let pairs = cues.iter().zip(cues.iter().skip(1)).filter(same);
    let message = |before: &Cue| format!("duplicate, it repeats the text of caption {}", before.number);
    pairs.map(|(a, b)| Finding::of("low", "repeated_text", b, &message(a))).collect()
}

/// Returns the captions that overlap an earlier one and are not known; the bridge compares
/// only neighbours in the file.
fn overlaps(cues: &[Cue], known: &[Finding]) -> Vec<Finding> {
    let reported = |cue: &Cue| known.iter().any(|one| one.kind == "overlap" && one.cue == Some(cue.number));
    let mut timed: Vec<&Cue> = cues.iter().filter(|cue| cue.end > cue.start).collect();
    timed.sort_by(|a, b| a.start.total_cmp(&b.start));
    let mut found = Vec::new();
    let mut longest: Option<&Cue> = None;
    for cue in timed {
        if let Some(before) = longest.filter(|before| cue.start < before.end && !reported(cue) && !reported(before)) {
            let text = format!("overlap: it begins before caption {} has ended", before.number);
            found.push(Finding::of("medium", "overlap", cue, &text));
        }
        if longest.is_none_or(|before| cue.end > before.end) {
            longest = Some(cue);
        }
    }
    found
}

/// Returns how often a word or phrase occurs in a text, whole and in any case.
fn occurs(phrase: &str, text: &str) -> usize {
    let words = |text: &str| -> Vec<String> {
        let split = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
        split.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let (phrase, text) = (words(phrase), words(text));
    if phrase.is_empty() { 0 } else { text.windows(phrase.len()).filter(|part| *part == phrase).count() }
}

/// Returns the findings of a word that is looked for, and its number in words.
pub fn occurrences(word: &str, cues: &[Cue], spoken: &str) -> (Vec<Finding>, String) {
    let own: Vec<&Cue> = cues.iter().filter(|cue| occurs(word, &cue.text) > 0).collect();
    let total =
        if cues.is_empty() { occurs(word, spoken) } else { own.iter().map(|cue| occurs(word, &cue.text)).sum() };
    let places: Vec<String> = own.iter().map(|cue| cue.number.to_string()).collect();
    let at = if places.is_empty() { String::new() } else { format!(", in captions {}", places.join(", ")) };
    let found = own.iter().map(|cue| Finding::of("info", "word", cue, &format!("it has `{word}`")));
    (found.collect(), format!("`{word}` occurs {}{at}", count(total, "time", "times")))
}
