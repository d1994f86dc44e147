//! An agent that sorts texts into categories.
//!
//! The bridge `classification` learns from the labels' examples or
//! descriptions; this agent reads texts and labels out of words, and brings
//! categories of its own for messages of customers. A text that shares no word
//! with any category gets none.

mod builtin;
mod by_model;
mod concepts;
mod evidence;
mod examples;
mod forms;
mod label;
mod labels;
mod length;
mod more_concepts;
mod names;
mod number_rules;
mod output;
mod prefix_rules;
mod prepared;
mod range;
mod reading;
mod rule_words;
mod spam;
mod stem;
mod texts;
mod word_rules;

use agent_common::{Answer, figures, language, limits, words};
pub use label::Label;
use length::measure;
use number_rules::NumberRules;
pub use output::{ClassifiedText, Output, Score};
use prefix_rules::PrefixRules;
use rule_words::Decided;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Call, Error, agent, bridges};
use word_rules::WordRules;

const VERBS: [&str; 6] = ["classify", "categorise", "categorize", "sort", "label", "tag"];

/// Texts, and where they may belong.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Input {
    /// The texts, 1 to 200. The task's own lines unless given.
    #[schemars(length(min = 1, max = 200))]
    texts: Option<Vec<String>>,
    /// Two to 50 categories. Default: those that the task names (`into a, b or c:`), else built-in ones for messages of customers.
    #[schemars(length(min = 2, max = 50))]
    labels: Option<Vec<Label>>,
    /// A best score below this gives no category, 0 to 1; default 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    min_score: Option<f64>,
    /// What else a task in JSON says: `task` or `question` in words, the texts as `items` or `messages`.
    #[serde(flatten)]
    more: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Classifications {
    texts: Vec<Classification>,
}

#[derive(Deserialize)]
struct Classification {
    label: Option<String>,
    scores: Vec<Score>,
    #[serde(default)]
    evidence: Vec<Word>,
}

#[derive(Deserialize)]
struct Word {
    word: String,
}

/// Below this the agent does not answer.
const CONFIDENCE_FLOOR: f64 = 0.6;

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    if let Some(name) = input.as_ref().and_then(|input| input.more.keys().next()) {
        let told = reading::read(task);
        if told.labels.len() > 1 && !told.items.is_empty() && task.trim_start().starts_with('{') {
            return of_words(task);
        }
        let known = "known are: labels, min_score, texts";
        return Err(Error::invalid(format!("/{name}"), format!("`{name}` is not known here; {known}")));
    }
    if input.as_ref().is_none_or(|input| input.texts.is_none() && input.labels.is_none()) {
        return of_words(words::of(task, input.as_ref()));
    }
    of_members(task, input)
}

/// A task in words: labels, rules and texts stand in it.
fn of_words(said: &str) -> Result<Output, Error> {
    if said.trim().is_empty() {
        return Err(Error::invalid("/texts", "write the texts as the task, one a line, or give them as `texts`"));
    }
    let task = reading::read(&prepared::prepared(said));
    let names: Vec<String> = task.labels.iter().map(|label| label.name.clone()).collect();
    let words = WordRules::read(&task.head, &names).or_else(|| WordRules::read_alone(&task.head));
    let numbers = NumberRules::read(&task.head, &names).or_else(|| NumberRules::read_alone(&task.head));
    let codes = PrefixRules::read(&task.head);
    if names.len() < 2 && words.is_none() && numbers.is_none() && codes.is_none() {
        let message = "the labels are missing: name the categories to choose from, such as `into bug, question or praise:`, and put each text on a line below";
        return Err(Error::invalid("/labels", message));
    }
    if task.items.is_empty() {
        let message = "the text to classify is missing: paste the text, mail or lines below the labels, each on a line of its own";
        return Err(Error::invalid("/texts", message));
    }
    let several = agent_common::patterns::is_match(prepared::SEVERAL, &task.head);
    if let ([only], true) = (task.items.as_slice(), several)
        && only.text.trim().contains('\n')
        && !only.text.contains("@")
    {
        let message = "where one text ends and the next begins is not clear: put each on a line of its own with a dash or a number before it";
        return Err(Error::invalid("/texts", message));
    }
    if task.items.len() > 200 {
        return Err(Error::invalid("/texts", format!("{} texts; at most 200 in one task", task.items.len())));
    }
    let choices = match decided(&task, &names, &Rules { words, numbers, codes }) {
        Ok(choices) => choices,
        Err(refusal) => return by_model::answer(said, &task, &names, refusal),
    };
    let texts: Vec<String> = task.items.iter().map(|item| item.text.clone()).collect();
    let languages = language::detect_each(&texts)?;
    let confidence = choices.iter().map(|choice| choice.confidence).fold(1.0, f64::min);
    let sorted = texts.iter().zip(languages).zip(choices).map(|((text, language), choice)| ClassifiedText {
        text: text.chars().take(80).collect(),
        language,
        label: choice.label,
        confidence: figures::round(choice.confidence),
        scores: choice.scores.into_iter().map(|(label, score)| Score { label, score: figures::round(score) }).collect(),
        because_of: choice.because,
    });
    let sorted: Vec<ClassifiedText> = sorted.collect();
    let named = task.items.iter().map(|item| item.label.clone());
    Ok(Output {
        summary: listed(&sorted, named),
        texts: sorted,
        confidence: figures::round(confidence),
        labels_from: "task".into(),
        limitations: vec![
            "rules, words and forms are compared, meaning is not understood: a text that says it in other words is refused, not guessed".into(),
        ],
    })
}

