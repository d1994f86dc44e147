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
    pub fn seconds(&self) -> f64 {
        self.end - self.start
    }

    /// Returns its lines.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines().map(str::trim)
    }

    /// Returns its text in one line.
    pub fn line(&self) -> String {
        self.text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the number of its characters, spaces and punctuation included, without line breaks.
    pub fn characters(&self) -> usize {
        self.lines().map(|line| line.chars().count()).sum()
    }
}

/// Returns the number of words of a text.
pub fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

/// Splits a task into captions and the command around them; none if no line has two times.
pub fn split(task: &str) -> Option<(String, String)> {
    let task = task.replace("\r\n", "\n");
    let bare = |line| if str::trim_start(line).starts_with("```") { "" } else { line };
    let lines: Vec<&str> = task.lines().map(bare).collect();
    let first = lines.iter().position(|line| line.contains("-->"))?;
    let last = lines.iter().rposition(|line| line.contains("-->"))?;
    let before = lines.get(..first)?;
    let header = before.iter().position(|line| line.trim_start().starts_with("WEBVTT"));
    let is_numbered = before.last().is_some_and(|line| is_number(line));
    let start = header.unwrap_or(first - usize::from(is_numbered));
    let text = lines.iter().skip(last + 1).take_while(|line| !line.trim().is_empty()).count();
    let end = last + 1 + text;
    let captions = lines.get(start..end)?.join("\n") + "\n";
    let command = [lines.get(..start)?.join("\n"), lines.get(end..)?.join("\n")].join("\n");
    Some((captions, command.trim().to_owned()))
}

fn is_number(line: &str) -> bool {
    line.trim().parse::<u32>().is_ok()
}

/// Returns the cues with readable times, in the order of the file.
pub fn cues(captions: &str) -> Vec<Cue> {
    let captions = captions.replace("\r\n", "\n");
    let mut lines = captions.lines().peekable();
    let mut found: Vec<Cue> = Vec::new();
    let mut inside = false;
    while let Some(line) = lines.next() {
        let next_has_times = lines.peek().is_some_and(|next| next.contains("-->"));
        if line.contains("-->") {
            let times = times(line);
            inside = times.is_some();
            let number = found.len() + 1;
            found.extend(times.map(|(start, end)| Cue { number, start, end, text: String::new() }));
        } else if line.trim().is_empty() || (next_has_times && is_number(line)) {
            inside = false;
        } else if let Some(cue) = found.last_mut().filter(|_| inside) {
            let separator = if cue.text.is_empty() { "" } else { "\n" };
            cue.text += separator;
            cue.text += without_tags(line).trim();
        }
    }
    found
}

fn times(line: &str) -> Option<(f64, f64)> {
    let (start, rest) = line.split_once("-->")?;
    Some((seconds(start.trim())?, seconds(rest.split_whitespace().next()?)?))
}

/// Returns a time such as `1:02:03,500` in seconds.
pub fn seconds(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.split(':').collect();
    let digits = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    if !(2..=3).contains(&parts.len()) || !parts.iter().all(digits) {
        return None;
    }
    parts.iter().try_fold(0.0, |sum, part| Some(sum * 60.0 + part.replace(',', ".").parse::<f64>().ok()?))
}

/// Removes the tags of a line in which each `<` has a `>`.
fn without_tags(line: &str) -> String {
    if line.matches('<').count() != line.matches('>').count() {
        return line.to_owned();
    }
    let parts = line.split('<').enumerate();
    parts.map(|(at, part)| if at == 0 { part } else { part.split_once('>').map_or("", |(_, rest)| rest) }).collect()
}
