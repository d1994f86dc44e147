//! What a task in words wants translated, and under which conditions.

use agent_common::request::Request;
use agent_common::{function_words, quotes};

use crate::glossary::{Term, glossary};
use crate::languages;
use crate::pairs::pairs;
use crate::questions::{of_question, plain_question, quoted_alone};

/// Words of requests for what stands on screens and signs.
const SCREEN: &[&str] = &[
    "button",
    "label",
    "menu",
    "app ",
    "interface",
    " ui",
    "ui ",
    "website",
    "web shop",
    "webshop",
    "string",
    "locali",
    "screen",
    "sign",
    "navigation",
    "checkout",
];

/// A task, taken apart.
#[derive(Debug, Default)]
pub struct Task {
    /// What it asks.
    pub instruction: String,
    /// The text as one.
    pub text: String,
    /// Its separate parts: words of a list, lines, quotations.
    pub parts: Vec<String>,
    /// Language of the text, where it is named.
    pub source: Option<&'static str>,
    /// Languages asked for.
    pub targets: Vec<&'static str>,
    /// Terms and their translations.
    pub glossary: Vec<Term>,
    /// What stays as it is.
    pub keep: Vec<String>,
    /// Words of buttons and menus.
    pub is_screen: bool,
    /// Texts to compare: source and translation.
    pub pairs: Vec<(String, String)>,
}

/// Takes a task apart.
#[must_use]
pub fn read(task: &str) -> Task {
    if let Some((said, rest)) = plain_question(task) {
        let asked = languages::asked(&rest);
        let targets = if asked.targets.is_empty() {
            of_question(&rest.to_lowercase()).into_iter().collect()
        } else {
            asked.targets
        };
        let parts = split_list(vec![said.clone()]);
        return Task { source: asked.source, instruction: rest, text: said, parts, targets, ..Task::default() };
    }
    let request = Request::read(task);
    let mut instruction = request.instruction.clone();
    if instruction.trim().is_empty()
        && let Some((text, rest)) = quoted_alone(task)
    {
        let asked = languages::asked(&rest);
        if !asked.targets.is_empty() {
            return Task {
                source: asked.source,
                targets: asked.targets,
                instruction: rest,
                parts: text.clone(),
                text: text.join("\n"),
                ..Task::default()
            };
        }
        instruction.clear();
    }
    let lower = instruction.to_lowercase();
    let whole = request.text();
    let (glossary, text) = if task.to_lowercase().contains("glossar") || lower.contains("terms") {
        glossary(&whole)
    } else {
        (Vec::new(), whole.clone())
    };
    let quoted = || quotes::find(&instruction).iter().map(|quote| quote.text.to_owned()).collect::<Vec<_>>().join("\n");
    let text = if text.trim().is_empty() { quoted() } else { text };
    let asked = languages::asked(&instruction);
    let mut targets = asked.targets;
    if targets.is_empty() {
        targets.extend(of_question(&lower));
    }
    let items: Vec<String> = if glossary.is_empty() && !request.material.is_empty() {
        request.items().into_iter().map(|item| item.text).collect()
    } else {
        vec![text.clone()]
    };
    let parts = split_list(items);
    Task {
        is_screen: SCREEN.iter().any(|word| format!("{lower} ").contains(word)),
        pairs: pairs(&request, &lower),
        keep: keep(&instruction),
        source: asked.source.or_else(|| function_words::detect(&text)),
        parts,
        text,
        targets,
        glossary,
        instruction,
    }
}

/// `one, two, three` and `red / green` as several texts.
fn split_list(items: Vec<String>) -> Vec<String> {
    let [only] = items.as_slice() else { return items };
    let parts: Vec<&str> = only
        .trim_end_matches('.')
        .split([',', '/', ';', '\n'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    let short = parts.len() > 1 && parts.iter().all(|part| part.split_whitespace().count() <= 4);
    if short && !only.contains("</") && !only.contains('{') {
        parts.into_iter().map(|part| part.strip_prefix("and ").unwrap_or(part).to_owned()).collect()
    } else {
        items
    }
}

/// Names in a sentence that says that they stay.
fn keep(instruction: &str) -> Vec<String> {
    let cues = [
        "not to be translated",
        "not be translated",
        "do not translate",
        "don't translate",
        "untranslated",
        "keep ",
        "leave ",
        "never translate",
    ];
    let mut names: Vec<String> = Vec::new();
    for sentence in instruction
        .split(['.', '\n', ';'])
        .filter(|sentence| cues.iter().any(|cue| sentence.to_lowercase().contains(cue)))
    {
        names.extend(quotes::find(sentence).iter().map(|quote| quote.text.to_owned()));
        let words = sentence.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty());
        let name =
            |word: &&str| word.chars().filter(|c| c.is_uppercase()).count() > 0 && languages::code(word).is_none();
        names.extend(words.skip(1).filter(name).map(str::to_owned));
    }
    names.dedup();
    names
}
