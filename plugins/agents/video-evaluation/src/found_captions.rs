//! Captions in a task: SubRip or WebVTT, with words above, below or both; and the cues in them.

use agent_common::patterns::{groups, is_match};

/// A cue as a reader sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Cue {
    /// Its place, from 1.
    pub number: usize,
    /// Seconds.
    pub start: f64,
    /// Seconds.
    pub end: f64,
    /// Without mark-up, lines parted by line ends.
    pub text: String,
}

impl Cue {
    /// Seconds on screen.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.end - self.start
    }

    /// Its text in one line.
    #[must_use]
    pub fn line(&self) -> String {
        self.text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Characters with spaces and punctuation, without line breaks.
    #[must_use]
    pub fn characters(&self) -> usize {
        self.text.lines().map(|line| line.trim().chars().count()).sum()
    }

    /// Words.
    #[must_use]
    pub fn words(&self) -> usize {
        self.text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
    }
}

/// A task with captions, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The captions as written.
    pub captions: String,
    /// The words around them.
    pub request: String,
}

fn is_timing(line: &str) -> bool {
    is_match(r"^\W*(?:\d+:)?\d{1,2}:\d{1,2}(?:[.,]\d+)?\s*-{1,2}>\s*(?:\d+:)?\d{1,2}:\d{1,2}", line)
        || (line.contains("-->") && is_match(r"\d", line))
}

/// Finds the captions; none if no line has two times.
#[must_use]
pub fn find(text: &str) -> Option<Found> {
    let text = text.replace("\r\n", "\n");
    let lines: Vec<&str> =
        text.lines().map(|line| if line.trim_start().starts_with("```") { "" } else { line }).collect();
    let line = |at: usize| lines.get(at).copied().unwrap_or_default();
    let first = (0..lines.len()).find(|at| is_timing(line(*at)))?;
    let last = (0..lines.len()).rev().find(|at| is_timing(line(*at)))?;
    let header = (0..first).find(|at| line(*at).trim_start().starts_with("WEBVTT"));
    let named = first > 0 && is_match(r"^\s*\d+\s*$", line(first - 1));
    let identified =
        first > 1 && line(first - 2).trim().is_empty() && header.is_some() && !line(first - 1).trim().is_empty();
    let start = header.unwrap_or(if named || identified { first - 1 } else { first });
    let mut end = last + 1;
    while end < lines.len() && !line(end).trim().is_empty() {
        end += 1;
    }
    let captions = lines.get(start..end)?.join("\n");
    let mut request = lines.get(..start)?.join("\n");
    request.push('\n');
    request.push_str(&lines.get(end..).unwrap_or_default().join("\n"));
    Some(Found { captions: captions + "\n", request: request.trim().to_owned() })
}

/// The cues, in the order of the file.
#[must_use]
pub fn cues(captions: &str) -> Vec<Cue> {
    let text = captions.replace("\r\n", "\n");
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<Cue> = Vec::new();
    let mut inside = false;
    for (at, line) in lines.iter().enumerate() {
        if is_timing(line) {
            let parts = groups(
                r"((?:\d+:)?\d{1,2}:\d{1,2}(?:[.,]\d+)?)\s*-{1,2}>\s*((?:\d+:)?\d{1,2}:\d{1,2}(?:[.,]\d+)?)",
                line,
            );
            if let [_, start, end] = parts.as_slice()
                && let (Some(start), Some(end)) = (seconds(start), seconds(end))
            {
                found.push(Cue { number: found.len() + 1, start, end, text: String::new() });
                inside = true;
            }
            continue;
        }
        let next_times = lines.get(at + 1).is_some_and(|next| is_timing(next)) && is_match(r"^\s*\d+\s*$", line);
        if line.trim().is_empty() || next_times {
            inside = inside && !next_times && !line.trim().is_empty();
            continue;
        }
        if let Some(cue) = found.last_mut().filter(|_| inside) {
            if !cue.text.is_empty() {
                cue.text.push('\n');
            }
            cue.text.push_str(without_tags(line).trim());
        }
    }
    found
}

fn without_tags(line: &str) -> String {
    let mut inside = false;
    let mut text = String::new();
    for c in line.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => inside = false,
            _ if !inside => text.push(c),
            _ => {}
        }
    }
    text
}

/// Seconds of `00:01:02,500`, `01:02.5` or `1:02`.
#[must_use]
pub fn seconds(stamp: &str) -> Option<f64> {
    let mut total = 0.0;
    for part in stamp.replace(',', ".").split(':') {
        total = total * 60.0 + part.parse::<f64>().ok()?;
    }
    Some((total * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_with_words_around() {
        let srt = "1\n00:00:01,000 --> 00:00:03,000\nFirst.\n\n2\n00:00:06,000 --> 00:00:08,000\n\n\n3\n00:00:08,500 --> 00:00:10,500\nSee <i>you</i>\nsoon.";
        for (task, request) in [
            (srt.to_owned(), ""),
            (format!("Check this:\n\n{srt}\n"), "Check this:"),
            (format!("How many?\n{srt}\n\nThanks."), "How many? Thanks."),
            (format!("Check:\n```srt\n{srt}\n```\nPlease."), "Check: Please."),
        ] {
            let found = find(&task).unwrap();
            let cues = cues(&found.captions);
            assert_eq!(
                (agent_common::patterns::all(r"\S+", &found.request).join(" ").as_str(), cues.len()),
                (request, 3),
                "{task}"
            );
            assert_eq!(cues.iter().map(|cue| cue.line()).collect::<Vec<_>>(), ["First.", "", "See you soon."]);
        }
        let vtt = find("Fast?\n\nWEBVTT\n\nintro\n00:00.000 --> 00:01.000\nHi.\n").unwrap();
        assert!(vtt.captions.starts_with("WEBVTT") && vtt.request == "Fast?");
        assert!(find("00:20 First we prune").is_none());
        assert_eq!(seconds("01:02:03,5"), Some(3723.5));
    }
}
