//! The closed list of commands in words.

use agent_common::command::{Grammar, Reading, Slots};
use agent_common::form::{self, Draft};
use agent_common::lexer::Token;
use agent_common::slots::Common;
use agent_common::{material, texts};
use serde_json::{Value, json};
use tollbridge_sdk::Error;

use crate::Input;
use crate::readers::Feeling;

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`sentiment of this review: TEXT`, `positive or negative?` with a text on each line, `sentiment about \
    battery and price: TEXT`";
/// Words that an aspect has only in quotation marks.
const NO_ASPECT: &str = "a an the this that these those it is are be each every all any of to in into as by for with from \
    on at and or but not only please thanks ignore except without except text texts review reviews comment comments \
    positive negative neutral mixed sentiment aspects aspect financial finance market news do does what which how why";

/// Aspects, options and nouns, besides the common kinds.
struct Aspects;

impl Slots for Aspects {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let Some(first) = tokens.first() else { return Vec::new() };
        match kind {
            "names" => texts::names(tokens, 3, NO_ASPECT).into_iter().collect(),
            "noun" | "each" => texts::slot(kind, first).map(|value| (1, value)).into_iter().collect(),
            "option" => option(&first.lower).map(|option| (1, json!(option))).into_iter().collect(),
            _ => Common.read(kind, tokens),
        }
    }
}

fn option(word: &str) -> Option<Feeling> {
    let all = [Feeling::Positive, Feeling::Negative, Feeling::Neutral, Feeling::Mixed];
    all.into_iter().find(|feeling| feeling.name() == word)
}

/// Reads a task in words.
///
/// # Errors
/// None; the question of the draft says what is missing.
pub fn draft(task: &str) -> Result<Draft<Input>, Error> {
    let task = texts::apart(task);
    let split = material::text(&task, &Grammar::new(COMMANDS), &Aspects);
    let reading = &split.reading;
    let asks = ["judge", "options", "aspects"].iter().any(|name| reading.all(name).next().is_some());
    let many = reading.found.iter().any(|found| !found.text("each").is_empty() || found.text("noun") == "many")
        || reading.all("each").next().is_some();
    let single = !many && reading.found.iter().any(|found| found.text("noun") == "one");
    let (texts, unclear) = match texts::split(&split.text, single) {
        Ok(texts) => (texts, None),
        Err(question) => (Vec::new(), Some(question)),
    };
    let question = form::unread(&reading.unread, SHOWN)
        .or_else(|| (!asks).then(|| format!("what about the text? The commands are {SHOWN}")))
        .or_else(|| ["aspects", "options"].iter().find_map(|name| reading.one(name).err()))
        .or(unclear)
        .or_else(|| texts.is_empty().then(|| "which text? Put it behind the command".to_owned()));
    let mut form = Input {
        aspects: reading.all("aspects").next().map(|found| found.texts("names")),
        labels: options(reading),
        finance: reading.all("finance").next().is_some(),
        ..Input::default()
    };
    match texts.as_slice() {
        [] => {}
        [only] => form.text = Some(only.clone()),
        _ => form.texts = Some(texts),
    }
    Ok(Draft { form, question })
}

fn options(reading: &Reading) -> Option<Vec<Feeling>> {
    let found = reading.all("options").next()?;
    Some(["a", "b", "c", "d"].iter().filter_map(|slot| option(&found.text(slot))).collect())
}
