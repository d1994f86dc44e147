//! Texts with a command before them, behind them, or both.

use crate::command::{Grammar, Reading, Slots};
use crate::lexer;
use crate::material::{self, Text};

/// Splits a task into a command and its text, like [`material::text`]; the last paragraph,
/// or the last line of a task without an empty line, may also be a command.
///
/// A last paragraph that only partly reads as a command makes the reading incomplete, so
/// that a wish in it is not mistaken for a part of the text.
#[must_use]
pub fn text(task: &str, grammar: &Grammar, slots: &dyn Slots) -> Text {
    let front = material::text(task, grammar, slots);
    let complete = front.reading.unread.is_empty() && !front.reading.found.is_empty();
    if complete && !front.text.is_empty() {
        return with_tail(with_rest_of_line(front, task, grammar, slots), grammar, slots);
    }
    let back = last_paragraph(task).or_else(|| task.trim_end().rsplit_once('\n'));
    let back = back.map(|(text, command)| (text, grammar.read(command, slots)));
    match back {
        Some((text, reading)) if reading.unread.is_empty() && !reading.found.is_empty() => {
            Text { reading, text: material::unquoted(text).to_owned() }
        }
        _ => front,
    }
}

/// Makes a reading incomplete if the text begins inside a first paragraph that ends with a
/// colon or has more clauses: the command may end there, and not at an earlier colon.
fn with_rest_of_line(mut front: Text, task: &str, grammar: &Grammar, slots: &dyn Slots) -> Text {
    let Some((first, rest)) = task.trim().split_once("\n\n") else { return front };
    let last = first.rsplit([':', '\n']).find(|part| !part.trim().is_empty()).unwrap_or_default().trim();
    let inside = front.text.len() > rest.trim().len();
    let more = || first.split_once(':').is_some_and(|(_, rest)| !grammar.read(rest, slots).found.is_empty());
    if inside && (first.trim_end().ends_with(':') || more()) {
        front.reading.unread.extend(lexer::tokens(last).into_iter().map(|token| token.text));
    }
    front
}

fn last_paragraph(text: &str) -> Option<(&str, &str)> {
    text.trim_end().rsplit_once("\n\n").filter(|(before, _)| !before.trim().is_empty())
}

/// Moves what the last paragraph of a text adds to its command.
fn with_tail(front: Text, grammar: &Grammar, slots: &dyn Slots) -> Text {
    let Some((text, tail)) = last_paragraph(&front.text) else { return front };
    let own = grammar.read(tail, slots);
    if own.found.is_empty() || own.unread.len() * 3 > lexer::tokens(tail).len() * 2 {
        return front;
    }
    let Reading { mut found, mut unread } = front.reading;
    found.extend(own.found);
    unread.extend(own.unread);
    Text { reading: Reading { found, unread }, text: material::unquoted(text).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::Common;

    #[test]
    fn commands_before_behind_and_around_a_text() {
        let grammar = Grammar::new("- shorten: `shorten [this]`\n- length: `[in|max [.]] {n:count} words`");
        let read = |task: &str| {
            let split = text(task, &grammar, &Common);
            (split.reading.found.len(), split.reading.unread.join(" "), split.text)
        };
        let cases = [
            ("Shorten this: It rained.\n\nAll day.", 1, "", "It rained.\n\nAll day."),
            ("It rained.\n\nAll day.\n\nShorten this, please", 1, "", "It rained.\n\nAll day."),
            ("It rained.\nAll day.\nShorten this in 5 words", 2, "", "It rained.\nAll day."),
            ("Shorten\n\nIt rained.\n\nMax. 5 words.", 2, "", "It rained."),
            ("Shorten\n\nIt rained.\n\n5 words, no jargon", 2, "no jargon", "It rained."),
            ("Shorten\n\nIt rained.\n\nThanks!", 1, "", "It rained.\n\nThanks!"),
            (
                "Shorten: \"Hi\" no, wrong, here it is:\n\nIt rained.",
                1,
                "Hi no , wrong , here it is",
                "\"Hi\" no, wrong, here it is:\n\nIt rained.",
            ),
            ("Shorten this: why? In 5 words.\n\nIt rained.", 1, "why ? In 5 words .", "why? In 5 words.\n\nIt rained."),
            ("Shorten this:\n\nNote: it rained:\n\nAll day.", 1, "", "Note: it rained:\n\nAll day."),
            ("Shorten the past\n\nIt rained.", 1, "the past", "It rained."),
        ];
        for (task, found, unread, material) in cases {
            assert_eq!(read(task), (found, unread.to_owned(), material.to_owned()), "{task}");
        }
    }
}
