//! Captions and speech in figures.

use agent_common::figures;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::captions::Cue;
use crate::input::Speech;

/// A figure of captions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Number of captions.
    Captions,
    FirstCaptionStarts,
    LastCaptionEnds,
    AverageDuration,
    LongestDuration,
    ShortestDuration,
    /// Time with at least one caption.
    ShownSeconds,
    /// Share of `media_seconds`, or of the time from the first caption to the last.
    CoveredPercent,
    UncoveredSeconds,
    LongestGap,
    ShortestGap,
    GapsInAll,
    Words,
    Characters,
    CharactersPerSecond,
    MostCharactersPerSecond,
    WordsPerMinute,
    LongestLine,
}

/// A figure with its name and its words.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Name of the member.
    pub name: &'static str,
    /// The figure.
    pub value: f64,
    /// The figure in words.
    pub words: String,
}

struct Facts(Vec<Fact>);

impl Facts {
    fn add(&mut self, name: &'static str, value: f64, words: String) {
        self.0.push(Fact { name, value: (value * 1000.0).round() / 1000.0, words });
    }
}

/// Returns a number with at most two decimals.
#[must_use]
pub fn shown(value: f64) -> String {
    figures::figure((value * 100.0).round() / 100.0)
}

/// Returns the time during which a cue is shown, each moment once.
fn covered(cues: &[&Cue]) -> f64 {
    let mut spans: Vec<(f64, f64)> = cues.iter().map(|cue| (cue.start, cue.end)).collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut total, mut reached) = (0.0, 0.0_f64);
    for (start, end) in spans {
        total += (end - start.max(reached)).max(0.0);
        reached = reached.max(end);
    }
    total
}

/// Returns the gaps between successive captions: their numbers and the seconds.
#[must_use]
pub fn gaps(cues: &[Cue]) -> Vec<(usize, usize, f64)> {
    let pairs = cues.iter().zip(cues.iter().skip(1));
    pairs.map(|(a, b)| (a.number, b.number, b.start - a.end)).collect()
}

/// Returns all figures of captions.
#[must_use]
pub fn of_captions(cues: &[Cue], media: Option<f64>) -> Vec<Fact> {
    let timed: Vec<&Cue> = cues.iter().filter(|cue| cue.end > cue.start).collect();
    let first = timed.iter().map(|cue| cue.start).min_by(f64::total_cmp);
    let last = timed.iter().map(|cue| cue.end).max_by(f64::total_cmp);
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    let mut all = Facts(Vec::new());
    all.add("captions", cues.len() as f64, figures::count(cues.len(), "caption", "captions"));
    all.add("first_caption_starts", first, format!("the first caption starts at {} s", shown(first)));
    all.add("last_caption_ends", last, format!("the last caption ends at {} s", shown(last)));
    let time: f64 = timed.iter().map(|cue| cue.seconds()).sum();
    let mean = time / timed.len() as f64;
    all.add("average_duration", mean, format!("a caption lasts {} s on average", shown(mean)));
    for (name, word, longest) in [("longest_duration", "longest", true), ("shortest_duration", "shortest", false)] {
        let by = |a: &&&Cue, b: &&&Cue| a.seconds().total_cmp(&b.seconds());
        let found = if longest { timed.iter().max_by(by) } else { timed.iter().min_by(by) };
        if let Some(cue) = found {
            all.add(
                name,
                cue.seconds(),
                format!("the {word} is caption {} with {} s", cue.number, shown(cue.seconds())),
            );
        }
    }
    let seen = covered(&timed);
    all.add("shown_seconds", seen, format!("captions are on screen for {} s", shown(seen)));
    coverage(seen, (first, last), media, &mut all);
    let gaps = gaps(cues);
    for (name, word, longest) in [("longest_gap", "longest", true), ("shortest_gap", "shortest", false)] {
        let by = |a: &&(usize, usize, f64), b: &&(usize, usize, f64)| a.2.total_cmp(&b.2);
        let found = if longest { gaps.iter().max_by(by) } else { gaps.iter().min_by(by) };
        if let Some((a, b, gap)) = found {
            all.add(name, *gap, format!("the {word} gap is {} s, between captions {a} and {b}", shown(*gap)));
        }
    }
    let total: f64 = gaps.iter().map(|gap| gap.2.max(0.0)).sum();
    all.add("gaps_in_all", total, format!("all gaps together are {} s", shown(total)));
    words(&timed, (last - first, media), &mut all);
    all.0
}

fn coverage(seen: f64, (first, last): (f64, f64), media: Option<f64>, all: &mut Facts) {
    let Some(media) = media.filter(|media| *media > 0.0) else {
        let percent = seen / (last - first).max(0.001) * 100.0;
        let words = format!("captions cover {} % of the time from the first to the last", shown(percent));
        return all.add("covered_percent_of_span", percent, words);
    };
    let percent = seen / media * 100.0;
    all.add("covered_percent", percent, format!("captions cover {} % of the {} s", shown(percent), shown(media)));
    all.add("uncovered_seconds", media - seen, format!("{} s are without captions", shown(media - seen)));
    all.add("silence_at_end", media - last, format!("from the last caption to the end are {} s", shown(media - last)));
}

