//! The closed list of commands in words.

use agent_common::command::{Grammar, Reading, Slots};
use agent_common::form::{self, Draft};
use agent_common::framed;
use agent_common::language_names;
use agent_common::lexer::{self, Kind, Token};
use agent_common::slots::Common;
use serde_json::{Value, json};

use crate::input::{Document, Format, Input};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`summarize in 2 sentences`, `in 3 bullets`, `in at most 40 words`, `about TOPIC`, followed by a \
    colon and the text";
/// Most words of a topic that is not quoted.
const TOPIC_MAX: usize = 5;
/// Words that may stand in a topic without occurring in the text.
const ARTICLES: [&str; 6] = ["the", "a", "of", "and", "its", "their"];

/// Slots of a task: topics are words that occur in it a second time.
struct Topics {
    words: Vec<String>,
}

impl Slots for Topics {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        match kind {
            "language" => language_names::read(tokens),
            "topic" => self.topics(tokens),
            _ => Common.read(kind, tokens),
        }
    }
}

impl Topics {
    fn topics(&self, tokens: &[Token]) -> Vec<(usize, Value)> {
        let quoted = Common.read("quoted", tokens);
        if !quoted.is_empty() {
            return quoted;
        }
        let article = |token: &Token| ARTICLES.contains(&token.lower.as_str());
        let occurs = |token: &&Token| {
            let twice = self.words.iter().filter(|word| **word == token.lower).count() > 1;
            token.kind == Kind::Word && (article(token) || twice)
        };
        let most = tokens.iter().take(TOPIC_MAX).take_while(occurs).count();
        let topic = |length: usize| {
            let words = tokens.get(..length).unwrap_or_default();
            let text = words.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ");
            words.last().is_some_and(|last| !article(last)).then(|| (length, json!(text)))
        };
        (1..=most).rev().filter_map(topic).collect()
    }
}

/// Reads a task in words.
pub(crate) fn draft(task: &str) -> Draft<Input> {
    let grammar = Grammar::new(COMMANDS);
    let words = lexer::tokens(task).into_iter().map(|token| token.lower).collect();
    let split = framed::text(task, &grammar, &Topics { words });
    let reading = split.reading;
    let quoted = reading.all("quote").map(|found| found.text("text")).next().unwrap_or_default();
    let question = form::unread(&reading.unread, SHOWN)
        .or_else(|| missing(&split.text, &quoted))
        .or_else(|| (!asks(&reading)).then(|| format!("what is to be done with the text? Use {SHOWN}")))
        .or_else(|| conflict(&reading))
        .or_else(|| not_prose(&split.text));
    let text = if split.text.is_empty() { quoted } else { split.text };
    let mut form = options(&reading);
    match documents(&text) {
        Some(documents) => form.documents = Some(documents),
        None => form.text = (!text.is_empty()).then_some(text),
    }
    Draft { form, question }
}

/// Returns whether a command asks for something, and does not only refer to the text.
fn asks(reading: &Reading) -> bool {
    reading.found.iter().any(|found| !matches!(found.clause.as_str(), "object" | "quote"))
}

fn missing(text: &str, quoted: &str) -> Option<String> {
    match (text.is_empty(), quoted.is_empty()) {
        (true, true) => Some("the text to summarise is missing; paste it behind the command".into()),
        (false, false) => Some("the text in quotation marks and the text below: which one is to be summarised?".into()),
        _ => None,
    }
}

/// Returns the question about material that has no sentences to choose from.
fn not_prose(text: &str) -> Option<String> {
    let lines = |is: fn(&str) -> bool| text.lines().filter(|line| is(line.trim())).count() > 1;
    let is_item = |line: &str| {
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        ["- ", "* ", "• "].iter().any(|mark| line.starts_with(mark))
            || (number.len() < line.len() && number.starts_with(['.', ')']))
    };
    let labelled = |line: &str| line.split(' ').next().is_some_and(|word| word.len() > 1 && word.ends_with(':'));
    let what = if text.lines().filter(|line| is_item(line.trim())).count() > 1 {
        "a list"
    } else if text.lines().filter(|line| labelled(line.trim())).count() > 1 {
        "labelled lines, such as mail headers or a conversation"
    } else if text.lines().any(|line| line.starts_with('>')) {
        "a quoted mail"
    } else if lines(|line| line.matches('|').count() > 1 || line.contains('\t')) {
        "a table"
    } else if lines(|line| line.ends_with(['{', '}', ';'])) {
        "code"
    } else if text.contains("</") {
        "HTML"
    } else if text.contains("-->") {
        "captions"
    } else {
        return None;
    };
    Some(format!("the material looks like {what}, whose sentences do not stand alone; give running text"))
}

fn options(reading: &Reading) -> Input {
    let has = |name: &str| reading.all(name).next().is_some();
    let count = |name: &str| reading.all(name).next().and_then(|found| found.count("n"));
    let language = |name: &str| reading.all(name).next().map(|found| found.text("language"));
    let containing: Vec<String> =
        reading.all("containing").flat_map(|found| ["a", "b", "c"].map(|slot| found.text(slot))).collect();
    let containing: Vec<String> = containing.into_iter().filter(|text| !text.is_empty()).collect();
    let format = if has("json") {
        Some(Format::Json)
    } else if has("bullets") || has("mostbullets") {
        Some(Format::Bullets)
    } else {
        has("paragraph").then_some(Format::Text)
    };
    Input {
        max_sentences: count("sentences").or(count("mostbullets")),
        bullets: count("exactbullets"),
        max_words: count("words").or(count("fewerwords").map(|n| n.saturating_sub(1))),
        about: reading.all("about").next().map(|found| found.text("topic")),
        containing: (!containing.is_empty()).then_some(containing),
        with_numbers: has("figures").then_some(true),
        per_document: count("perdocument"),
        own_words: (has("ownwords") || has("plain") || has("language")).then_some(true),
        language: language("language").or(language("plain")),
        format,
        ..Input::default()
    }
}