/// The rules that a task states.
struct Rules {
    words: Option<WordRules>,
    numbers: Option<NumberRules>,
    codes: Option<PrefixRules>,
}

/// A label for each text, or what is missing.
fn decided(task: &reading::Task, names: &[String], rules: &Rules) -> Result<Vec<evidence::Choice>, Error> {
    let meanings: Vec<evidence::Meaning> = task.labels.iter().map(evidence::Meaning::of).collect();
    let bare: Vec<&str> = names.iter().map(String::as_str).collect();
    let lower = task.head.to_lowercase();
    let in_order =
        ["first rule", "in this order", "in that order", "first match", "first that", "takes precedence", "wins"]
            .iter()
            .any(|cue| lower.contains(cue));
    let measured = measure(&lower);
    let mut choices = Vec::new();
    for (at, item) in task.items.iter().enumerate() {
        let value = match measured {
            Some(measure) => Some(measure.of(&item.text)),
            None if length::days_from_today(&task.head, &item.text).is_some() => {
                length::days_from_today(&task.head, &item.text)
            }
            None => only_number(&item.text, &task.head).or_else(|| task.values.get(at).copied().flatten()),
        };
        let found: Decided = if let (Some(numbers), Some(value)) = (&rules.numbers, value) {
            numbers.decide(value)
        } else if let Some(codes) = &rules.codes {
            codes.decide(&item.text)
        } else if let Some(words) = &rules.words {
            words.decide(&item.text, in_order)
        } else if let Some(found) = forms::judge(&bare, &task.head, &item.text) {
            found.ok_or_else(|| {
                format!("its form does not show which of {} it is: send plain single sentences", names.join(", "))
            })
        } else if spam::is_choice(&bare) {
            let (spam, confidence, why) = spam::judge(&item.text).ok_or_else(|| refused(names))?;
            let name = names.iter().find(|name| spam::is_spam_name(name) == spam).cloned().unwrap_or_default();
            Ok((name, confidence, why))
        } else {
            let choice = evidence::choose(&meanings, &task.labels, &item.text);
            if choice.label.is_some() && choice.confidence >= CONFIDENCE_FLOOR {
                choices.push(choice);
                continue;
            }
            Err(String::new())
        };
        let (label, confidence, because) = found.map_err(|why| {
            let start: String = item.text.chars().take(60).collect();
            let why = if why.is_empty() { none_fits(names) } else { why };
            Error::invalid(format!("/texts/{at}"), format!("\"{start}\": {why}"))
        })?;
        let scores = vec![(label.clone(), 1.0)];
        choices.push(evidence::Choice { label: Some(label), confidence, because, scores });
    }
    Ok(choices)
}

fn none_fits(names: &[String]) -> String {
    format!(
        "none of the labels ({}) clearly fits its words: say which words belong to which label, give examples as `text -> label`, or add a label such as `other`",
        names.join(", ")
    )
}

fn refused(names: &[String]) -> Error {
    Error::invalid(
        "/texts",
        format!(
            "the words do not show clearly whether it is {}: send the whole message, with its links and sender",
            names.join(" or ")
        ),
    )
}

