//! The closed list of commands in words.

use agent_common::command::{Grammar, Slots};
use agent_common::form::Draft;
use agent_common::lexer::Token;
use agent_common::slots::Common;
use agent_common::{material, texts};
use serde_json::{Value, json};

use crate::Input;

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`sentiment of this review: TEXT`, `positive or negative?` with a text on each line, `sentiment about \
    battery and price: TEXT`";
/// Words that an aspect has only in quotation marks.
const NO_ASPECT: &str = "a an the this that these those it is are be each every all any of to in into as by for with from \
    on at and or but not only please thanks ignore except without except text texts review reviews comment comments \
    positive negative neutral mixed sentiment aspects aspect financial finance market news do does what which how why";

/// The labels.
const OPTIONS: [&str; 4] = ["positive", "negative", "neutral", "mixed"];

/// Aspects, options and nouns, besides the common kinds.
struct Aspects;

impl Slots for Aspects {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let Some(first) = tokens.first() else { return Vec::new() };
        match kind {
            "names" => texts::names(tokens, 3, NO_ASPECT).into_iter().collect(),
            "noun" | "each" => texts::slot(kind, first).map(|value| (1, value)).into_iter().collect(),
            "option" if OPTIONS.contains(&first.lower.as_str()) => vec![(1, json!(first.lower))],
            _ => Common.read(kind, tokens),
        }
    }
}

/// Reads a task in words.
pub fn draft(task: &str) -> Draft<Input> {
    let split = material::text(&texts::apart(task), &Grammar::new(COMMANDS), &Aspects);
    let reading = &split.reading;
    let Draft { mut form, question } = reading.draft::<Input>(SHOWN);
    let has = |names: &[&str]| reading.found.iter().any(|found| names.contains(&found.clause.as_str()));
    let nouns = |number: &str| reading.found.iter().any(|found| found.text("noun") == number);
    let is_many = nouns("many") || has(&["each"]) || reading.found.iter().any(|found| !found.text("each").is_empty());
    let (texts, unclear) = match texts::split(&split.text, !is_many && nouns("one")) {
        Ok(texts) => (texts, None),
        Err(question) => (Vec::new(), Some(question)),
    };
    let nothing = !has(&["judge", "options", "aspects"]);
    let question = question
        .or_else(|| nothing.then(|| format!("what about the text? The commands are {SHOWN}")))
        .or_else(|| ["aspects", "options"].iter().find_map(|name| reading.one(name).err()))
        .or(unclear)
        .or_else(|| texts.is_empty().then(|| "which text? Put it behind the command".to_owned()));
    match texts.as_slice() {
        [] => {}
        [only] => form.text = Some(only.clone()),
        _ => form.texts = Some(texts),
    }
    Draft { form, question }
}
