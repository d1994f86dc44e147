//! The closed list of commands in words.

use agent_common::command::{Grammar, Reading, Slots};
use agent_common::form::{self, Draft};
use agent_common::lexer::{self, Kind, Token};
use agent_common::material;
use agent_common::slots::Common;
use serde_json::{Value, json};

use crate::examples;
use crate::input::Input;
use crate::language::Language;

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`write a Python function NAME(a, b) that …`, `returning a * b`, `convert this code to Go`, with \
    examples as lines `NAME(1, 2) -> 3`";
/// References to something that the task does not contain.
const ELSEWHERE: [&str; 9] = [
    "attached",
    "attachment",
    "screenshot",
    "last message",
    "previous message",
    "last time",
    "as discussed",
    "the usual",
    "described earlier",
];

struct Code;

impl Slots for Code {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        match kind {
            "proglang" => Language::read(tokens).into_iter().map(|(length, found)| (length, json!(found))).collect(),
            "signature" => signature(tokens).into_iter().collect(),
            "formula" => formula(tokens).into_iter().collect(),
            "rest" => vec![(tokens.len(), json!(joined(tokens)))],
            _ => Common.read(kind, tokens),
        }
    }
}

fn joined(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Reads `name(a, b)`, or a name that looks like one of code: with `_` or a capital inside.
fn signature(tokens: &[Token]) -> Option<(usize, Value)> {
    let first = tokens.first()?;
    if first.kind == Kind::Quoted {
        let inner = lexer::tokens(&first.text);
        let (length, value) = signature(&inner).or_else(|| Some((1, json!({ "name": name(inner.first()?)? }))))?;
        return (length == inner.len()).then_some((1, value));
    }
    let name = name(first)?;
    let is = |at: usize, sign: &str| tokens.get(at).is_some_and(|token| token.text == sign);
    if !is(1, "(") {
        let code_like = name.contains('_') || name.chars().skip(1).any(char::is_uppercase);
        return code_like.then(|| (1, json!({ "name": name })));
    }
    let end = tokens.iter().position(|token| token.text == ")")?;
    let inner = tokens.get(2..end)?;
    let parameters: Option<Vec<String>> = inner
        .split(|token| token.text == ",")
        .filter(|part| !part.is_empty())
        .map(|part| self::name(part.last().filter(|_| part.len() <= 2)?))
        .collect();
    Some((end + 1, json!({ "name": name, "parameters": parameters? })))
}

fn name(token: &Token) -> Option<String> {
    let is = token.kind == Kind::Word && token.text.chars().all(|c| c.is_alphanumeric() || c == '_');
    is.then(|| token.text.clone())
}

/// Reads arithmetic up to the end of the command.
fn formula(tokens: &[Token]) -> Option<(usize, Value)> {
    let end = tokens.len() - usize::from(tokens.last().is_some_and(|token| token.text == "."));
    let text = match tokens {
        [only] if only.kind == Kind::Quoted => only.text.clone(),
        _ => joined(tokens.get(..end)?).replace("* *", "**"),
    };
    let sentence = tokens.iter().take(end).any(|token| token.text == ".");
    let is = text.chars().all(|c| c.is_alphanumeric() || " _.+-*/()".contains(c))
        && text.contains(['+', '-', '*', '/'])
        && !sentence;
    is.then(|| (end, json!(text)))
}

/// Reads a task in words.
pub(crate) fn draft(task: &str) -> Draft<Input> {
    let grammar = Grammar::new(COMMANDS);
    let (outside, code) = fenced(task);
    let split = material::text(&outside, &grammar, &Code);
    let reading = split.reading;
    let examples = examples::read_all(&split.text);
    let lower = task.to_lowercase();
    let elsewhere = ELSEWHERE.iter().find(|words| lower.contains(**words) && !lower.contains("->"));
    let mut form = options(&reading);
    let described = reading.all("what").next().is_some() || !split.text.trim().is_empty();
    let question = form::unread(&reading.unread, SHOWN)
        .or_else(|| (!asks(&reading)).then(|| format!("what is to be written? Use {SHOWN}")))
        .or_else(|| examples.as_ref().err().cloned())
        .or_else(|| conflict(&reading, code.is_some()))
        .or_else(|| elsewhere.map(|words| format!("`{words}`: paste what the code must do, which is not in the task")))
        .or_else(|| {
            let missing = "what the code should do is missing: describe it, and add an example such as `f(1, 2) -> 3`";
            (!described && form.formula.is_none() && code.is_none()).then(|| missing.to_owned())
        });
    form.examples = examples.ok().filter(|all| !all.is_empty());
    form.description = (!outside.trim().is_empty()).then(|| outside.trim().to_owned());
    form.code = code;
    Draft { form, question }
}

/// Returns whether a command asks for code, and does not only describe something.
fn asks(reading: &Reading) -> bool {
    let clauses = ["write", "change", "signature", "formula", "language"];
    reading.found.iter().any(|found| clauses.contains(&found.clause.as_str()))
}

/// Splits the fenced block off a task.
fn fenced(task: &str) -> (String, Option<String>) {
    let fence = if task.contains("```") { "```" } else { "~~~" };
    let parts: Vec<&str> = task.split(fence).collect();
    let [before, block, after] = parts.as_slice() else { return (task.to_owned(), None) };
    let code = block.split_once('\n').map_or(*block, |(_, code)| code);
    (format!("{}\n{}", before.trim_end(), after.trim_start()), Some(code.trim_matches('\n').to_owned() + "\n"))
}

fn options(reading: &Reading) -> Input {
    let language = |found: &agent_common::command::Match| {
        found.value("language").and_then(|value| serde_json::from_value::<Language>(value.clone()).ok())
    };
    let signature = reading.all("signature").next().and_then(|found| found.value("signature").cloned());
    let name = signature.as_ref().and_then(|value| value.get("name")).and_then(Value::as_str);
    let parameters = signature.as_ref().and_then(|value| value.get("parameters")).cloned();
    Input {
        language: ["change", "language", "write"].iter().find_map(|name| reading.all(name).find_map(language)),
        function: name.map(str::to_owned),
        parameters: parameters.and_then(|list| serde_json::from_value(list).ok()),
        formula: reading.all("formula").next().map(|found| found.text("formula")),
        ..Input::default()
    }
}

/// Returns the question about clauses that contradict each other.
fn conflict(reading: &Reading, code: bool) -> Option<String> {
    let has = |name: &str| reading.all(name).next().is_some();
    let twice = ["signature", "formula", "change", "language"].iter().find_map(|name| reading.one(name).err());
    let text = if has("change") && !code {
        "the code is missing: paste it in a fenced block (```)"
    } else if code && !has("change") {
        "what should happen to the code in the fenced block: fix, refactor, convert, …?"
    } else if has("formula") && !has("signature") {
        "the name of the function and its parameters are missing, such as `area(w, h)`"
    } else {
        return twice;
    };
    twice.or_else(|| Some(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    #[test]
    fn published_examples_are_understood() {
        assert_eq!(command::examples(COMMANDS).len(), 6);
        for example in command::examples(COMMANDS) {
            assert_eq!(draft(example).question, None, "{example}");
        }
    }

    #[test]
    fn clauses_fill_the_form() {
        let shown = |task: &str| {
            let form = draft(task).form;
            let language = form.language.map(|language| json!(language).as_str().unwrap_or_default().to_owned());
            let parts = [language, form.function, form.parameters.map(|list| list.join(",")), form.formula];
            let count = form.examples.map_or(0, |all| all.len());
            format!("{} {count} {}", parts.map(Option::unwrap_or_default).join("|"), form.code.is_some())
        };
        let all: Vec<String> = command::examples(COMMANDS).into_iter().map(shown).collect();
        let expect = [
            "python||| 0 false",
            "python|c_to_f|c|c * 9 / 5 + 32 2 false",
            "javascript|isStrong|pw| 2 false",
            "lua|map_range|x,a,b,c,d| 1 false",
            "javascript||| 1 true",
            "||| 1 true",
        ];
        assert_eq!(all, expect);
        assert_eq!(
            shown("C++ function `max3(int a, int b, int c)` that returns the largest"),
            "cpp|max3|a,b,c| 0 false"
        );
    }

    #[test]
    fn what_is_not_clear_is_a_question() {
        let cases = [
            ("Write a Python function", "missing"),
            ("Write a Haskell function that adds", "Haskell"),
            ("Fix this code", "code is missing"),
            ("For the party tomorrow, please book a table", "what is to be written"),
            ("Hello,\n\nit should be ready by noon.", "what is to be written"),
            ("Write the Python function that I described in my last message", "last message"),
            ("Python function returning a * b", "name of the function"),
            ("Please log in to our GitHub organisation and delete the stale branches.", "log"),
            ("Does this parse?\n\n```python\nx = 1\n```", "Does this parse"),
        ];
        for (task, part) in cases {
            let question = draft(task).question.unwrap_or_default();
            assert!(question.contains(part), "{task}: {question}");
        }
    }
}
