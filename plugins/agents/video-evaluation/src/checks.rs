//! Limits of captions, and which of them are checked.

use agent_common::figures::{count, figure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::captions::Cue;
use crate::facts::{Fact, gaps, shown};
use crate::finding::Finding;
use crate::input::Input;

/// Limits; the default of each applies if it is checked and not given.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Most characters per second, spaces and punctuation included. Default: 17.
    #[schemars(range(min = 1.0, max = 1000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_characters_per_second: Option<f64>,
    /// Most characters of a line. Default: 42.
    #[schemars(range(min = 1, max = 1000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_line_characters: Option<u32>,
    /// Most lines of a caption. Default: 2.
    #[schemars(range(min = 1, max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_lines: Option<u32>,
    /// Shortest time on screen, in seconds. Default: 0.833.
    #[schemars(range(min = 0.0, max = 3600.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_seconds: Option<f64>,
    /// Longest time on screen, in seconds. Default: 7.
    #[schemars(range(min = 0.0, max = 3600.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<f64>,
    /// Shortest gap between captions that do not touch, in seconds. Default: none.
    #[schemars(range(min = 0.0, max = 60.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_gap_seconds: Option<f64>,
    /// Longest time without captions between two of them, in seconds. Default: none.
    #[schemars(range(min = 0.0, max = 100_000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_gap_seconds: Option<f64>,
    /// Most words per minute of a caption. Default: 200.
    #[schemars(range(min = 1.0, max = 10_000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_words_per_minute: Option<f64>,
    /// Fewest words per minute of all captions together, while they are shown. Default: none.
    #[schemars(range(min = 1.0, max = 10_000.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_words_per_minute: Option<f64>,
    /// Words and phrases that no caption may have, in any case. Default: none.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forbidden_words: Option<Vec<String>>,
}

impl Limits {
    /// Returns the limits that the bridge checks, by its names.
    pub fn thresholds(&self) -> Map<String, Value> {
        let all = [
            ("least_seconds", json!(self.min_seconds)),
            ("most_seconds", json!(self.max_seconds)),
            ("characters_per_second", json!(self.max_characters_per_second)),
            ("words_per_minute", json!(self.max_words_per_minute)),
            ("line_characters", json!(self.max_line_characters)),
            ("lines", json!(self.max_lines)),
            ("least_gap_seconds", json!(self.min_gap_seconds)),
        ];
        all.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// A check of captions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    Overlap,
    /// Order of time, and ends after starts.
    Order,
    Numbering,
    Empty,
    Repeated,
    ReadingSpeed,
    WordsPerMinute,
    LineLength,
    Lines,
    Duration,
    Gap,
    /// Captions after the end of the video.
    End,
    /// Forbidden words.
    Words,
    /// Everything else: file format, encoding, tags, media.
    Format,
}

/// Kinds of findings, by check.
const KINDS: [(Check, &[&str]); 12] = [
    (Check::Overlap, &["overlap"]),
    (Check::Order, &["out_of_order", "end_not_after_start"]),
    (Check::Numbering, &["number_out_of_order", "no_number", "repeated_identifier"]),
    (Check::Empty, &["empty_cue"]),
    (Check::Repeated, &["repeated_text"]),
    (Check::ReadingSpeed, &["too_many_characters_per_second", "end_not_after_start"]),
    (Check::WordsPerMinute, &["too_many_words_per_minute", "too_few_words_per_minute"]),
    (Check::LineLength, &["line_too_long"]),
    (Check::Lines, &["too_many_lines"]),
    (Check::Duration, &["too_short", "too_long", "end_not_after_start"]),
    (Check::Gap, &["small_gap", "long_gap"]),
    (Check::End, &["after_media_end", "across_media_end"]),
];

/// The checks of a task, with their limits.
pub struct Wanted {
    checks: Option<Vec<Check>>,
    limits: Limits,
}

impl Wanted {
    /// Returns the checks of an input.
    pub fn of(input: &Input) -> Self {
        let nothing = input.media.is_none() && input.captions.is_none();
        let checks = if nothing { Some(Vec::new()) } else { input.checks.clone() };
        Self { checks, limits: input.limits.clone().unwrap_or_default() }
    }

    /// Returns whether anything is checked.
    pub fn any(&self) -> bool {
        self.checks.as_ref().is_none_or(|checks| !checks.is_empty())
    }

