//! Checks of answers about texts: labels, translations, summaries and code.

use std::iter;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::compare::{after_digits, has, is_space, is_word, related, same, texts_in};
use super::value::{
    any, compare, equal, fact, facts, get, is_truthy, list, member, named_facts, non_empty, number, object, parts,
    select, text_of,
};

/// Checks the labels of the items and of the aspects.
pub(super) fn sentiment(answer: &Value, expect: &Value) -> Result<()> {
    let items = non_empty(answer, "items")?.map(parts).transpose()?.unwrap_or_else(|| vec![answer.clone()]);
    fact(expect, "labels", |labels| have_labels(&items, labels))?;
    let aspects = iter::once(answer).chain(&items).map(|item| list(item, "aspects"));
    let aspects = aspects.collect::<Result<Vec<_>>>()?.concat();
    named_facts(expect, "aspects", |name, label| {
        let own = select(&aspects, |aspect| Ok(related(&text_of(member(aspect, "name")?), name)))?;
        any(&own, |aspect| Ok(same(label, &non_empty(aspect, "label")?.cloned().map_or_else(|| sign(aspect), Ok)?)))
    })
}

/// Returns the label for the score of an aspect.
fn sign(aspect: &Value) -> Result<Value> {
    let label = match number(member(aspect, "score")?)? {
        score if score > 0.05 => "positive",
        score if score < -0.05 => "negative",
        _ => "neutral",
    };
    Ok(label.into())
}

/// Checks the labels of the texts.
pub(super) fn classification(answer: &Value, expect: &Value) -> Result<()> {
    let texts = list(answer, "texts")?;
    ensure!(have_labels(&texts, member(expect, "labels")?)?, "the labels differ: {texts:?}");
    Ok(())
}

fn have_labels(items: &[Value], labels: &Value) -> Result<bool> {
    let expected = parts(labels)?;
    let labels = items.iter().map(|item| get(item, "label")).collect::<Result<Vec<_>>>()?;
    Ok(labels.len() == expected.len() && labels.iter().zip(&expected).all(|(label, expected)| same(expected, label)))
}

/// Checks that a translation has a rendering of each item, and what it must contain.
pub(super) fn translation(answer: &Value, expect: &Value) -> Result<()> {
    let text = non_empty(answer, "translation")?.map(text_of);
    let text = text.map_or_else(|| get(answer, "items").map(texts_in), Ok)?;
    ["translations", "must", "keep"].iter().try_for_each(|name| facts(expect, name, |words| Ok(has(&text, words))))
}

/// Checks the content and the length of a summary.
pub(super) fn summarization(answer: &Value, expect: &Value) -> Result<()> {
    text_facts(text_or_empty(answer, "summary")?, expect)
}

fn text_or_empty<'v>(answer: &'v Value, name: &str) -> Result<&'v str> {
    object(answer)?.get(name).map_or(Ok(""), |text| text.as_str().with_context(|| format!("{name} is not a text")))
}

/// Checks the content and the length of a text.
pub(super) fn text_facts(text: &str, expect: &Value) -> Result<()> {
    facts(expect, "must", |words| Ok(has(text, words)))?;
    facts(expect, "must_not", |words| Ok(!has(text, words)))?;
    fact(expect, "bullets", |expected| {
        let breaks = ['\n', '\r', '\x0b', '\x0c', '\x1c', '\x1d', '\x1e', '\u{85}', '\u{2028}', '\u{2029}'];
        let count = text.split(breaks).filter(|line| is_bullet(line)).count();
        Ok(if *expected == true { count > 0 } else { equal(expected, &count.into()) })
    })?;
    fact(expect, "sentences_max", |most| Ok(compare(&sentences(text).into(), most)?.is_le()))?;
    let words = text.split(is_space).filter(|word| !word.is_empty()).count();
    fact(expect, "words_max", |most| Ok(compare(&words.into(), most)?.is_le()))
}

/// Returns whether a line is an item of a list: marked, or numbered as `1.` or `1)`.
fn is_bullet(line: &str) -> bool {
    let line = line.trim_start_matches(is_space);
    let item = line.strip_prefix(['-', '*', '•', '–']).or_else(|| after_digits(line)?.strip_prefix(['.', ')']));
    item.is_some_and(|item| item.starts_with(is_space))
}

/// Counts the sentences: white space follows their last mark, after closing quotes and brackets.
fn sentences(text: &str) -> usize {
    let text = text.trim_matches(is_space);
    let after_marks = text.split(['.', '!', '?', '。', '！', '？']).skip(1);
    let is_end = |rest: &&str| rest.trim_start_matches(['"', '”', '’', ')']).starts_with(is_space);
    after_marks.filter(is_end).count() + usize::from(!text.is_empty())
}

/// Checks the language of code, the name of its function, and that it parses.
pub(super) fn coding(answer: &Value, expect: &Value) -> Result<()> {
    fact(expect, "language", |language| Ok(same(language, get(answer, "language")?)))?;
    fact(expect, "function", |name| Ok(has_name(text_or_empty(answer, "code")?, name.as_str().context("no name")?)))?;
    ensure!(is_truthy(get(answer, "parses")?), "it does not parse");
    Ok(())
}

/// Returns whether code has a name that is not part of a longer one.
fn has_name(code: &str, name: &str) -> bool {
    let ends = |before: &str, after: &str| before.ends_with(is_word) != after.starts_with(is_word);
    code.char_indices()
        .filter_map(|(at, _)| code.split_at_checked(at))
        .any(|(before, rest)| rest.strip_prefix(name).is_some_and(|after| ends(before, rest) && ends(name, after)))
}
