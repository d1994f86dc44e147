//! An agent that labels the sentiment of texts and of named aspects where two readers
//! agree: words, and meaning.

mod by_model;
mod commands;
mod readers;

use std::ops::Range;

use agent_common::{columns, figures, form, language, limits, sentences};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, agent, inference};

use crate::readers::{Feeling, Rated, Word};

const SENTENCES_MAX: usize = 500;
const TEXTS_MAX: usize = 200;
/// Words rated so far from 0 on both sides make a text neither positive nor negative.
const STRONG: f64 = 1.0;

/// One text or several.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text, English. Default: the task, if `aspects` are given.
    #[schemars(length(min = 1, max = 100_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Several texts instead of `text`, at most 200.
    #[schemars(length(min = 1, max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    texts: Option<Vec<String>>,
    /// Aspects to judge, each by the sentences that name it and no other aspect; at most 20.
    #[schemars(length(min = 1, max = 20), inner(length(min = 1, max = 100)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    aspects: Option<Vec<String>>,
    /// The labels to choose from. Default: all four.
    #[schemars(length(min = 2, max = 4))]
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<Vec<Feeling>>,
    /// Whether words of financial news are rated too. Default: false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    finance: bool,
}

/// The sentiment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The result in words.
    summary: String,
    /// positive, negative, neutral or mixed, of all texts together; null if a text has no label.
    label: Option<Feeling>,
    /// Mean of the sentences' scores, -1 to 1.
    score: f64,
    /// The texts, in order.
    items: Vec<JudgedText>,
    /// The sentences.
    sentences: Vec<Sentence>,
    /// The aspects that were named and that a sentence mentions.
    aspects: Vec<Aspect>,
    /// What the answer does not cover.
    limitations: Vec<String>,
}

/// A text with its label.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JudgedText {
    /// Its beginning, at most 120 characters.
    text: String,
    /// positive, negative, neutral or mixed; null if the readers do not agree.
    label: Option<Feeling>,
    /// Mean of its sentences' scores, -1 to 1.
    score: f64,
    /// The rated words, with what they add.
    based_on: Vec<Word>,
}

/// A sentence.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Sentence {
    /// Position of its first character in its text, from 0, in characters.
    start: usize,
    /// As written.
    text: String,
    /// positive, negative or neutral; null if the readers do not agree.
    label: Option<Feeling>,
    /// The score of its words, -1 to 1.
    score: f64,
    /// The rated words.
    words: Vec<Word>,
}

/// An aspect that was named.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Aspect {
    /// Its name.
    name: String,
    /// positive, negative, neutral or mixed; null if the readers do not agree on a sentence of its own.
    label: Option<Feeling>,
    /// Mean score of its own sentences, -1 to 1.
    score: f64,
    /// Positions in `sentences` of those that name it, from 0.
    sentences: Vec<usize>,
}

/// Answers one task.
pub fn run(_call: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    let is_typed = |input: &Input| input.text.is_some() || input.texts.is_some() || input.aspects.is_some();
    let typed = input.filter(|input| task.trim().is_empty() || is_typed(input));
    let Some(mut form) = typed else {
        let filled = form::fill(task, commands::draft(task)?, |form| texts_of(form).map(drop))?;
        let mut output = answer(&filled.form, true)?;
        output.limitations.extend(filled.note);
        return Ok(output);
    };
    if form.text.is_none() && form.texts.is_none() && !task.trim().is_empty() {
        form.text = Some(task.to_owned());
    }
    answer(&form, false)
}

/// Returns the texts of an input.
fn texts_of(input: &Input) -> Result<Vec<String>, Error> {
    let texts: Vec<String> = input.text.iter().cloned().chain(input.texts.clone().unwrap_or_default()).collect();
    if texts.is_empty() || texts.iter().any(|text| sentences::split(text).is_empty()) {
        return Err(Error::invalid("/text", "write the text behind the command, or give it as `text`"));
    }
    let count: usize = texts.iter().map(|text| sentences::split(text).len()).sum();
    if texts.len() > TEXTS_MAX || count > SENTENCES_MAX {
        let size = format!("{} texts with {count} sentences", texts.len());
        return Err(Error::invalid("/text", format!("{size}; at most {TEXTS_MAX} and {SENTENCES_MAX} in one task")));
    }
    Ok(texts)
}

/// The sentences of a text, by their positions, and the meaning of the text as a whole.
struct Parts {
    text: String,
    at: Range<usize>,
    meaning: Option<Feeling>,
}