    /// Returns whether a kind of finding belongs to the checks.
    pub fn includes(&self, kind: &str) -> bool {
        let Some(checks) = &self.checks else { return true };
        // One limit of two does not bring the default of the other one.
        let (least, most) = (self.limits.min_seconds.is_some(), self.limits.max_seconds.is_some());
        let paces = (self.limits.min_words_per_minute.is_some(), self.limits.max_words_per_minute.is_some());
        let other = match kind {
            "too_short" => most && !least,
            "too_long" => least && !most,
            "too_many_words_per_minute" => paces == (true, false),
            _ => false,
        };
        if other {
            return false;
        }
        let own = |(check, kinds): &(Check, &[&str])| kinds.contains(&kind) && checks.contains(check);
        let known = KINDS.iter().any(|(_, kinds)| kinds.contains(&kind));
        KINDS.iter().any(own) || (!known && checks.contains(&Check::Format))
    }

    fn has(&self, check: Check) -> bool {
        self.checks.as_ref().is_none_or(|checks| checks.contains(&check))
    }

    /// Returns the findings that the bridge does not have; `known` are those that it has.
    pub fn beyond(&self, cues: &[Cue], facts: &[Fact], known: &[Finding]) -> Vec<Finding> {
        let mut found = if self.has(Check::Overlap) { overlaps(cues, known) } else { Vec::new() };
        if let Some(limit) = self.limits.max_gap_seconds.filter(|_| self.has(Check::Gap)) {
            found.extend(gaps(cues).into_iter().filter(|(.., gap)| *gap > limit).map(|(a, b, gap)| {
                let text = format!(
                    "captions {a} and {b}: gap of {} s without captions, at most {} s are wanted",
                    shown(gap),
                    figure(limit)
                );
                Finding::new("medium", "long_gap", text, Some(a))
            }));
        }
        let pace = facts.iter().find(|fact| fact.name == "words_per_minute").map(|fact| fact.value);
        let least = self.limits.min_words_per_minute.filter(|_| self.has(Check::WordsPerMinute));
        if let (Some(least), Some(pace)) = (least, pace.filter(|pace| least.is_some_and(|least| *pace < least))) {
            let text = format!("{} words per minute, at least {} are wanted", shown(pace), figure(least));
            found.push(Finding::new("medium", "too_few_words_per_minute", text, None));
        }
        for word in self.limits.forbidden_words.iter().flatten().filter(|_| self.has(Check::Words)) {
            found.extend(cues.iter().filter(|cue| occurs(word, &cue.text) > 0).map(|cue| {
                let text = format!("caption {}: it has the forbidden word `{word}`", cue.number);
                Finding::new("high", "forbidden_word", text, Some(cue.number)).quoting(cue.line())
            }));
        }
        found
    }

    /// Returns the checks and their limits in words.
    pub fn words(&self) -> String {
        let limits = &self.limits;
        let most = |value: Option<f64>, default: f64| figure(value.unwrap_or(default));
        let whole = |value: Option<u32>, default: u32| value.unwrap_or(default);
        let all = self.checks.is_none();
        let range = |least: Option<f64>, highest: Option<f64>, defaults: (Option<f64>, f64), unit: &str| {
            let least = least.or(defaults.0.filter(|_| all || highest.is_none()));
            let highest = highest.or(Some(defaults.1).filter(|_| all || least.is_none_or(|_| least == defaults.0)));
            let parts = [("at least", least), ("at most", highest)];
            let parts: Vec<String> =
                parts.iter().filter_map(|(word, value)| Some(format!("{word} {}", figure((*value)?)))).collect();
            format!("{} {unit}", parts.join(" and "))
        };
        let screen = range(limits.min_seconds, limits.max_seconds, (Some(0.833), 7.0), "s on screen");
        let pace = range(limits.min_words_per_minute, limits.max_words_per_minute, (None, 200.0), "words per minute");
        let gaps = [
            limits.min_gap_seconds.map(|seconds| format!("at least {} s", figure(seconds))),
            limits.max_gap_seconds.map(|seconds| format!("at most {} s", figure(seconds))),
        ];
        let gaps: Vec<String> = gaps.into_iter().flatten().collect();
        let all = [
            (Check::Overlap, "overlaps".to_owned()),
            (Check::Order, "order".to_owned()),
            (Check::Numbering, "numbering".to_owned()),
            (Check::Empty, "empty captions".to_owned()),
            (Check::Repeated, "repeated text".to_owned()),
            (
                Check::ReadingSpeed,
                format!("at most {} characters per second", most(limits.max_characters_per_second, 17.0)),
            ),
            (Check::WordsPerMinute, pace),
            (Check::LineLength, format!("at most {} characters per line", whole(limits.max_line_characters, 42))),
            (Check::Lines, format!("at most {} lines", whole(limits.max_lines, 2))),
            (Check::Duration, screen),
            (Check::Gap, if gaps.is_empty() { String::new() } else { format!("gaps of {}", gaps.join(" and ")) }),
            (Check::Words, limits.forbidden_words.as_ref().map_or(String::new(), |_| "forbidden words".to_owned())),
        ];
        let own: Vec<String> = all
            .into_iter()
            .filter(|(check, text)| self.has(*check) && !text.is_empty())
            .map(|(_, text)| text)
            .collect();
        own.join(", ")
    }
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
            let text = format!("caption {}: overlap: it begins before caption {} has ended", cue.number, before.number);
            found.push(Finding::new("medium", "overlap", text, Some(cue.number)).quoting(cue.line()));
        }
        if longest.is_none_or(|before| cue.end > before.end) {
            longest = Some(cue);
        }
    }
    found
}

