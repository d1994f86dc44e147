//! The closed list of commands in words.

use agent_common::command::{Grammar, Match, Reading, Slots};
use agent_common::form::{self, Draft};
use agent_common::lexer::Token;
use agent_common::material;
use agent_common::slots::Common;
use agent_common::texts;
use serde_json::{Value, json};
use tollbridge_sdk::Error;

use crate::input::{Input, Label};
use crate::rules::{Measure, Rule};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`classify as A, B or C: TEXT`, `texts that mention invoice or refund go to FINANCE, the rest goes to \
    OTHER`, `under 500 is small, 500 or more is large`, each followed by the texts, one a line";
/// Words that a label has only in quotation marks: the grammar's own, and those that carry an instruction.
const NO_LABEL: &str = "a an the this that these those it is are be if when where which what each every all any of to in \
    into as by for with from on at one please thanks thank or and not-only then than above over below under more less \
    least most up otherwise rest everything anything others means covers about stands labels label categories category \
    classes class topics topic groups group options choices text texts message messages first match but only except \
    without using do does don't use ignore put sort classify";

/// Labels, words and nouns, besides the common kinds.
struct Labels;

impl Slots for Labels {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let Some(first) = tokens.first() else { return Vec::new() };
        match kind {
            "labels" => labels(tokens),
            "label" => {
                texts::name(tokens, 1, NO_LABEL).map(|(length, name)| (length, json!(name))).into_iter().collect()
            }
            "words" => texts::names(tokens, 1, NO_LABEL).into_iter().collect(),
            "noun" | "each" => texts::slot(kind, first).map(|value| (1, value)).into_iter().collect(),
            "measure" if matches!(first.lower.as_str(), "words" | "characters") => vec![(1, json!(first.lower))],
            _ => Common.read(kind, tokens),
        }
    }
}

/// Reads a label of a list, with or without an article before it.
fn item(tokens: &[Token]) -> Option<(usize, String)> {
    let article = tokens.first().is_some_and(|token| matches!(token.text.as_str(), "a" | "an" | "the"));
    let (length, name) = texts::name(tokens.get(usize::from(article)..)?, 3, NO_LABEL)?;
    Some((length + usize::from(article), name))
}

/// Reads two or more labels with one separator between them; `or` and `and` come before the
/// last one only.
fn labels(tokens: &[Token]) -> Vec<(usize, Value)> {
    let Some((mut end, first)) = item(tokens) else { return Vec::new() };
    let (mut names, mut separator) = (vec![first], None::<String>);
    let mut found = Vec::new();
    while let Some(token) = tokens.get(end) {
        let mark = matches!(token.lower.as_str(), "," | "/" | "|" | ";");
        let word = |at: usize| tokens.get(at).is_some_and(|token| matches!(token.lower.as_str(), "or" | "and" | "&"));
        let last = word(end) || (mark && word(end + 1));
        if !(mark || word(end)) || (mark && separator.as_ref().is_some_and(|own| *own != token.text)) {
            break;
        }
        let start = end + if mark && last { 2 } else { 1 };
        let Some((length, name)) = tokens.get(start..).and_then(item) else { break };
        let ends = last && separator.as_deref().is_some_and(|own| own != "or");
        names.push(name);
        separator = Some(token.lower.clone());
        end = start + length;
        // `A and B` may be the rest of a sentence; `A, B and C` and `A or B` are a list.
        if names.len() > 2 || !matches!(token.lower.as_str(), "and" | "&") {
            found.push((end, json!(names)));
        }
        if ends {
            break;
        }
    }
    found.reverse();
    found.truncate(1);
    found
}

