//! An agent that labels the sentiment of texts and of named aspects where two readers
//! agree: words, and meaning.

mod by_model;
mod commands;
mod readers;

use agent_common::{columns, figures, form, language, limits, sentences};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use tollbridge_sdk::{Call, Error, agent, inference};

use crate::readers::{Feeling, Rated, Word};

const SENTENCES_MAX: usize = 500;
const TEXTS_MAX: usize = 200;
/// Words rated so far from 0 on both sides make a text neither positive nor negative.
const STRONG: f64 = 1.0;

/// One text or several.
#[skip_serializing_none]
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text, English. Default: the task, if `aspects` are given.
    #[schemars(length(min = 1, max = 100_000))]
    text: Option<String>,
    /// Several texts instead of `text`, at most 200.
    #[schemars(length(min = 1, max = 200))]
    texts: Option<Vec<String>>,
    /// Aspects to judge, each by the sentences that name it and no other aspect; at most 20.
    #[schemars(length(min = 1, max = 20), inner(length(min = 1, max = 100)))]
    aspects: Option<Vec<String>>,
    /// The labels to choose from. Default: all four.
    #[schemars(length(min = 2, max = 4))]
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
        let filled = form::fill(task, commands::draft(task), |form| texts_of(form).map(drop))?;
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

/// What vectors make of a sentence or text: no reader without a model for vectors, or none
/// where the meaning is not clear.
type Meaning = Option<Option<Feeling>>;

fn answer(input: &Input, in_words: bool) -> Result<Output, Error> {
    let texts = texts_of(input)?;
    let split: Vec<Vec<sentences::Sentence<'_>>> = texts.iter().map(|text| sentences::split(text)).collect();
    let all: Vec<&str> = split.iter().flatten().map(|sentence| sentence.text).collect();
    let both: Vec<&str> = all.iter().copied().chain(texts.iter().map(String::as_str)).collect();
    let meanings: Vec<Meaning> = match readers::meanings(&both) {
        Ok(meanings) => meanings.into_iter().map(Some).collect(),
        Err(inference::Error::NoProvider(_)) if !in_words => vec![None; both.len()],
        Err(error) => return Err(error.into()),
    };
    let (rated, mut notes) = readers::words(&all, input.finance)?;
    let alone = meanings.iter().all(Option::is_none);
    if alone {
        notes.push("no model for vectors is available: only words were rated".to_owned());
    }
    let (of_sentences, of_texts) = meanings.split_at_checked(all.len()).unwrap_or_default();
    let mut read = rated.into_iter().zip(of_sentences);
    let own = |parts: &Vec<sentences::Sentence<'_>>| -> Vec<Sentence> {
        parts.iter().zip(read.by_ref()).map(|(part, (rated, meaning))| sentence(part, rated, *meaning)).collect()
    };
    let mut judged: Vec<Vec<Sentence>> = split.iter().map(own).collect();
    let texts_read = texts.iter().zip(&judged).zip(of_texts);
    let mut items: Vec<JudgedText> =
        texts_read.map(|((text, own), meaning)| item(text, own, *meaning, input)).collect();
    if !alone {
        neutral_in_english_only(&texts, &mut items, &mut judged)?;
    }
    let names = input.aspects.as_deref().unwrap_or_default();
    let judged: Vec<Sentence> = judged.into_iter().flatten().collect();
    let aspects = aspects(names, &judged);
    let mut output = output(items, judged, aspects, &notes);
    if in_words && let Some(question) = missing(names, &output) {
        let refusal = Error::invalid("/text", question).with_input(input);
        let (found, note) = by_model::judge(&texts, names, &refusal)?;
        apply(&mut output, found, note);
    }
    Ok(output)
}

/// Returns why there is no answer: a text or aspect has no label, or is not mentioned. Typed
/// input allows answers that leave some open.
fn missing(names: &[String], output: &Output) -> Option<String> {
    let is_missing = |name: &&String| !output.aspects.iter().any(|aspect| aspect.name == **name);
    if let Some(name) = names.iter().find(is_missing) {
        return Some(format!("the text does not mention `{name}`; which aspect of it is meant?"));
    }
    let open = match names {
        [] => output.items.iter().find(|item| item.label.is_none()).map(|item| &item.text),
        _ => output.aspects.iter().find(|aspect| aspect.label.is_none()).map(|aspect| &aspect.name),
    };
    open.map(|open| {
        format!(
            "words and meaning do not agree on the sentiment of `{open}`; send texts that state it outright, in English, \
             or send `input`, which may leave some without a label"
        )
    })
}

fn sentence(part: &sentences::Sentence<'_>, rated: Rated, meaning: Meaning) -> Sentence {
    let words = Feeling::of_score(rated.compound);
    let is_agreed = meaning.is_none_or(|meaning| meaning == Some(words) && !is_divided(&rated.words));
    let label = is_agreed.then_some(words);
    Sentence { start: part.start, text: part.text.to_owned(), label, score: rated.compound, words: rated.words }
}

/// Returns whether words praise and blame: `Great bands, but awful toilets`.
fn is_divided(words: &[Word]) -> bool {
    words.iter().any(|word| word.value >= STRONG) && words.iter().any(|word| word.value <= -STRONG)
}

fn item(text: &str, own: &[Sentence], meaning: Meaning, input: &Input) -> JudgedText {
    let has = |feeling: Feeling| own.iter().any(|sentence| sentence.label == Some(feeling));
    let score = mean(own.iter().map(|sentence| sentence.score));
    let words = Feeling::of_score(score);
    let based_on: Vec<Word> = own.iter().flat_map(|sentence| sentence.words.clone()).collect();
    let label = if has(Feeling::Positive) && has(Feeling::Negative) {
        Some(Feeling::Mixed)
    } else {
        meaning.is_none_or(|meaning| meaning == Some(words) && !is_divided(&based_on)).then_some(words)
    };
    let is_allowed = |label: &Feeling| input.labels.as_ref().is_none_or(|labels| labels.contains(label));
    JudgedText { text: text.chars().take(120).collect(), label: label.filter(is_allowed), score, based_on }
}

/// Removes the label `neutral` from texts in other languages, whose words nobody rated.
fn neutral_in_english_only(
    texts: &[String],
    items: &mut [JudgedText],
    sentences: &mut [Vec<Sentence>],
) -> Result<(), Error> {
    if !sentences.iter().flatten().any(|sentence| sentence.label == Some(Feeling::Neutral)) {
        return Ok(());
    }
    let languages = language::detect_each(texts)?;
    for ((item, own), language) in items.iter_mut().zip(sentences).zip(languages) {
        if language.is_some_and(|language| language != "en") {
            let labels = own.iter_mut().map(|sentence| &mut sentence.label).chain([&mut item.label]);
            labels.filter(|label| **label == Some(Feeling::Neutral)).for_each(|label| *label = None);
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

fn output(items: Vec<JudgedText>, sentences: Vec<Sentence>, aspects: Vec<Aspect>, notes: &[String]) -> Output {
    let own = "irony is not recognised unless both readers see it";
    Output {
        summary: summary(&items, &aspects),
        label: whole(&items),
        score: mean(sentences.iter().map(|sentence| sentence.score)),
        items,
        sentences,
        aspects,
        limitations: limits(&[own], &[notes]),
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
    let name = |label: Option<Feeling>| label.map_or("unclear".to_owned(), Feeling::name);
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