fn answer(input: &Input, in_words: bool) -> Result<Output, Error> {
    let texts = texts_of(input)?;
    let split: Vec<Vec<sentences::Sentence<'_>>> = texts.iter().map(|text| sentences::split(text)).collect();
    let all: Vec<&str> = split.iter().flatten().map(|sentence| sentence.text).collect();
    let both: Vec<&str> = all.iter().copied().chain(texts.iter().map(String::as_str)).collect();
    let meanings = match readers::meanings(&both) {
        Ok(meanings) => Some(meanings),
        Err(inference::Error::NoProvider(_)) if !in_words => None,
        Err(error) => return Err(error.into()),
    };
    let (rated, mut notes) = readers::words(&all, input.finance)?;
    if meanings.is_none() {
        notes.push("no model for vectors is available: only words were rated".to_owned());
    }
    let meaning = |at: usize| meanings.as_ref().map(|all| all.get(at).copied().flatten());
    let spans = split.iter().flatten().zip(&rated).enumerate();
    let mut sentences: Vec<Sentence> =
        spans.map(|(at, (part, rated))| sentence(part.start, part.text, rated, meaning(at))).collect();
    let mut parts = Vec::new();
    for (at, (text, own)) in texts.iter().zip(&split).enumerate() {
        let start = parts.last().map_or(0, |before: &Parts| before.at.end);
        let meaning = meaning(all.len() + at).unwrap_or(None);
        parts.push(Parts { text: text.clone(), at: start..start + own.len(), meaning });
    }
    let alone = meanings.is_none();
    let mut items: Vec<JudgedText> = parts.iter().map(|part| item(part, &sentences, alone, input)).collect();
    if !alone {
        neutral_in_english_only(&texts, &mut items, &mut sentences, &parts)?;
    }
    let aspects = aspects(input.aspects.as_deref().unwrap_or_default(), &sentences);
    let mut output = output(items, sentences, aspects, notes);
    if in_words && let Some(question) = missing(input, &output) {
        let refusal = Error::invalid("/text", question).with_input(input);
        let (found, note) = by_model::judge(&texts, input.aspects.as_deref().unwrap_or_default(), &refusal)?;
        apply(&mut output, found, note);
    }
    Ok(output)
}

/// Returns why there is no answer: nothing has a label, or an aspect is not mentioned.
fn missing(input: &Input, output: &Output) -> Option<String> {
    let mentioned = |name: &&String| output.aspects.iter().any(|aspect| aspect.name == **name);
    let names = input.aspects.as_deref().unwrap_or_default();
    if let Some(name) = names.iter().find(|name| !mentioned(name)) {
        return Some(format!("the text does not mention `{name}`; which aspect of it is meant?"));
    }
    let judged = match names {
        [] => output.items.iter().any(|item| item.label.is_some()),
        _ => output.aspects.iter().any(|aspect| aspect.label.is_some()),
    };
    (!judged)
        .then(|| "words and meaning do not agree on a sentiment; send texts that state it outright, in English".into())
}

fn sentence(start: usize, text: &str, rated: &Rated, meaning: Option<Option<Feeling>>) -> Sentence {
    let words = Feeling::of_score(rated.compound);
    let agreed = |meaning: Option<Feeling>| meaning.filter(|meaning| *meaning == words && !is_divided(&rated.words));
    let label = meaning.map_or(Some(words), agreed);
    Sentence { start, text: text.to_owned(), label, score: rated.compound, words: rated.words.clone() }
}

/// Returns whether words praise and blame: `Great bands, but awful toilets`.
fn is_divided(words: &[Word]) -> bool {
    words.iter().any(|word| word.value >= STRONG) && words.iter().any(|word| word.value <= -STRONG)
}

fn item(part: &Parts, sentences: &[Sentence], alone: bool, input: &Input) -> JudgedText {
    let own = sentences.get(part.at.clone()).unwrap_or_default();
    let has = |feeling: Feeling| own.iter().any(|sentence| sentence.label == Some(feeling));
    let score = mean(own.iter().map(|sentence| sentence.score));
    let words = Feeling::of_score(score);
    let based_on: Vec<Word> = own.iter().flat_map(|sentence| sentence.words.clone()).collect();
    let label = if has(Feeling::Positive) && has(Feeling::Negative) {
        Some(Feeling::Mixed)
    } else {
        Some(words).filter(|words| alone || (part.meaning == Some(*words) && !is_divided(&based_on)))
    };
    let allowed = |label: &Feeling| input.labels.as_ref().is_none_or(|labels| labels.contains(label));
    JudgedText { text: part.text.chars().take(120).collect(), label: label.filter(allowed), score, based_on }
}

/// Removes the label `neutral` from texts in other languages, whose words nobody rated.
fn neutral_in_english_only(
    texts: &[String],
    items: &mut [JudgedText],
    sentences: &mut [Sentence],
    parts: &[Parts],
) -> Result<(), Error> {
    if !sentences.iter().any(|sentence| sentence.label == Some(Feeling::Neutral)) {
        return Ok(());
    }
    let languages = language::detect_each(texts)?;
    for ((item, part), language) in items.iter_mut().zip(parts).zip(languages) {
        if language.is_some_and(|language| language != "en") {
            item.label = item.label.filter(|label| *label != Feeling::Neutral);
            for sentence in sentences.get_mut(part.at.clone()).unwrap_or_default() {
                sentence.label = sentence.label.filter(|label| *label != Feeling::Neutral);
            }
        }
    }
    Ok(())
}

