//! The closed list of commands in words, and the code in a task.

use agent_common::command::{Grammar, Match, Reading, Slots};
use agent_common::form::{self, Draft};
use agent_common::framed;
use agent_common::lexer::Token;
use agent_common::slots::Common;
use serde_json::{Value, json};

use crate::input::{File, Focus, Input};
use crate::language;

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`review this code`, `for security`, `find bugs`, `what is wrong with this function`, followed by the \
    code in a fenced block";
/// Names of what a review is limited to.
const FOCUS: [(Focus, &[&str]); 5] = [
    (
        Focus::Security,
        &["security", "security issues", "security problems", "security bugs", "vulnerabilities", "injection"],
    ),
    (
        Focus::Defects,
        &[
            "bugs",
            "errors",
            "mistakes",
            "defects",
            "problems",
            "issues",
            "faults",
            "correctness",
            "memory problems",
            "memory errors",
            "memory safety",
        ],
    ),
    (Focus::Style, &["style", "style issues", "readability", "code style"]),
    (Focus::Complexity, &["complexity", "nesting", "duplicates", "duplicate code"]),
    (Focus::Unused, &["unused code", "dead code", "unused imports", "unreachable code"]),
];
/// Signs of code.
const SIGNS: &str = "(){}=;";

/// How code can begin without such signs.
const STARTS: [&str; 8] = ["import ", "from ", "#", "//", "--", "@", "package ", "use "];

struct Words;

impl Slots for Words {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let spoken = |length: usize| -> String {
            let words = tokens.iter().take(length).map(|token| token.lower.as_str());
            words.collect::<Vec<_>>().join(" ")
        };
        let longest = |read: &dyn Fn(&str) -> Option<Value>| -> Vec<(usize, Value)> {
            let within = (1..=tokens.len().min(3)).rev();
            within.filter_map(|length| Some((length, read(&spoken(length))?))).collect()
        };
        match kind {
            "codelang" => longest(&|text| language::of_name(text).map(|name| json!(name))),
            "focus" => {
                longest(&|text| FOCUS.iter().find(|(_, names)| names.contains(&text)).map(|(focus, _)| json!(focus)))
            }
            _ => Common.read(kind, tokens),
        }
    }
}

/// Reads a task in words.
pub(crate) fn draft(task: &str) -> Draft<Input> {
    let grammar = Grammar::new(COMMANDS);
    let (reading, code) = split(task, &grammar);
    let named = reading.found.iter().map(|found| found.text("language")).find(|name| !name.is_empty());
    let mut form = options(&reading);
    let mut unknown = false;
    let bare = matches!(&code, Code::Blocks(blocks) if blocks.iter().all(|(fence, _)| fence.is_empty()));
    let asks = reading.found.iter().any(|found| matches!(found.clause.as_str(), "review" | "focus" | "fault"));
    let is_wordy = !asks && bare;
    match code {
        Code::Diff(diff) => form.diff = Some(diff),
        Code::Blocks(blocks) => {
            let mut files = Vec::new();
            for (at, (fence, content)) in blocks.into_iter().enumerate() {
                let language = language::of_name(&fence)
                    .or_else(|| language::of_name(named.as_deref().unwrap_or_default()))
                    .or_else(|| language::of_code(&content));
                unknown |= language.is_none();
                let path = format!("block{}.{}", at + 1, language::ending(language.unwrap_or_default()));
                files.push(File { path, content });
            }
            form.files = (!files.is_empty()).then_some(files);
        }
    }
    let missing = "there is no code in the task: paste it in a fenced block (```), or as a unified diff";
    let question = (form.files.is_none() && form.diff.is_none()).then(|| missing.to_owned());
    let question = question
        .or_else(|| form::unread(&reading.unread, SHOWN))
        // Fenced code or a diff alone asks for a review; `:` and the like are no words.
        .or_else(|| is_wordy.then(|| format!("what is to be done with the code? Use {SHOWN}")))
        .or_else(|| unknown.then(|| "in which language is the code? Name it in the command".to_owned()));
    Draft { form, question }
}

enum Code {
    Diff(String),
    /// Name on the fence, and the code.
    Blocks(Vec<(String, String)>),
}

