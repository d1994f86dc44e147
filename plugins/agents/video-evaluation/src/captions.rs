//! Captions in a task, SubRip or WebVTT, and their cues.

/// A cue as a viewer sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Cue {
    /// Its place in the file, from 1.
    pub number: usize,
    /// Start, in seconds.
    pub start: f64,
    /// End, in seconds.
    pub end: f64,
    /// Its text without mark-up.
    pub text: String,
}

impl Cue {
    /// Returns its seconds on screen.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.end - self.start
    }

    /// Returns its text in one line.
    #[must_use]
    pub fn line(&self) -> String {
        self.text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the number of its characters, spaces and punctuation included, without line breaks.
    #[must_use]
    pub fn characters(&self) -> usize {
        self.text.lines().map(|line| line.trim().chars().count()).sum()
    }

    /// Returns the number of its words.
    #[must_use]
    pub fn words(&self) -> usize {
        words(&self.text)
    }
}

/// Returns the number of words of a text.
#[must_use]
pub fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

/// Splits a task into captions and the command around them; none if no line has two times.
#[must_use]
pub fn split(task: &str) -> Option<(String, String)> {
    let task = task.replace("\r\n", "\n");
    let bare = |line| if str::trim_start(line).starts_with("```") { "" } else { line };
    let lines: Vec<&str> = task.lines().map(bare).collect();
    let line = |at: usize| lines.get(at).copied().unwrap_or_default();
    let first = (0..lines.len()).find(|at| line(*at).contains("-->"))?;
    let last = (0..lines.len()).rev().find(|at| line(*at).contains("-->"))?;
    let header = (0..first).find(|at| line(*at).trim_start().starts_with("WEBVTT"));
    let named = first > 0 && line(first - 1).trim().parse::<u32>().is_ok();
    let start = header.unwrap_or(first - usize::from(named));
    let mut end = last + 1;
    while end < lines.len() && !line(end).trim().is_empty() {
        end += 1;
    }
    let captions = lines.get(start..end)?.join("\n") + "\n";
    let around = [lines.get(..start)?.join("\n"), lines.get(end..).unwrap_or_default().join("\n")];
    Some((captions, around.join("\n").trim().to_owned()))
}

/// Returns the cues with readable times, in the order of the file.
#[must_use]
pub fn cues(captions: &str) -> Vec<Cue> {
    let captions = captions.replace("\r\n", "\n");
    let lines: Vec<&str> = captions.lines().collect();
    let mut found: Vec<Cue> = Vec::new();
    let mut inside = false;
    for (at, line) in lines.iter().enumerate() {
        if line.contains("-->") {
            let times = times(line);
            inside = times.is_some();
            if let Some((start, end)) = times {
                found.push(Cue { number: found.len() + 1, start, end, text: String::new() });
            }
            continue;
        }
        let next_times = lines.get(at + 1).is_some_and(|next| next.contains("-->"));
        if line.trim().is_empty() || (next_times && line.trim().parse::<u32>().is_ok()) {
            inside = false;
        } else if let Some(cue) = found.last_mut().filter(|_| inside) {
            if !cue.text.is_empty() {
                cue.text.push('\n');
            }
            cue.text.push_str(without_tags(line).trim());
        }
    }
    found
}

fn times(line: &str) -> Option<(f64, f64)> {
    let (start, rest) = line.split_once("-->")?;
    Some((seconds(start.trim())?, seconds(rest.split_whitespace().next()?)?))
}

/// Returns a time such as `1:02:03,500` in seconds.
#[must_use]
pub fn seconds(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.split(':').collect();
    let digits = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    if !(2..=3).contains(&parts.len()) || !parts.iter().all(digits) {
        return None;
    }
    parts.iter().try_fold(0.0, |sum, part| Some(sum * 60.0 + part.replace(',', ".").parse::<f64>().ok()?))
}

fn without_tags(line: &str) -> String {
    let mut depth = false;
    let closed = line.matches('<').count() == line.matches('>').count();
    line.chars()
        .filter(|c| {
            let inside = depth || *c == '<';
            depth = inside && *c != '>';
            !(inside && closed)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_and_the_command_around_them() {
        let task = "check\n\n1\n00:00:01,500 --> 00:00:03,000\nHi <i>all</i>.\n\n2\n00:00:04,000 --> 00:00:05,000\nA\nB\n\nno overlaps";
        let (captions, command) = split(task).unwrap();
        assert_eq!(command, "check\n\n\nno overlaps");
        let shown: Vec<String> = cues(&captions)
            .iter()
            .map(|cue| format!("{} {} {} {}", cue.number, cue.start, cue.end, cue.line()))
            .collect();
        assert_eq!(shown, ["1 1.5 3 Hi all.", "2 4 5 A B"]);
        assert!(split("check").is_none());
        let (captions, command) = split("WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n\ncount").unwrap();
        assert_eq!((cues(&captions).len(), command.as_str()), (1, "count"));
    }
}
