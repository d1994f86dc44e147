//! Rules that a request says in words.

mod age;
mod allowed;
mod bounds;
mod days;
mod equation;
mod form_words;
mod forms;
mod like;
mod numbers;
mod order;
mod required;
mod sequence;
mod unique;

use agent_common::dates::Date;

pub(crate) use form_words::form_words;

use crate::defaults;
use crate::rule::Rule;
use crate::sentence::Sentence;

/// The rules of a sentence; `topic` is the column that the sentence before spoke of.
pub(crate) fn rules(sentence: &Sentence<'_>, topic: Option<usize>, today: Option<Date>) -> Vec<Rule> {
    let mut found = Vec::new();
    if let Some(rule) = equation::equation(sentence) {
        found.push(rule);
        return found;
    }
    if let Some(rule) = age::age(sentence, today) {
        found.push(rule);
        return found;
    }
    if let Some(rule) = order::order(sentence) {
        found.push(rule);
    }
    found.extend(agreement(sentence));
    found.extend(allowed::one_of(sentence, topic));
    if found.is_empty() {
        found.extend(bounds::ranges(sentence, topic));
    }
    found.extend(numbers::whole(sentence, topic));
    found.extend(sequence::sequence(sentence));
    found.extend(sequence::rising(sentence));
    if !found.iter().any(|rule| matches!(rule, Rule::Sequence(..))) {
        found.extend(unique::unique(sentence));
        let typos = sentence.text.contains('@') && !form_words(sentence).is_empty();
        if !typos {
            found.extend(required::required(sentence));
        }
    }
    found.extend(days::days(sentence, topic, today));
    if !found.iter().any(|rule| matches!(rule, Rule::OneOf(..))) {
        found.extend(forms::forms(sentence, topic));
    }
    found
}

/// `day and date don't always agree`: a weekday beside its day.
fn agreement(sentence: &Sentence<'_>) -> Option<Rule> {
    let agree = [
        "agree",
        "agrees",
        "match",
        "matches",
        "fit",
        "fits",
        "correspond",
        "corresponds",
        "right day",
        "wrong day",
        "wrong weekday",
        "same day",
        "passt",
        "passen",
        "stimmt",
        "stimmen",
        "ubereinstimmen",
        "correspondent",
        "consistent",
        "belongs to the date",
        "is right for",
        "go together",
    ];
    let rule = defaults::between::weekday(sentence.sheet)?;
    let Rule::WeekdayOf(weekday, day) = &rule else { return None };
    let named = sentence.columns();
    let spoken = sentence.has(&["weekday", "weekdays", "wochentag", "jour", "day", "days", "date", "dates", "tag"]);
    let about = named.contains(weekday) || named.contains(day) || spoken;
    (about && sentence.has(&agree)).then_some(rule)
}
