//! Makes a prompt shorter without changing what it asks for.
//!
//! Invariants: code blocks, inline code, quotes and tags of the template stay as they are; every change is listed; a
//! second run changes nothing.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::text::{cut, fence, protected, sentences, words};

/// Longer wordings and the shorter ones for them, a list of this bridge's own: first wordings that plain language
/// guides shorten, then politeness that models do not need.
const PHRASES: [(&str, &str); 48] = [
    ("in order to", "to"),
    ("so as to", "to"),
    ("for the purpose of", "for"),
    ("due to the fact that", "because"),
    ("in view of the fact that", "because"),
    ("in light of the fact that", "because"),
    ("despite the fact that", "although"),
    ("in spite of the fact that", "although"),
    ("in the event that", "if"),
    ("in the event of", "if there is"),
    ("until such time as", "until"),
    ("at the present time", "now"),
    ("at this point in time", "now"),
    ("at that point in time", "then"),
    ("prior to", "before"),
    ("subsequent to", "after"),
    ("with regard to", "about"),
    ("with respect to", "about"),
    ("with reference to", "about"),
    ("in regard to", "about"),
    ("in relation to", "about"),
    ("pertaining to", "about"),
    ("in accordance with", "by"),
    ("by means of", "by"),
    ("in the amount of", "for"),
    ("in the near future", "soon"),
    ("a large number of", "many"),
    ("a number of", "some"),
    ("the majority of", "most"),
    ("in the absence of", "without"),
    ("has the ability to", "can"),
    ("have the ability to", "can"),
    ("is able to", "can"),
    ("are able to", "can"),
    ("take into consideration", "consider"),
    ("it is important to note that", ""),
    ("it should be noted that", ""),
    ("please note that", ""),
    ("as a matter of fact,", ""),
    ("i would like you to", ""),
    ("i want you to", ""),
    ("i need you to", ""),
    ("your task is to", ""),
    ("could you please", ""),
    ("would you please", ""),
    ("can you please", ""),
    ("please", ""),
    ("kindly", ""),
];

/// Most changes that are listed.
const LISTED_MAX: usize = 200;
/// Runs over a text until nothing changes.
const RUNS_MAX: usize = 6;

/// How far to go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing is changed.
    None,
    /// White space only.
    Whitespace,
    /// White space, sentences that were there before, and filler.
    #[default]
    Full,
}

/// One change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Change {
    /// whitespace, duplicate, filler or delimiter.
    pub kind: &'static str,
    /// The message it was made in, from 0.
    pub message: usize,
    /// The line of the template at that step, from 1.
    pub line: usize,
    /// What stood there, at most 120 characters.
    pub before: String,
    /// What stands there now, at most 120 characters; empty where it was taken out.
    pub after: String,
    /// Why.
    pub reason: String,
}

/// Changes so far: the first ones whole, all of them counted.
#[derive(Debug, Default)]
pub struct Changes {
    pub list: Vec<Change>,
    pub count: usize,
}

impl Changes {
    /// Notes one.
    pub fn add(&mut self, change: Change) {
        self.count += 1;
        if self.list.len() < LISTED_MAX {
            self.list.push(change);
        }
    }
}

/// Shortens one message. `seen` holds the sentences of earlier messages of the same role.
pub fn shorten(text: &str, message: usize, level: Level, seen: &HashSet<String>, changes: &mut Changes) -> String {
    let mut text = text.to_owned();
    if level == Level::None {
        return text;
    }
    for _ in 0..RUNS_MAX {
        let mut run = Run { message, level, seen: seen.clone(), changes: &mut *changes, changed: false };
        let next = run.text(&text);
        if !run.changed {
            break;
        }
        text = next;
    }
    text
}

struct Run<'c> {
    message: usize,
    level: Level,
    seen: HashSet<String>,
    changes: &'c mut Changes,
    changed: bool,
}

