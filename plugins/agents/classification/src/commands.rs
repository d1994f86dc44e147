//! The closed list of commands in words.

use agent_common::command::{Grammar, Match, Reading, Slots};
use agent_common::form::Draft;
use agent_common::lexer::Token;
use agent_common::material;
use agent_common::slots::Common;
use agent_common::texts;
use serde_json::{Value, json};

use crate::input::{Input, Label};

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
    let mut found = None;
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
            found = Some((end, json!(names)));
        }
        if ends {
            break;
        }
    }
    found.into_iter().collect()
}

/// Reads a task in words.
pub fn draft(task: &str) -> Draft<Input> {
    let grammar = Grammar::new(COMMANDS);
    let mut split = material::text(&texts::apart(task), &grammar, &Labels);
    let names_labels = |reading: &Reading| {
        reading.found.iter().flat_map(|found| &found.slots).any(|(slot, _)| slot.contains("labels"))
    };
    // `Label each line: under 500 is small, …` has its rules behind the first colon.
    if split.reading.unread.is_empty() && !names_labels(&split.reading) {
        let rest = material::text(&split.text, &grammar, &Labels);
        if rest.reading.unread.is_empty() && !rest.text.is_empty() {
            split.reading.found.extend(rest.reading.found);
            split.text = rest.text;
        }
    }
    let reading = &split.reading;
    let Draft { mut form, question } = reading.draft::<Input>(SHOWN);
    let mut lists: Vec<Vec<String>> = reading.found.iter().map(|found| found.texts("labels")).collect();
    lists.retain(|list| !list.is_empty());
    lists.dedup();
    let twice = (lists.len() > 1).then(|| "the task names two lists of labels; which one applies?".to_owned());
    let (labels, conflict) = merged(lists.concat(), form.labels.take().unwrap_or_default());
    let least = if labels.iter().any(|label| label.rule.is_some()) { 1 } else { 2 };
    let few =
        (labels.len() < least).then(|| "which labels are there? Name two or more: `classify as A, B or C`".to_owned());
    let is_one =
        |found: &Match| found.text("noun") == "one" && matches!(found.clause.as_str(), "classify" | "question");
    let is_many = |found: &Match| !found.text("each").is_empty() || found.text("noun") == "many";
    let is_single = reading.found.iter().any(is_one) && !reading.found.iter().any(is_many);
    let (texts, unclear) = match texts::split(&split.text, is_single) {
        Ok(texts) => (texts, None),
        Err(question) => (Vec::new(), Some(question)),
    };
    let none = texts.is_empty().then(|| "which texts? Put them behind the command, one a line".to_owned());
    form.labels = Some(labels).filter(|labels| !labels.is_empty());
    form.texts = Some(texts).filter(|texts| !texts.is_empty());
    let question = question.or(twice).or(conflict).or(unclear).or(few).or(none);
    Draft { form, question }
}

/// Returns the labels of a list with the descriptions and rules of single labels, and a
/// question if these contradict each other or name a label that the list does not have.
fn merged(names: Vec<String>, single: Vec<Label>) -> (Vec<Label>, Option<String>) {
    let (mut labels, mut conflict): (Vec<Label>, Option<String>) = (Vec::new(), None);
    let has_list = !names.is_empty();
    let listed = names.into_iter().map(|name| Label { name, ..Label::default() });
    for new in listed.chain(single) {
        let Some(label) = labels.iter_mut().find(|label| label.name.eq_ignore_ascii_case(&new.name)) else {
            let is_new = has_list && (new.rule.is_some() || new.description.is_some());
            conflict = conflict.or_else(|| is_new.then(|| format!("`{}` is not one of the labels; is it?", new.name)));
            labels.push(new);
            continue;
        };
        if new.rule.is_some() && label.rule.is_some() && label.rule != new.rule {
            conflict = Some(format!("the task has two rules for `{}`; which one applies?", new.name));
        }
        label.rule = new.rule.or(label.rule.take());
        label.description = new.description.or(label.description.take());
    }
    (labels, conflict)
}
