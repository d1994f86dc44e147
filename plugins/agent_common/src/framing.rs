//! A command with the text that it is about, in any of the layouts in which people write
//! them.

use crate::command::{Grammar, Slots};
use crate::material::{self, Text};

/// Splits a task into its command and its text. The command is the first line, the
/// beginning up to a colon or an empty line, or the last line or paragraph, whichever the
/// grammar reads completely; otherwise the beginning that it reads best.
#[must_use]
pub fn read(task: &str, grammar: &Grammar, slots: &dyn Slots) -> Text {
    let task = task.trim();
    let complete = |command: &str, text: &str| {
        let reading = grammar.read(command, slots);
        let all = reading.unread.is_empty() && !reading.found.is_empty() && !text.trim().is_empty();
        all.then(|| Text { reading, text: material::unquoted(text).to_owned() })
    };
    let first = || task.split_once('\n').and_then(|(command, text)| complete(command, text));
    let begin = || Some(material::text(task, grammar, slots)).filter(is_complete);
    let paragraph = || task.rsplit_once("\n\n").and_then(|(text, command)| complete(command, text));
    let last = || task.rsplit_once('\n').and_then(|(text, command)| complete(command, text));
    let found = first().or_else(begin).or_else(paragraph).or_else(last);
    found.unwrap_or_else(|| material::text(task, grammar, slots))
}

fn is_complete(read: &Text) -> bool {
    read.reading.unread.is_empty() && !read.reading.found.is_empty() && !read.text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::Common;

    #[test]
    fn the_command_is_found_in_every_layout() {
        let grammar = Grammar::new("- shorten: `shorten [this] [to {n:count} words]`");
        let cases = [
            "Shorten this\nTotal: 5\nDue: 3",
            "Shorten this:\nTotal: 5\nDue: 3",
            "shorten to 5 words\n\nTotal: 5\nDue: 3",
            "shorten: Total: 5\nDue: 3",
            "Total: 5\nDue: 3\n\nPlease shorten this.",
            "Total: 5\nDue: 3\nshorten this",
        ];
        for task in cases {
            let read = read(task, &grammar, &Common);
            assert_eq!((read.reading.unread.len(), read.text.as_str()), (0, "Total: 5\nDue: 3"), "{task}");
        }
        assert_eq!(read("sing it\n\nTotal: 5", &grammar, &Common).reading.unread, ["sing", "it"]);
    }
}
