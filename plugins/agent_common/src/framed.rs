//! Texts with a command before them, behind them, or both.

use crate::command::{Grammar, Reading, Slots};
use crate::lexer;
use crate::material::{self, Text};

/// Splits a task into a command and its text, like [`material::text`]; the last paragraph,
/// or the last line of a task without an empty line, may also be a command.
///
/// A last paragraph that only partly reads as a command makes the reading incomplete, so
/// that a wish in it is not mistaken for a part of the text.
pub fn text(task: &str, grammar: &Grammar, slots: &dyn Slots) -> Text {
    let front = material::text(task, grammar, slots);
    if front.is_complete() {
        return with_tail(with_rest_of_line(front, task, grammar, slots), grammar, slots);
    }
    let back = last_paragraph(task).or_else(|| task.trim_end().rsplit_once('\n'));
    let back = back.and_then(|(text, command)| complete(command, text, grammar, slots));
    back.unwrap_or(front)
}

/// Splits a task into a command and a document, whose paragraphs are never commands if
/// another part is one: the first line, the beginning up to a colon or an empty line, or
/// the last paragraph or line, whichever the grammar reads completely first.
pub fn read(task: &str, grammar: &Grammar, slots: &dyn Slots) -> Text {
    let task = task.trim();
    let begin = material::text(task, grammar, slots);
    let first = task.split_once('\n').and_then(|(command, text)| complete(command, text, grammar, slots));
    if first.is_none() && begin.is_complete() {
        return begin;
    }
    let back = ["\n\n", "\n"].iter().filter_map(|end| task.rsplit_once(end));
    let mut back = back.filter_map(|(text, command)| complete(command, text, grammar, slots));
    first.or_else(|| back.next()).unwrap_or(begin)
}

fn complete(command: &str, text: &str, grammar: &Grammar, slots: &dyn Slots) -> Option<Text> {
    let split = Text { reading: grammar.read(command, slots), text: material::unquoted(text).to_owned() };
    split.is_complete().then_some(split)
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
    use crate::rows;
    use crate::slots::Common;

    #[test]
    fn commands_before_behind_and_around_a_text() {
        let grammar = Grammar::new("- shorten: `shorten [this]`\n- length: `[in|max [.]] {n:count} words`");
        for (task, found, unread, material) in
            rows::<(String, usize, String, String)>(include_str!("../cases/framed.json"))
        {
            let split = text(&task, &grammar, &Common);
            let shown = (split.reading.found.len(), split.reading.unread.join(" "), split.text);
            assert_eq!(shown, (found, unread, material), "{task}");
        }
    }

    #[test]
    fn the_command_of_a_document_is_found_in_every_layout() {
        let grammar = Grammar::new("- shorten: `shorten [this] [to {n:count} words]`");
        for task in rows::<String>(include_str!("../cases/framed_documents.json")) {
            let read = read(&task, &grammar, &Common);
            assert_eq!((read.reading.unread.len(), read.text.as_str()), (0, "Total: 5\nDue: 3"), "{task}");
        }
        assert_eq!(read("sing it\n\nTotal: 5", &grammar, &Common).reading.unread, ["sing", "it"]);
    }
}