/// Returns how often a word or phrase occurs in a text, whole and in any case.
pub fn occurs(phrase: &str, text: &str) -> usize {
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
    let total: usize =
        if cues.is_empty() { occurs(word, spoken) } else { own.iter().map(|cue| occurs(word, &cue.text)).sum() };
    let places: Vec<String> = own.iter().map(|cue| cue.number.to_string()).collect();
    let found = own.iter().map(|cue| {
        let text = format!("caption {}: it has `{word}`", cue.number);
        Finding::new("info", "word", text, Some(cue.number)).quoting(cue.line())
    });
    let at = if places.is_empty() { String::new() } else { format!(", in captions {}", places.join(", ")) };
    (found.collect(), format!("`{word}` occurs {}{at}", count(total, "time", "times")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cue(number: usize, start: f64, end: f64, text: &str) -> Cue {
        Cue { number, start, end, text: text.into() }
    }

    #[test]
    fn limits_of_the_agent_itself() {
        let limits = Limits {
            max_gap_seconds: Some(5.0),
            min_words_per_minute: Some(100.0),
            forbidden_words: Some(vec!["damn".into()]),
            ..Limits::default()
        };
        let cues = [cue(1, 0.0, 2.0, "Oh, DAMN!"), cue(2, 7.0, 9.0, "Damnation?"), cue(3, 14.5, 16.0, "No.")];
        let pace = [Fact { name: "words_per_minute", value: 50.0, words: String::new() }];
        let kinds = |checks: Option<Vec<Check>>| -> Vec<(String, Option<usize>)> {
            let wanted = Wanted { checks, limits: limits.clone() };
            wanted.beyond(&cues, &pace, &[]).into_iter().map(|one| (one.kind, one.cue)).collect()
        };
        let expect = [("long_gap", Some(2)), ("too_few_words_per_minute", None), ("forbidden_word", Some(1))];
        assert_eq!(kinds(None), expect.map(|(kind, cue)| (kind.to_owned(), cue)));
        assert_eq!(kinds(Some(vec![Check::Overlap])), []);
        let over = [cue(1, 5.0, 9.0, "A"), cue(2, 0.0, 5.5, "B"), cue(3, 9.0, 10.0, "C")];
        assert_eq!(overlaps(&over, &[]).iter().map(|one| one.cue).collect::<Vec<_>>(), [Some(1)]);
        assert!(overlaps(&over, &[Finding::new("medium", "overlap", "", Some(1))]).is_empty());
    }

    #[test]
    fn only_the_checks_of_the_task_count() {
        let wanted = |checks| Wanted { checks, limits: Limits::default() };
        assert!(wanted(None).includes("anything") && wanted(None).any());
        let overlap = wanted(Some(vec![Check::Overlap]));
        assert!(overlap.includes("overlap") && !overlap.includes("too_short") && !overlap.includes("bad_timing"));
        assert!(!wanted(Some(Vec::new())).any());
        assert_eq!(overlap.words(), "overlaps");
        let limits = Limits { min_seconds: Some(1.0), ..Limits::default() };
        let shortest = Wanted { checks: Some(vec![Check::Duration]), limits };
        assert!(shortest.includes("too_short") && !shortest.includes("too_long"));
        assert_eq!(shortest.words(), "at least 1 s on screen");
    }

    #[test]
    fn words_are_counted_whole() {
        assert_eq!((occurs("um", "So um, the Um album"), occurs("no way", "No way. No, way!")), (2, 2));
        assert_eq!(occurs("", "a"), 0);
    }
}