impl Run<'_> {
    fn text(&mut self, text: &str) -> String {
        let mut lines: Vec<String> = Vec::new();
        let (mut code, mut blank) = (false, 0usize);
        for (number, line) in text.lines().enumerate() {
            let number = number + 1;
            let edge = fence(line);
            if code || edge {
                code ^= edge;
                blank = 0;
                lines.push(line.to_owned());
                continue;
            }
            let short = self.line(line, number);
            let is_empty = short.trim().is_empty() && !line.trim().is_empty();
            blank = if short.trim().is_empty() { blank + 1 } else { 0 };
            if is_empty {
                blank = blank.saturating_sub(1);
            } else if blank > 1 || (blank == 1 && lines.is_empty()) {
                self.note("whitespace", number, line, "", "a second blank line says nothing");
            } else {
                lines.push(short);
            }
        }
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
            self.note("whitespace", text.lines().count(), "", "", "blank lines at the end say nothing");
        }
        lines.join("\n")
    }

    fn note(&mut self, kind: &'static str, line: usize, before: &str, after: &str, reason: &str) {
        self.changed = true;
        let change = Change {
            kind,
            message: self.message,
            line,
            before: cut(before, 120),
            after: cut(after, 120),
            reason: reason.to_owned(),
        };
        self.changes.add(change);
    }

    fn line(&mut self, line: &str, number: usize) -> String {
        let mut line = self.spaces(line, number);
        if self.level == Level::Full {
            line = self.duplicates(&line, number);
            line = self.filler(&line, number);
        }
        line
    }

    /// One space between words; nothing at the end. Indentation and tables stay.
    fn spaces(&mut self, line: &str, number: usize) -> String {
        let trimmed = line.trim_end();
        let indent = trimmed.len() - trimmed.trim_start().len();
        let table = trimmed.trim_start().starts_with('|');
        let spans = protected(trimmed);
        let mut out = String::new();
        for (at, letter) in trimmed.char_indices() {
            let stays = at < indent || table || spans.get(at) == Some(&true);
            if letter != ' ' || stays || !out.ends_with(' ') {
                out.push(letter);
            }
        }
        if out != line {
            self.note("whitespace", number, line, &out, "white space that says nothing");
        }
        out
    }

    /// Sentences of four words or more that stood before.
    fn duplicates(&mut self, line: &str, number: usize) -> String {
        let mut out = String::new();
        for range in sentences(line) {
            let sentence = line.get(range).unwrap_or_default();
            let key = words(sentence).join(" ");
            let tagged = sentence.contains("{{#") || sentence.contains("{{/") || sentence.contains("{{else");
            if key.split(' ').count() < 4 || tagged || self.seen.insert(key) {
                out.push_str(sentence);
            } else {
                self.note("duplicate", number, sentence.trim(), "", "the same sentence stood before");
            }
        }
        out.trim_end().to_owned()
    }

    fn filler(&mut self, line: &str, number: usize) -> String {
        let mut line = line.to_owned();
        for (long, short) in PHRASES {
            let lower = line.to_ascii_lowercase();
            if !lower.contains(long) {
                continue;
            }
            let mask = protected(&line);
            let mut out = String::with_capacity(line.len());
            let (mut from, mut raise) = (0usize, false);
            for (at, _) in lower.match_indices(long) {
                let end = at + long.len();
                if at < from || mask.get(at) == Some(&true) || !whole_words(&line, at, end, long) {
                    continue;
                }
                let written = line.get(at..end).unwrap_or_default();
                push(&mut out, line.get(from..at).unwrap_or_default(), &mut raise);
                let reason =
                    if short.is_empty() { "says nothing to a model" } else { "the shorter wording means the same" };
                self.note("filler", number, written, short, reason);
                raise |= written.starts_with(char::is_uppercase);
                from = end;
                if short.is_empty() {
                    let tail = line.get(end..).unwrap_or_default().trim_start_matches([' ', ',']);
                    from = line.len() - tail.len();
                    // Before a mark that ends the sentence no space is left over.
                    if tail.is_empty() || tail.starts_with(['.', '?', '!', ':', ';']) {
                        out.truncate(out.trim_end_matches([' ', ',']).len());
                    }
                } else {
                    push(&mut out, short, &mut raise);
                }
            }
            push(&mut out, line.get(from..).unwrap_or_default(), &mut raise);
            line = out;
        }
        line
    }
}

fn whole_words(line: &str, at: usize, end: usize, long: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '\''));
    edge(line.get(..at).and_then(|head| head.chars().next_back()))
        && (long.ends_with(',') || edge(line.get(end..).and_then(|tail| tail.chars().next())))
}

/// Appends a text; if asked, its first letter becomes a capital.
fn push(out: &mut String, text: &str, raise: &mut bool) {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if *raise => {
            *raise = false;
            out.extend(first.to_uppercase());
            out.push_str(letters.as_str());
        }
        _ => out.push_str(text),
    }
}
