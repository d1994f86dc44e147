//! The closed list of commands in words, and the code in a task.

use agent_common::command::{Grammar, Reading, Slots};
use agent_common::form::Draft;
use agent_common::framed;
use agent_common::lexer::Token;
use agent_common::slots::Common;
use serde_json::{Value, json};

use crate::input::{File, Input};
use crate::language;

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`review this code`, `for security`, `find bugs`, `what is wrong with this function`, followed by \
    the code in a fenced block";
/// Names of what a review is limited to.
const FOCUS: [(&str, &str); 6] = [
    ("security", "security|security issues|security problems|security bugs|vulnerabilities|injection"),
    ("defects", "bugs|errors|mistakes|defects|problems|issues|faults|correctness"),
    ("defects", "memory problems|memory errors|memory safety"),
    ("style", "style|style issues|readability|code style"),
    ("complexity", "complexity|nesting|duplicates|duplicate code"),
    ("unused", "unused code|dead code|unused imports|unreachable code"),
];
/// Signs of code.
const SIGNS: [char; 6] = ['(', ')', '{', '}', '=', ';'];
/// How code can begin without such signs.
const STARTS: [&str; 8] = ["import ", "from ", "#", "//", "--", "@", "package ", "use "];

struct Words;

impl Slots for Words {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let named = |name: &str| match kind {
            "codelang" => language::of_name(name),
            _ => FOCUS.iter().find(|(_, names)| names.split('|').any(|one| one == name)).map(|(focus, _)| *focus),
        };
        let read = |length: usize| {
            let words: Vec<&str> = tokens.iter().take(length).map(|token| token.lower.as_str()).collect();
            Some((length, json!(named(&words.join(" "))?)))
        };
        match kind {
            "codelang" | "focus" => (1..=tokens.len().min(3)).rev().filter_map(read).collect(),
            _ => Common.read(kind, tokens),
        }
    }
}

/// Reads a task in words.
pub(crate) fn draft(task: &str) -> Draft<Input> {
    let (reading, diff, blocks) = split(task, &Grammar::new(COMMANDS));
    let named = reading.found.iter().find_map(|found| language::of_name(&found.text("language")));
    let asks = ["review", "focus", "fault"].iter().any(|name| reading.all(name).next().is_some());
    let is_bare = diff.is_none() && blocks.iter().all(|(fence, _)| fence.is_empty());
    let mut unknown = false;
    let mut files = Vec::new();
    for (at, (fence, content)) in blocks.into_iter().enumerate() {
        let language = language::of_name(&fence).or(named).or_else(|| language::of_code(&content));
        unknown |= language.is_none();
        let path = format!("block{}.{}", at + 1, language::ending(language.unwrap_or_default()));
        files.push(File { path, content });
    }
    let Draft { form, question } = reading.draft::<Input>(SHOWN);
    let missing = "there is no code in the task: paste it in a fenced block (```), or as a unified diff";
    let question = (files.is_empty() && diff.is_none())
        .then(|| missing.to_owned())
        .or(question)
        // Fenced code or a diff alone asks for a review; `:` and the like are no words.
        .or_else(|| (!asks && is_bare).then(|| format!("what is to be done with the code? Use {SHOWN}")))
        .or_else(|| unknown.then(|| "in which language is the code? Name it in the command".to_owned()));
    Draft { form: Input { files: (!files.is_empty()).then_some(files), diff, ..form }, question }
}

/// Code with the name on its fence.
type Block = (String, String);

/// Splits a task into its command and its code: a diff, or blocks.
fn split(task: &str, grammar: &Grammar) -> (Reading, Option<String>, Vec<Block>) {
    let read = |command: &str| grammar.read(command, &Words);
    if let Some(fence) = ["```", "~~~"].into_iter().find(|fence| task.matches(fence).count() > 1) {
        let parts: Vec<&str> = task.split(fence).collect();
        let outside: Vec<&str> = parts.iter().step_by(2).copied().collect();
        let block = |part: &&str| {
            let (name, code) = part.split_once('\n').unwrap_or(("", part));
            (name.trim().to_owned(), code.trim_end().to_owned() + "\n")
        };
        let blocks = parts.iter().skip(1).step_by(2).map(block).filter(|(_, code)| !code.trim().is_empty());
        return (read(&outside.join("\n")), None, blocks.collect());
    }
    let lines: Vec<&str> = task.lines().collect();
    let first = lines.iter().position(|line| line.starts_with("diff --git ") || line.starts_with("--- "));
    if let Some((command, diff)) = first.filter(|_| task.contains("\n@@ ")).and_then(|at| lines.split_at_checked(at)) {
        return (read(&command.join("\n")), Some(diff.join("\n") + "\n"), Vec::new());
    }
    let split = framed::text(task, grammar, &Words);
    let block = looks_like_code(&split.text).then(|| (String::new(), split.text.trim_end().to_owned() + "\n"));
    (split.reading, None, block.into_iter().collect())
}

/// Returns whether most lines of a text have signs of code, or begin as SQL does. The first line has to look like
/// code too, because lines are counted from there.
fn looks_like_code(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let is_signed = |line: &str| line.contains(SIGNS) || line.trim_end().ends_with(':');
    let (signed, all) = (lines.iter().filter(|line| is_signed(line)).count(), lines.len());
    let first = lines.first().copied().unwrap_or_default();
    let begins = STARTS.iter().any(|start| first.trim_start().starts_with(start));
    let most = match language::of_code(text) {
        Some("sql") => true,
        Some(_) => signed * 4 >= all && signed > 0,
        None => signed * 5 >= all * 3 && signed > 0,
    };
    most && (begins || is_signed(first) || language::of_code(first).is_some())
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    /// Tasks, which have all published examples, with the question, or with the files, the focus, whether there is a
    /// fault and whether there is a diff.
    #[test]
    fn tasks_fill_the_form_or_are_a_question() {
        let tasks: Vec<[String; 2]> = serde_json::from_str(include_str!("../tasks.json")).unwrap();
        for example in command::examples(COMMANDS) {
            assert!(tasks.iter().any(|[task, _]| task == example), "{example}");
        }
        for [task, expect] in tasks {
            let Draft { form, question } = draft(&task);
            let paths: Vec<&str> = form.files.iter().flatten().map(|file| file.path.as_str()).collect();
            let shown = json!([paths, form.focus, form.fault, form.diff.is_some()]).to_string();
            let text = question.unwrap_or(shown);
            assert!(text.contains(&expect), "{task}\n=> {text}");
        }
    }
}