/// Returns the question about clauses that contradict each other.
fn conflict(reading: &Reading) -> Option<String> {
    let has = |name: &str| reading.all(name).next().is_some();
    let names = ["sentences", "exactbullets", "mostbullets", "words", "about", "containing", "perdocument", "language"];
    let twice = names.iter().find_map(|name| reading.one(name).err());
    let pairs = [
        ("paragraph", "bullets"),
        ("paragraph", "exactbullets"),
        ("paragraph", "mostbullets"),
        ("exactbullets", "mostbullets"),
        ("exactbullets", "sentences"),
        ("mostbullets", "sentences"),
        ("words", "fewerwords"),
        ("plain", "language"),
        ("perdocument", "sentences"),
        ("perdocument", "exactbullets"),
        ("about", "containing"),
    ];
    twice.or_else(|| {
        let (a, b) = pairs.iter().find(|(a, b)| has(a) && has(b))?;
        Some(format!("the command has a `{a}` and a `{b}` clause, which contradict each other; which one applies?"))
    })
}

/// Returns the documents of a text with lines such as `--- title ---`.
fn documents(text: &str) -> Option<Vec<Document>> {
    let title = |line: &str| {
        let inner = line.trim().strip_prefix("---")?.strip_suffix("---")?.trim_matches(['-', ' ']);
        (!inner.is_empty()).then(|| inner.to_owned())
    };
    title(text.lines().next()?)?;
    let mut all: Vec<Document> = Vec::new();
    for line in text.lines() {
        match (title(line), all.last_mut()) {
            (Some(title), _) => all.push(Document { title: Some(title), text: String::new() }),
            (None, Some(last)) => {
                last.text.push_str(line);
                last.text.push('\n');
            }
            (None, None) => return None,
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;

    #[test]
    fn published_examples_are_understood() {
        let examples = command::examples(COMMANDS);
        assert_eq!(examples.len(), 7);
        for example in examples {
            assert_eq!(draft(example).question, None, "{example}");
        }
    }

    #[test]
    fn clauses_fill_the_form() {
        let text = "It rained. The price of tea rose by 3 %.";
        let form = |command: &str| {
            let draft = draft(&format!("{command}\n\n{text}"));
            assert_eq!(draft.question, None, "{command}");
            assert_eq!(draft.form.text.as_deref(), Some(text), "{command}");
            let mut shown = serde_json::to_value(&draft.form).unwrap();
            shown.as_object_mut().unwrap().remove("text");
            shown
        };
        let cases = [
            ("Please sum this up in max. two sentences", json!({ "max_sentences": 2 })),
            ("3 bullets max", json!({ "max_sentences": 3, "format": "bullets" })),
            ("Give me a short summary of the report as 2 bullet points", json!({ "bullets": 2 })),
            ("Boil this down to under 26 words", json!({ "max_words": 25 })),
            (
                "summary about the price of tea, in one sentence",
                json!({ "about": "the price of tea", "max_sentences": 1 }),
            ),
            ("Shorten, only sentences with \"tea\" or \"milk\"", json!({ "containing": ["tea", "milk"] })),
            ("summarise as JSON, up to 40 words", json!({ "format": "json", "max_words": 40 })),
            ("Summarize in plain English", json!({ "own_words": true, "language": "en" })),
        ];
        for (command, expect) in cases {
            assert_eq!(form(command), expect, "{command}");
        }
    }

    #[test]
    fn what_is_not_clear_is_a_question() {
        let cases = [
            ("Summarize in 2 sentences and in 3 sentences: It rained. It poured.", "two different"),
            ("Summarize as one paragraph, in exactly four bullets: It rained. It poured.", "contradict"),
            ("Summarize for my grandmother: It rained. It poured.", "grandmother"),
            ("Summarize chapter 7: It rained. It poured.", "chapter 7"),
            ("Summarize:", "missing"),
            ("Summarize in one sentence:\n| a | b |\n| 1 | 2 |\n| 3 | 4 |", "a table"),
            ("Summarize in one sentence:\n1. Tea. It is hot.\n2. Milk. It is cold.", "a list"),
            ("Summarize in one sentence:\nAnn: It is hot.\nBob: It is cold.", "labelled"),
            ("TL;DR?\n\n> It rained. It poured. It hailed.", "a quoted mail"),
            ("Hello,\n\nwhere did it end?\n\nIt rained. It poured.", "what is to be done"),
            ("From the notes: why? Summarise in one sentence.\n\nIt rained. It poured.", "why"),
            ("What did we decide yesterday? Three bullets.", "did we decide"),
            ("summary about whales: It rained. It poured.", "about whales"),
        ];
        for (task, part) in cases {
            let question = draft(task).question.unwrap_or_default();
            assert!(question.contains(part), "{task}: {question}");
        }
    }
}