fn words(timed: &[&Cue], (span, media): (f64, Option<f64>), all: &mut Facts) {
    let words: usize = timed.iter().map(|cue| cue.words()).sum();
    let characters: usize = timed.iter().map(|cue| cue.characters()).sum();
    let time: f64 = timed.iter().map(|cue| cue.seconds()).sum();
    all.add("words", words as f64, figures::count(words, "word", "words"));
    all.add("characters", characters as f64, figures::count(characters, "character", "characters"));
    let speed = characters as f64 / time;
    all.add("characters_per_second", speed, format!("{} characters per second", shown(speed)));
    let speed = |cue: &Cue| cue.characters() as f64 / cue.seconds();
    if let Some(cue) = timed.iter().max_by(|a, b| speed(a).total_cmp(&speed(b))) {
        let words = format!("the fastest is caption {} with {} characters per second", cue.number, shown(speed(cue)));
        all.add("most_characters_per_second", speed(cue), words);
    }
    let pace = words as f64 * 60.0 / time;
    all.add("words_per_minute", pace, format!("{} words per minute while captions are shown", shown(pace)));
    let overall = words as f64 * 60.0 / span.max(0.001);
    if (span - time).abs() > 0.01 {
        let words = format!("{} words per minute from the first caption to the last", shown(overall));
        all.add("words_per_minute_overall", overall, words);
    }
    if let Some(media) = media.filter(|media| *media > 0.0 && (*media - span).abs() > 0.01) {
        let whole = words as f64 * 60.0 / media;
        let words = format!("{} words per minute over the whole {} s", shown(whole), shown(media));
        all.add("words_per_minute_of_media", whole, words);
    }
    let line = |cue: &Cue| cue.text.lines().map(|line| line.trim().chars().count()).max().unwrap_or(0);
    if let Some(cue) = timed.iter().max_by_key(|cue| line(cue)) {
        let words = format!("the longest line has {} characters, in caption {}", line(cue), cue.number);
        all.add("longest_line", line(cue) as f64, words);
    }
}

/// Returns the pace, the length or the number of words of speech from the two others.
#[must_use]
pub fn of_speech(speech: &Speech) -> Option<Fact> {
    let mut all = Facts(Vec::new());
    match (speech.words, speech.seconds, speech.words_per_minute) {
        (Some(words), Some(seconds), None) if seconds > 0.0 => {
            let pace = words * 60.0 / seconds;
            let text = format!(
                "{} words in {} s are {} words per minute",
                figures::figure(words),
                shown(seconds),
                shown(pace)
            );
            all.add("words_per_minute", pace, text);
        }
        (Some(words), None, Some(pace)) if pace > 0.0 => {
            let seconds = words * 60.0 / pace;
            let (minutes, words) = (shown(seconds / 60.0), figures::figure(words));
            let text = format!(
                "{words} words at {} words per minute take {} s, or {minutes} minutes",
                figures::figure(pace),
                shown(seconds)
            );
            all.add("seconds", seconds, text);
        }
        (None, Some(seconds), Some(pace)) => {
            let words = pace * seconds / 60.0;
            let text = format!(
                "{} words fit into {} s at {} words per minute",
                shown(words),
                shown(seconds),
                figures::figure(pace)
            );
            all.add("words", words, text);
        }
        _ => {}
    }
    all.0.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_captions_and_speech() {
        let cue = |number, start, end, text: &str| Cue { number, start, end, text: text.into() };
        let cues = [
            cue(1, 0.0, 6.0, "We left at dawn, all five of us."),
            cue(2, 10.0, 19.0, "The road was empty."),
            cue(3, 50.0, 59.0, "The coast."),
        ];
        let facts = of_captions(&cues, Some(60.0));
        for (name, value) in [
            ("captions", 3.0),
            ("last_caption_ends", 59.0),
            ("average_duration", 8.0),
            ("covered_percent", 40.0),
            ("longest_gap", 31.0),
            ("words", 14.0),
        ] {
            assert_eq!(facts.iter().find(|fact| fact.name == name).map(|fact| fact.value), Some(value), "{name}");
        }
        let speech = |words, seconds, words_per_minute| {
            of_speech(&Speech { words, seconds, words_per_minute }).map(|fact| fact.value)
        };
        assert_eq!(speech(Some(2340.0), Some(936.0), None), Some(150.0));
        assert_eq!(speech(Some(450.0), None, Some(150.0)), Some(180.0));
        assert_eq!(speech(None, Some(120.0), Some(130.0)), Some(260.0));
        assert_eq!(speech(Some(1.0), Some(1.0), Some(1.0)), None);
    }
}
