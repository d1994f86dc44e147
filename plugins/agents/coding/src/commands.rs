//! The closed list of commands in words.

use agent_common::command::{Grammar, Slots};
use agent_common::form::Draft;
use agent_common::lexer::{self, Kind, Token};
use agent_common::material;
use agent_common::overlay::overlay;
use agent_common::slots::Common;
use serde_json::{Value, json};

use crate::examples;
use crate::input::{Input, Language};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`write a Python function NAME(a, b) that …`, `returning a * b`, `convert this code to Go`, with \
    examples as lines `NAME(1, 2) -> 3`";
/// References to something that the task does not contain.
const ELSEWHERE: &str = "attached|attachment|screenshot|last message|previous message|last time|as discussed|the usual|\
    described earlier";

/// Names of languages in commands that are not those of the type, in small letters.
const NAMES: [(&str, Language); 7] = [
    ("python3|python 3", Language::Python),
    ("js|node", Language::Javascript),
    ("c #", Language::Csharp),
    ("c + +", Language::Cpp),
    ("golang", Language::Go),
    ("postgresql|postgres|mysql", Language::Sql),
    ("shell", Language::Bash),
];

struct Code;

impl Slots for Code {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let one = match kind {
            "proglang" => language(tokens),
            "signature" => signature(tokens),
            "formula" => formula(tokens),
            "rest" => Some((tokens.len(), json!(joined(tokens)))),
            _ => return Common.read(kind, tokens),
        };
        one.into_iter().collect()
    }
}

/// Reads the longest name of a language.
fn language(tokens: &[Token]) -> Option<(usize, Value)> {
    let named = |length: usize| {
        let words = joined(tokens.get(..length)?).to_lowercase();
        let other = NAMES.iter().find(|(names, _)| names.split('|').any(|name| name == words));
        let own = || serde_json::from_value::<Language>(json!(words)).ok();
        Some((length, json!(other.map(|(_, language)| *language).or_else(own)?)))
    };
    (1..=3).rev().find_map(named)
}

fn joined(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Reads `name(a, b)`, or a name that looks like one of code: with `_` or a capital inside. The value has the
/// members of the typed input.
fn signature(tokens: &[Token]) -> Option<(usize, Value)> {
    let first = tokens.first()?;
    if first.kind == Kind::Quoted {
        let inner = lexer::tokens(&first.text);
        let (length, value) = signature(&inner).or_else(|| Some((1, json!({ "function": name(inner.first()?)? }))))?;
        return (length == inner.len()).then_some((1, value));
    }
    let name = name(first)?;
    if tokens.get(1).is_none_or(|token| token.text != "(") {
        let code_like = name.contains('_') || name.chars().skip(1).any(char::is_uppercase);
        return code_like.then(|| (1, json!({ "function": name })));
    }
    let end = tokens.iter().position(|token| token.text == ")")?;
    let parts = tokens.get(2..end)?.split(|token| token.text == ",").filter(|part| !part.is_empty());
    // `int a` has the type first.
    let parameters: Option<Vec<&str>> =
        parts.map(|part| self::name(part.last().filter(|_| part.len() <= 2)?)).collect();
    Some((end + 1, json!({ "function": name, "parameters": parameters? })))
}

fn name(token: &Token) -> Option<&str> {
    let is = token.kind == Kind::Word && token.text.chars().all(|c| c.is_alphanumeric() || c == '_');
    is.then_some(&token.text)
}

/// Reads arithmetic up to the end of the command.
fn formula(tokens: &[Token]) -> Option<(usize, Value)> {
    let end = tokens.len() - usize::from(tokens.last().is_some_and(|token| token.text == "."));
    let text = match tokens {
        [only] if only.kind == Kind::Quoted => only.text.clone(),
        _ => joined(tokens.get(..end)?).replace("* *", "**"),
    };
    let is = text.chars().all(|c| c.is_alphanumeric() || " _.+-*/()".contains(c))
        && text.contains(['+', '-', '*', '/'])
        && tokens.iter().take(end).all(|token| token.text != ".");
    is.then(|| (end, json!(text)))
}

/// Reads a task in words.
pub(crate) fn draft(task: &str) -> Draft<Input> {
    let (outside, code) = fenced(task);
    let split = material::text(&outside, &Grammar::new(COMMANDS), &Code);
    let reading = &split.reading;
    let Draft { mut form, question } = reading.draft::<Input>(SHOWN);
    let signature = reading.all("signature").find_map(|found| found.value("signature"));
    if let Some(signature) = signature.and_then(|value| serde_json::from_value(value.clone()).ok()) {
        form = overlay(form, &signature);
    }
    let has = |name: &str| reading.all(name).next().is_some();
    let asks = ["write", "change", "signature", "formula", "language"].into_iter().any(has);
    let examples = examples::read_all(&split.text);
    let lower = task.to_lowercase();
    let elsewhere = ELSEWHERE.split('|').find(|words| lower.contains(words) && !lower.contains("->"));
    let described = has("what") || !split.text.trim().is_empty() || form.formula.is_some() || code.is_some();
    let ask = |applies: bool, text: &str| applies.then(|| text.to_owned());
    let wrong = [
        (!asks).then(|| format!("what is to be written? Use {SHOWN}")),
        examples.as_ref().err().cloned(),
        ["signature", "change"].iter().find_map(|name| reading.one(name).err()),
        ask(has("change") && code.is_none(), "the code is missing: paste it in a fenced block (```)"),
        ask(code.is_some() && !has("change"), "what should happen to the code in the fenced block: fix, refactor, …?"),
        ask(has("formula") && !has("signature"), "the name of the function is missing, such as `area(w, h)`"),
        elsewhere.map(|words| format!("`{words}`: paste what the code must do, which is not in the task")),
        ask(!described, "what the code should do is missing: describe it, and add an example such as `f(1, 2) -> 3`"),
    ];
    let question = question.or_else(|| wrong.into_iter().flatten().next());
    let examples = examples.ok().filter(|all| !all.is_empty());
    let description = Some(outside.trim().to_owned()).filter(|text| !text.is_empty());
    Draft { form: Input { description, examples, code, ..form }, question }
}

/// Splits the fenced block off a task.
fn fenced(task: &str) -> (String, Option<String>) {
    let fence = if task.contains("```") { "```" } else { "~~~" };
    let parts: Vec<&str> = task.split(fence).collect();
    let [before, block, after] = parts.as_slice() else { return (task.to_owned(), None) };
    let code = block.split_once('\n').map_or(*block, |(_, code)| code);
    (format!("{}\n{}", before.trim_end(), after.trim_start()), Some(code.trim_matches('\n').to_owned() + "\n"))
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    /// Tasks, which have all published examples, with a part of the question, or of the form without its description.
    #[test]
    fn tasks_fill_the_form_or_are_a_question() {
        let tasks: Vec<[String; 2]> = serde_json::from_str(include_str!("../tasks.json")).unwrap();
        for example in command::examples(COMMANDS) {
            assert!(tasks.iter().any(|[task, _]| task == example), "{example}");
        }
        for [task, expect] in tasks {
            let Draft { form, question } = draft(&task);
            let text = question.unwrap_or_else(|| json!(Input { description: None, ..form }).to_string());
            assert!(text.contains(&expect), "{task}\n=> {text}");
        }
    }
}
