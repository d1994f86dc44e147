//! Whether cues are well timed and readable, and whether they fit the media.

use crate::captions::{Cue, Read};
use crate::input::Limits;
use crate::issue::Issues;
use crate::output::{Captions, Fit, rounded};

fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1000.0
}

/// Checks every cue, and sums up.
pub fn check(read: &Read, limits: &Limits, issues: &mut Issues) -> Captions {
    let mut sum = Captions {
        format: read.format,
        cues: read.cues.len(),
        comments: read.comments,
        styles: read.styles,
        regions: read.regions,
        first_seconds: read.cues.iter().map(|cue| cue.start).min().map(seconds),
        last_seconds: read.cues.iter().map(|cue| cue.end).max().map(seconds),
        shown_seconds: shown(&read.cues),
        characters: 0,
        words: 0,
        mean_characters_per_second: None,
        mean_words_per_minute: None,
        most_characters_per_second: None,
        fastest_cue: None,
        longest_line: 0,
        most_lines: 0,
        thresholds: limits.clone(),
    };
    order(&read.cues, limits, issues);
    let mut time = 0_u64;
    let mut timed = (0_usize, 0_usize);
    for (place, cue) in read.cues.iter().enumerate() {
        let (characters, words) = one(cue, place + 1, limits, &mut sum, issues);
        sum.characters += characters;
        sum.words += words;
        if cue.end > cue.start {
            time = time.saturating_add(cue.end - cue.start);
            timed = (timed.0 + characters, timed.1 + words);
        }
    }
    if time > 0 {
        sum.mean_characters_per_second = Some(rounded(timed.0 as f64 / seconds(time)));
        sum.mean_words_per_minute = Some(rounded(timed.1 as f64 * 60.0 / seconds(time)));
    }
    sum
}

/// Time during which at least one cue is shown.
fn shown(cues: &[Cue]) -> f64 {
    let mut spans: Vec<(u64, u64)> =
        cues.iter().filter(|cue| cue.end > cue.start).map(|cue| (cue.start, cue.end)).collect();
    spans.sort_unstable();
    let mut total = 0_u64;
    let mut reached = 0_u64;
    for (start, end) in spans {
        total = total.saturating_add(end.saturating_sub(start.max(reached)));
        reached = reached.max(end);
    }
    seconds(total)
}

/// Order and overlaps, each cue against all before it.
fn order(cues: &[Cue], limits: &Limits, issues: &mut Issues) {
    let (mut latest_start, mut latest_end, mut until) = (0, 0, None);
    for (place, cue) in cues.iter().enumerate() {
        let at = (cue.line, Some(place + 1));
        if cue.end <= cue.start {
            issues.line(
                "high",
                "end_not_after_start",
                at,
                "the cue ends before or as it starts: players do not show it",
            );
        }
        if cue.start < latest_start {
            let message = format!("starts at {} s, an earlier cue at {} s", seconds(cue.start), seconds(latest_start));
            issues.line("medium", "out_of_order", at, message);
        } else if let Some(other) = until {
            let gap = cue.start.saturating_sub(latest_end);
            if cue.start < latest_end {
                let message =
                    format!("starts at {} s, cue {other} ends at {} s", seconds(cue.start), seconds(latest_end));
                issues.line("medium", "overlap", at, message);
            } else if gap > 0 && seconds(gap) < limits.least_gap_seconds {
                issues.line("low", "small_gap", at, format!("{} s after cue {other}: a flicker", seconds(gap)));
            }
        }
        latest_start = latest_start.max(cue.start);
        if cue.end > latest_end || until.is_none() {
            (latest_end, until) = (cue.end, Some(place + 1));
        }
    }
}

/// One cue by itself; its characters and words.
fn one(cue: &Cue, number: usize, limits: &Limits, sum: &mut Captions, issues: &mut Issues) -> (usize, usize) {
    let at = (cue.line, Some(number));
    let lines: Vec<&str> = cue.text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect();
    let lengths: Vec<usize> = lines.iter().map(|line| line.chars().count()).collect();
    let characters: usize = lengths.iter().sum();
    let words = cue.text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    if characters == 0 {
        issues.line("medium", "empty_cue", at, "the cue has no text");
        return (0, 0);
    }
    let longest = lengths.iter().copied().max().unwrap_or(0);
    sum.longest_line = sum.longest_line.max(longest);
    sum.most_lines = sum.most_lines.max(lines.len());
    let mut add = |applies: bool, severity, kind, message: String| {
        if applies {
            issues.line(severity, kind, at, message);
        }
    };
    let max_characters = limits.line_characters as usize;
    add(
        longest > max_characters,
        "low",
        "line_too_long",
        format!("a line has {longest} characters, at most {max_characters} are wanted"),
    );
    add(
        lines.len() > limits.lines as usize,
        "low",
        "too_many_lines",
        format!("{} lines, at most {} are wanted", lines.len(), limits.lines),
    );
    let duration = seconds(cue.end.saturating_sub(cue.start));
    if duration <= 0.0 {
        return (characters, words);
    }
    add(
        duration < limits.least_seconds,
        "low",
        "too_short",
        format!("{duration} s, at least {} s are wanted", limits.least_seconds),
    );
    add(
        duration > limits.most_seconds,
        "low",
        "too_long",
        format!("{duration} s, at most {} s are wanted", limits.most_seconds),
    );
    let speed = rounded(characters as f64 / duration);
    let max_cps = limits.characters_per_second;
    let message = format!("{characters} characters in {duration} s: {speed:.1} a second, at most {max_cps} are wanted");
    add(speed > max_cps, "medium", "too_many_characters_per_second", message);
    let pace = rounded(words as f64 * 60.0 / duration);
    let max_wpm = limits.words_per_minute;
    let message = format!("{words} words in {duration} s: {pace:.0} a minute, at most {max_wpm} are wanted");
    add(pace > max_wpm, "low", "too_many_words_per_minute", message);
    if sum.most_characters_per_second.is_none_or(|known| speed > known) {
        sum.most_characters_per_second = Some(speed);
        sum.fastest_cue = Some(number);
    }
    (characters, words)
}

/// Captions against the duration of the media.
pub fn fit(read: &Read, media_seconds: f64, limits: &Limits, issues: &mut Issues) -> Fit {
    let end = media_seconds + limits.end_tolerance_seconds;
    let mut fit = Fit { media_seconds, cues_after_end: 0, cues_across_end: 0, seconds_without_captions_at_end: None };
    for (place, cue) in read.cues.iter().enumerate() {
        let at = (cue.line, Some(place + 1));
        if seconds(cue.start) >= end {
            fit.cues_after_end += 1;
            let message =
                format!("starts at {} s, the media ends at {media_seconds} s: never shown", seconds(cue.start));
            issues.line("high", "after_media_end", at, message);
        } else if seconds(cue.end) > end {
            fit.cues_across_end += 1;
            let message = format!("ends at {} s, the media at {media_seconds} s", seconds(cue.end));
            issues.line("medium", "across_media_end", at, message);
        }
    }
    let last = read.cues.iter().map(|cue| cue.end).max();
    fit.seconds_without_captions_at_end = last.map(|last| rounded(media_seconds - seconds(last)));
    fit
}