/// Judges each aspect by the sentences that name it and no other aspect.
fn aspects(names: &[String], sentences: &[Sentence]) -> Vec<Aspect> {
    let mentions = |sentence: &Sentence, name: &str| {
        let words = columns::name_words(&sentence.text);
        let name = columns::name_words(name);
        let same = |window: &[String]| window.iter().zip(&name).all(|(a, b)| columns::same_word(a, b));
        !name.is_empty() && words.windows(name.len()).any(same)
    };
    let aspect = |name: &String| {
        let at = |(at, sentence): (usize, &Sentence)| mentions(sentence, name).then_some(at);
        let places: Vec<usize> = sentences.iter().enumerate().filter_map(at).collect();
        let others = |sentence: &&Sentence| !names.iter().any(|other| other != name && mentions(sentence, other));
        let own: Vec<&Sentence> = places.iter().filter_map(|at| sentences.get(*at)).filter(others).collect();
        let mut labels: Vec<Feeling> = own.iter().filter_map(|sentence| sentence.label).collect();
        labels.dedup();
        let label = match labels.as_slice() {
            [only] => Some(*only),
            all if all.contains(&Feeling::Positive) && all.contains(&Feeling::Negative) => Some(Feeling::Mixed),
            _ => None,
        };
        let score = mean(own.iter().map(|sentence| sentence.score));
        (!places.is_empty()).then(|| Aspect { name: name.clone(), label, score, sentences: places })
    };
    names.iter().filter_map(aspect).collect()
}

fn output(items: Vec<JudgedText>, sentences: Vec<Sentence>, aspects: Vec<Aspect>, notes: Vec<String>) -> Output {
    let own = "irony is not recognised unless both readers see it";
    Output {
        summary: summary(&items, &aspects),
        label: whole(&items),
        score: mean(sentences.iter().map(|sentence| sentence.score)),
        items,
        sentences,
        aspects,
        limitations: limits(&[own], &[&notes]),
    }
}

/// Enters the labels of a model.
fn apply(output: &mut Output, found: by_model::Judgement, note: String) {
    for (item, judged) in output.items.iter_mut().zip(found.texts) {
        item.label = Some(judged.label);
        item.based_on = vec![Word { word: judged.quote.trim().to_owned(), value: item.score }];
    }
    for judged in found.aspects {
        match output.aspects.iter_mut().find(|aspect| aspect.name.eq_ignore_ascii_case(&judged.name)) {
            Some(aspect) => aspect.label = Some(judged.label),
            None => output.aspects.push(Aspect {
                name: judged.name,
                label: Some(judged.label),
                score: 0.0,
                sentences: Vec::new(),
            }),
        }
    }
    output.label = whole(&output.items);
    output.summary = summary(&output.items, &output.aspects);
    output.limitations.push(note);
}

/// Returns the label of all texts together.
fn whole(items: &[JudgedText]) -> Option<Feeling> {
    let labels: Vec<Feeling> = items.iter().map(|item| item.label).collect::<Option<_>>()?;
    let has = |feeling: Feeling| labels.contains(&feeling);
    Some(match (has(Feeling::Positive), has(Feeling::Negative)) {
        (true, true) => Feeling::Mixed,
        _ if has(Feeling::Mixed) => Feeling::Mixed,
        (true, false) => Feeling::Positive,
        (false, true) => Feeling::Negative,
        (false, false) => Feeling::Neutral,
    })
}

fn summary(items: &[JudgedText], aspects: &[Aspect]) -> String {
    let name = |label: Option<Feeling>| label.map_or("unclear", Feeling::name);
    if !aspects.is_empty() {
        let parts: Vec<String> =
            aspects.iter().map(|aspect| format!("{}: {}", aspect.name, name(aspect.label))).collect();
        return format!("{}.", parts.join(", "));
    }
    if let [only] = items {
        let words: Vec<String> = only.based_on.iter().take(4).map(|word| format!("\"{}\"", word.word)).collect();
        let why = if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) };
        return format!("{}{why}.", name(only.label));
    }
    let lines: Vec<String> =
        items.iter().enumerate().map(|(at, item)| format!("{}: {}", at + 1, name(item.label))).collect();
    lines.join("\n")
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX)).max(1.0);
    figures::round(values.sum::<f64>() / count)
}

agent! { run: run, examples: ["../cases/review.json"] }
tollbridge_sdk::test_cases!(agent run);

#[cfg(test)]
mod tests;