/// Splits a task into its command and its code.
fn split(task: &str, grammar: &Grammar) -> (Reading, Code) {
    let fence = ["```", "~~~"].into_iter().find(|fence| task.matches(fence).count() > 1);
    if let Some(fence) = fence {
        let parts: Vec<&str> = task.split(fence).collect();
        let outside: Vec<&str> = parts.iter().step_by(2).copied().collect();
        let block = |part: &&str| {
            let (name, code) = part.split_once('\n').unwrap_or(("", part));
            (name.trim().to_owned(), code.trim_end().to_owned() + "\n")
        };
        let blocks = parts.iter().skip(1).step_by(2).map(block).filter(|(_, code)| !code.trim().is_empty());
        return (grammar.read(&outside.join("\n"), &Words), Code::Blocks(blocks.collect()));
    }
    let first = |line: &str| line.starts_with("diff --git ") || line.starts_with("--- ");
    if task.contains("\n@@ ")
        && let Some(start) = task.lines().position(first)
    {
        let lines: Vec<&str> = task.lines().collect();
        let part = |lines: Option<&[&str]>| lines.unwrap_or_default().join("\n");
        return (grammar.read(&part(lines.get(..start)), &Words), Code::Diff(part(lines.get(start..)) + "\n"));
    }
    let split = framed::text(task, grammar, &Words);
    let is_code = looks_like_code(&split.text);
    let blocks = is_code.then(|| (String::new(), split.text.trim_end().to_owned() + "\n")).into_iter().collect();
    (split.reading, Code::Blocks(blocks))
}

/// Returns whether most lines of a text have signs of code, or begin as SQL does.
fn looks_like_code(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let signed = lines.iter().filter(|line| line.contains(|c| SIGNS.contains(c)) || line.trim_end().ends_with(':'));
    let (signed, all) = (signed.count(), lines.len());
    // Lines are counted from the first one, so that nothing else may come before the code.
    let first = lines.first().copied().unwrap_or_default();
    let begins = STARTS.iter().any(|start| first.trim_start().starts_with(start));
    if !(begins
        || first.contains(|c| SIGNS.contains(c))
        || first.trim_end().ends_with(':')
        || language::of_code(first).is_some())
    {
        return false;
    }
    match language::of_code(text) {
        Some("sql") => true,
        Some(_) => signed * 4 >= all && signed > 0,
        None => signed * 5 >= all * 3 && signed > 0,
    }
}

fn options(reading: &Reading) -> Input {
    let secure =
        |found: &Match| if found.slots.iter().any(|(name, _)| name == "focus") { None } else { Some(Focus::Security) };
    let read = |found: &Match| {
        found.value("focus").and_then(|value| serde_json::from_value(value.clone()).ok()).or_else(|| secure(found))
    };
    let focus: Vec<Focus> = reading.all("focus").filter_map(read).collect();
    Input {
        focus: (!focus.is_empty()).then_some(focus),
        fault: reading.all("fault").next().map(|_| true),
        ..Input::default()
    }
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    #[test]
    fn published_examples_are_understood() {
        let examples = command::examples(COMMANDS);
        assert_eq!(examples.len(), 6);
        for example in examples {
            assert_eq!(draft(example).question, None, "{example}");
        }
    }

    #[test]
    fn code_and_wishes_fill_the_form() {
        let shown = |task: &str| {
            let draft = draft(task);
            assert_eq!(draft.question, None, "{task}");
            let paths: Vec<String> = draft.form.files.into_iter().flatten().map(|file| file.path).collect();
            format!(
                "{} {} {} {}",
                paths.join(","),
                json!(draft.form.focus),
                json!(draft.form.fault),
                draft.form.diff.is_some()
            )
        };
        let all: Vec<String> = command::examples(COMMANDS).into_iter().map(shown).collect();
        let expect = [
            r#"block1.py ["security"] null false"#,
            r#"block1.py ["defects"] null false"#,
            r#"block1.js ["style"] null false"#,
            "block1.sql null true false",
            " null null true",
            r#"block1.py ["unused"] null false"#,
        ];
        assert_eq!(all, expect);
        assert_eq!(shown("Is this C++ code safe?\n\n```\nint main() {}\n```"), r#"block1.cpp ["security"] null false"#);
    }

    #[test]
    fn what_is_not_clear_is_a_question() {
        let cases = [
            ("Review this, please: [object Object]", "no code"),
            ("Review this code:\n\nThe quick way to the station is left at the bakery, then on.", "no code"),
            ("Error: index 5\n  at A.f(A.java:4)\n\npublic class A {\n}\n\nwhat is wrong here", "no code"),
            ("review:\n\n```python\n\n```", "no code"),
            ("Could you review my code? It's a small Flask app.", "no code"),
            ("Review this code\n\n```\nx <- 1\n```", "in which language"),
            ("Review this code, the boss says it loses money\n\n```python\nx = 1\n```", "boss"),
            ("Does it meet the spec?\n\n```python\nx = 1\n```", "spec"),
        ];
        for (task, part) in cases {
            let question = draft(task).question.unwrap_or_default();
            assert!(question.contains(part), "{task}: {question}");
        }
    }
}
