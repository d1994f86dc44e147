//! Captions and speech in figures.

use agent_common::figures::{count, figure};

use crate::captions::{self, Cue};
use crate::input::Speech;

/// A figure with its words.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Name of the member.
    pub name: &'static str,
    pub value: f64,
    pub words: String,
}

/// Returns a fact; `#` in its words is the value.
fn fact(name: &'static str, value: f64, words: &str) -> Fact {
    Fact { name, value: (value * 1000.0).round() / 1000.0, words: words.replace('#', &shown(value)) }
}

/// Returns a number with at most two decimals.
pub fn shown(value: f64) -> String {
    figure((value * 100.0).round() / 100.0)
}

/// Returns the gaps between successive captions: their numbers and the seconds.
pub fn gaps(cues: &[Cue]) -> Vec<(usize, usize, f64)> {
    let pairs = cues.iter().zip(cues.iter().skip(1));
    pairs.map(|(a, b)| (a.number, b.number, b.start - a.end)).collect()
}

/// Returns all figures of captions; none if no caption has readable times.
pub fn of_captions(cues: &[Cue], media: Option<f64>) -> Vec<Fact> {
    let timed: Vec<&Cue> = cues.iter().filter(|cue| cue.end > cue.start).collect();
    let first = timed.iter().map(|cue| cue.start).min_by(f64::total_cmp);
    let last = timed.iter().map(|cue| cue.end).max_by(f64::total_cmp);
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    let media = media.filter(|media| *media > 0.0);
    let (time, span) = (timed.iter().map(|cue| cue.seconds()).sum::<f64>(), last - first);
    let seen = covered(&timed);
    let between: f64 = gaps(cues).iter().map(|gap| gap.2.max(0.0)).sum();
    let words: usize = timed.iter().map(|cue| captions::words(&cue.text)).sum();
    let characters: usize = timed.iter().map(|cue| cue.characters()).sum();
    let pace = |seconds: f64| words as f64 * 60.0 / seconds;
    let mut all = vec![
        fact("captions", cues.len() as f64, &count(cues.len(), "caption", "captions")),
        fact("first_caption_starts", first, "the first caption starts at # s"),
        fact("last_caption_ends", last, "the last caption ends at # s"),
        fact("average_duration", time / timed.len() as f64, "a caption lasts # s on average"),
        fact("shown_seconds", seen, "captions are on screen for # s"),
        fact("gaps_in_all", between, "all gaps together are # s"),
        fact("words", words as f64, &count(words, "word", "words")),
        fact("characters", characters as f64, &count(characters, "character", "characters")),
        fact("characters_per_second", characters as f64 / time, "# characters per second"),
        fact("words_per_minute", pace(time), "# words per minute while captions are shown"),
    ];
    if (span - time).abs() > 0.01 {
        let words = "# words per minute from the first caption to the last";
        all.push(fact("words_per_minute_overall", pace(span.max(0.001)), words));
    }
    if let Some(media) = media {
        let length = shown(media);
        let share = format!("captions cover # % of the {length} s");
        all.push(fact("covered_percent", seen / media * 100.0, &share));
        all.push(fact("uncovered_seconds", media - seen, "# s are without captions"));
        all.push(fact("silence_at_end", media - last, "from the last caption to the end are # s"));
        if (media - span).abs() > 0.01 {
            let words = format!("# words per minute over the whole {length} s");
            all.push(fact("words_per_minute_of_media", pace(media), &words));
        }
    } else {
        let words = "captions cover # % of the time from the first to the last";
        all.push(fact("covered_percent_of_span", seen / span.max(0.001) * 100.0, words));
    }
    all.extend(extremes(cues, &timed));
    all
}

/// Returns the time during which captions are shown, each moment once.
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

/// Returns the longest, shortest and fastest captions, gaps and lines.
fn extremes(cues: &[Cue], timed: &[&Cue]) -> Vec<Fact> {
    type Values = Vec<(String, f64)>;
    let highest = |all: &Values| all.iter().max_by(|a, b| a.1.total_cmp(&b.1)).cloned();
    let lowest = |all: &Values| all.iter().min_by(|a, b| a.1.total_cmp(&b.1)).cloned();
    let each = |value: &dyn Fn(&Cue) -> f64| -> Values {
        timed.iter().map(|cue| (format!("caption {}", cue.number), value(cue))).collect()
    };
    let seconds = each(&Cue::seconds);
    let speeds = each(&|cue| cue.characters() as f64 / cue.seconds());
    let lines = each(&|cue| cue.lines().map(|line| line.chars().count()).max().unwrap_or(0) as f64);
    let gaps: Values = gaps(cues).into_iter().map(|(a, b, gap)| (format!("captions {a} and {b}"), gap)).collect();
    // `@` is the place.
    let all = [
        ("longest_duration", highest(&seconds), "the longest is @ with # s"),
        ("shortest_duration", lowest(&seconds), "the shortest is @ with # s"),
        ("longest_gap", highest(&gaps), "the longest gap is # s, between @"),
        ("shortest_gap", lowest(&gaps), "the shortest gap is # s, between @"),
        ("most_characters_per_second", highest(&speeds), "the fastest is @ with # characters per second"),
        ("longest_line", highest(&lines), "the longest line has # characters, in @"),
    ];
    let of = |(name, found, words): (&'static str, Option<(String, f64)>, &str)| {
        let (place, value) = found?;
        Some(fact(name, value, &words.replace('@', &place)))
    };
    all.into_iter().filter_map(of).collect()
}

/// Returns the pace, the length or the number of words of speech from the two others.
pub fn of_speech(speech: &Speech) -> Option<String> {
    let (words, seconds, pace) = match (speech.words, speech.seconds, speech.words_per_minute) {
        (Some(words), Some(seconds), None) if seconds > 0.0 => (words, seconds, words * 60.0 / seconds),
        (Some(words), None, Some(pace)) if pace > 0.0 => (words, words * 60.0 / pace, pace),
        (None, Some(seconds), Some(pace)) => (pace * seconds / 60.0, seconds, pace),
        _ => return None,
    };
    let length = format!("{} s ({} minutes)", shown(seconds), shown(seconds / 60.0));
    Some(format!("{} words in {length} are {} words per minute", shown(words), shown(pace)))
}