/// The number of a text that has one; `185k` and `0.25m` beside limits of thousands, `96 000`.
fn only_number(text: &str, head: &str) -> Option<f64> {
    let large = agent_common::quantity::scan(head).iter().any(|quantity| quantity.value >= 10_000.0);
    let scaled = agent_common::patterns::groups(r"(?i)(?:^|[\s:=])(\d+(?:[.,]\d+)?)\s?(k|m|mio|mn)\b", text);
    if let ([_, number, unit], true) = (scaled.as_slice(), large) {
        let number: f64 = number.replace(',', ".").parse().ok()?;
        return Some(number * if unit.eq_ignore_ascii_case("k") { 1e3 } else { 1e6 });
    }
    let grouped = agent_common::patterns::groups(r"(?:^|[\s:=])(\d{1,3}(?: \d{3})+)$", text.trim());
    if let Some(digits) = grouped.get(1) {
        return digits.replace(' ', "").parse().ok();
    }
    let found = agent_common::quantity::scan(text);
    if let [only] = found.as_slice() { Some(only.value) } else { None }
}

/// The label alone, or a line for each text.
fn listed(sorted: &[ClassifiedText], names: impl Iterator<Item = Option<String>>) -> String {
    let label = |text: &ClassifiedText| text.label.clone().unwrap_or_else(|| "no category".into());
    if let [only] = sorted {
        let why: Vec<String> = only.because_of.iter().take(4).map(|word| format!("\"{word}\"")).collect();
        return format!(
            "{}{}",
            label(only),
            if why.is_empty() { String::new() } else { format!(", because of {}", why.join(", ")) }
        );
    }
    let line = |(at, (text, name)): (usize, (&ClassifiedText, Option<String>))| {
        format!("{}: {}", name.unwrap_or_else(|| (at + 1).to_string()), label(text))
    };
    sorted.iter().zip(names).enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// Texts and labels as members.
fn of_members(task: &str, input: Option<Input>) -> Result<Output, Error> {
    let (request, body) = words::request(words::of(task, input.as_ref()), &VERBS);
    let input = input.unwrap_or_default();
    let lines = || body.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let texts: Vec<String> = input.texts.unwrap_or_else(lines);
    if texts.is_empty() {
        return Err(Error::invalid("/texts", "write the texts as the task, one a line, or give them as `texts`"));
    }
    if texts.len() > 200 {
        return Err(Error::invalid("/texts", format!("{} texts; at most 200 in one task", texts.len())));
    }
    let (labels, labels_from) = match (input.labels, builtin::named(request)) {
        (Some(labels), _) => (labels, "given"),
        (None, Some(labels)) => (labels, "task"),
        (None, None) => (builtin::labels(), "built-in"),
    };
    let languages = language::detect_each(&texts)?;
    let asked = json!({ "texts": texts, "labels": labels, "min_score": input.min_score.unwrap_or(0.0) });
    let answer: Answer<Classifications> = bridges::call("classification", &asked)?;
    let sorted = texts.iter().zip(languages).zip(answer.result.texts);
    let sorted: Vec<ClassifiedText> = sorted.map(|((text, language), chosen)| sort(text, language, chosen)).collect();
    let confidence = sorted.iter().map(|text| text.confidence).fold(1.0, f64::min);
    Ok(Output {
        summary: summary(&sorted),
        texts: sorted,
        confidence,
        labels_from: labels_from.into(),
        limitations: limits(
            &["the confidence says how clear the choice is among these categories, not how likely it is right"],
            &[&answer.limitations],
        ),
    })
}

fn sort(text: &str, language: Option<String>, chosen: Classification) -> ClassifiedText {
    let all: f64 = chosen.scores.iter().map(|score| score.score.max(0.0)).sum();
    let best = chosen.scores.first().map_or(0.0, |score| score.score.max(0.0));
    let label = chosen.label.filter(|_| best > 0.0);
    ClassifiedText {
        text: text.chars().take(80).collect(),
        language,
        confidence: if label.is_some() && all > 0.0 { figures::round(best / all) } else { 0.0 },
        label,
        scores: chosen.scores,
        because_of: chosen.evidence.into_iter().map(|word| word.word).collect(),
    }
}

fn summary(sorted: &[ClassifiedText]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for text in sorted {
        let label = text.label.as_deref().unwrap_or("no category");
        match counts.iter_mut().find(|(name, _)| *name == label) {
            Some((_, n)) => *n += 1,
            None => counts.push((label, 1)),
        }
    }
    counts.sort_by_key(|count| std::cmp::Reverse(count.1));
    let parts: Vec<String> = counts.iter().map(|(label, n)| format!("{label}: {n}")).collect();
    format!("{}: {}.", figures::count(sorted.len(), "text", "texts"), parts.join(", "))
}

agent! { run: run, examples: ["../cases/support.json"] }
tollbridge_sdk::test_cases!(agent run);