/// Reads a task in words.
///
/// # Errors
/// None; the question of the draft says what is missing.
pub fn draft(task: &str) -> Result<Draft<Input>, Error> {
    let grammar = Grammar::new(COMMANDS);
    let mut split = material::text(&texts::apart(task), &grammar, &Labels);
    let is_name = |(slot, _): &(String, Value)| slot == "labels" || slot == "label";
    let named = |reading: &Reading| reading.found.iter().any(|found| found.slots.iter().any(is_name));
    // `Label each line: under 500 is small, …` has its rules behind the first colon.
    if split.reading.unread.is_empty() && !named(&split.reading) {
        let rest = material::text(&split.text, &grammar, &Labels);
        if rest.reading.unread.is_empty() && !rest.text.is_empty() {
            split.reading.found.extend(rest.reading.found);
            split.text = rest.text;
        }
    }
    let reading = &split.reading;
    let (form, conflict) = form_of(reading, &split.text);
    let rules = form.labels.as_deref().unwrap_or_default().iter().any(|label| label.rule.is_some());
    let question = form::unread(&reading.unread, SHOWN)
        .or(conflict)
        .or_else(|| {
            let few = form.labels.as_ref().map_or(0, Vec::len) < if rules { 1 } else { 2 };
            few.then(|| "which labels are there? Name two or more: `classify as A, B or C`".to_owned())
        })
        .or_else(|| form.texts.is_none().then(|| "which texts? Put them behind the command, one a line".to_owned()));
    Ok(Draft { form, question })
}

fn form_of(reading: &Reading, text: &str) -> (Input, Option<String>) {
    let one = |found: &Match| found.text("noun") == "one";
    let many = reading.found.iter().any(|found| !found.text("each").is_empty() || found.text("noun") == "many");
    let single = !many && ["classify", "question"].iter().flat_map(|name| reading.all(name)).any(one);
    let (texts, split) = match texts::split(text, single) {
        Ok(texts) => (texts, None),
        Err(question) => (Vec::new(), Some(question)),
    };
    let mut names: Vec<Vec<String>> = reading.found.iter().map(|found| found.texts("labels")).collect();
    names.retain(|list| !list.is_empty());
    names.dedup();
    let twice = (names.len() > 1).then(|| "the task names two lists of labels; which one applies?".to_owned());
    let mut labels: Vec<Label> = Vec::new();
    for name in names.into_iter().flatten() {
        if !labels.iter().any(|label| label.name.eq_ignore_ascii_case(&name)) {
            labels.push(Label { name, ..Label::default() });
        }
    }
    let (listed, mut conflict) = (labels.len(), None);
    for found in &reading.found {
        let name = found.text("label");
        if name.is_empty() {
            continue;
        }
        let at = labels.iter().position(|label| label.name.eq_ignore_ascii_case(&name)).unwrap_or(labels.len());
        if at == labels.len() {
            labels.push(Label { name: name.clone(), ..Label::default() });
            conflict = (listed > 0).then(|| format!("`{name}` is not one of the labels; is it?")).or(conflict);
        }
        let Some(label) = labels.get_mut(at) else { continue };
        if found.clause == "describe" {
            label.description = Some(found.text("text"));
        } else if label.rule.replace(rule(found)).is_some_and(|before| Some(&before) != label.rule.as_ref()) {
            conflict = Some(format!("the task has two rules for `{name}`; which one applies?"));
        }
    }
    let measures: Vec<String> =
        reading.found.iter().map(|found| found.text("of")).filter(|of| !of.is_empty()).collect();
    if measures.iter().any(|other| Some(other) != measures.first()) {
        conflict = Some("does the length count in words or characters?".to_owned());
    }
    let measure = measures.first().map(|of| if of == "words" { Measure::Words } else { Measure::Characters });
    let form = Input {
        texts: (!texts.is_empty()).then_some(texts),
        labels: (!labels.is_empty()).then_some(labels),
        measure,
        first_match: reading.all("first").next().map(|_| true),
        ..Input::default()
    };
    (form, twice.or(conflict).or(split))
}

fn rule(found: &Match) -> Rule {
    let number = |slot: &str| found.text(slot).parse().ok();
    let of = |clause: &str, slot: &str| number(slot).filter(|_| found.clause == clause);
    let list = |clause: &str| if found.clause == clause { found.texts("words") } else { Vec::new() };
    Rule {
        words: list("words"),
        starts: list("start"),
        ends: list("end"),
        pattern: None,
        at_least: of("atleast", "n").or(of("range", "low")),
        above: of("above", "n"),
        at_most: of("atmost", "n").or(of("range", "high")),
        below: of("below", "n"),
        otherwise: found.clause == "otherwise",
    }
}
