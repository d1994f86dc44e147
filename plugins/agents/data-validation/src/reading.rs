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
use agent_common::sheet::Kind;

pub(crate) use form_words::form_words;

use crate::column_names;
use crate::defaults;
use crate::form::Form;
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
    found.extend(in_year(sentence));
    found.extend(allowed::one_of(sentence, topic).into_iter().filter(|rule| holds_mostly(rule, sentence)));
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
    // `an email with an @`
    let formed = found.iter().any(|rule| matches!(rule, Rule::Form(_, Form::Email)));
    let emails = column_names::columns_of(sentence.sheet, "email");
    if sentence.text.contains('@') && !formed {
        found.extend(emails.into_iter().map(|column| Rule::Form(column, Form::Email)));
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
        "against the date",
        "against its date",
        "by the date",
        "fits the date",
        "of the date",
        "from the date",
    ];
    let rule = defaults::between::part(sentence.sheet)?;
    let Rule::PartOf(part, day, _) = &rule else { return None };
    let named = sentence.columns();
    let spoken = sentence.has(&["weekday", "weekdays", "wochentag", "jour", "day", "days", "date", "dates", "tag"]);
    let about = named.contains(part) || named.contains(day) || spoken;
    (about && sentence.has(&agree)).then_some(rule)
}

/// Whether a third of the cells at least are among the values; else the words are no list of values.
fn holds_mostly(rule: &Rule, sentence: &Sentence<'_>) -> bool {
    rule.check(sentence.sheet).len() * 3 <= sentence.sheet.table.rows.len() * 2
}

/// `dates must be in 2024`: between the first and the last day of the year.
fn in_year(sentence: &Sentence<'_>) -> Vec<Rule> {
    let year = (1..sentence.pieces.len()).find_map(|at| {
        let number = sentence.pieces.get(at)?.token.number()?.text().parse::<i32>().ok()?;
        let cue = sentence.is(at - 1, &["in", "of", "within", "during", "im", "en"])
            || (sentence.is(at - 1, &["year", "jahr"])
                && sentence.is(at.saturating_sub(2), &["in", "the", "of", "im"]));
        ((1900..=2100).contains(&number) && cue).then_some(number)
    });
    let days = sentence.sheet.of_kind(Kind::Day);
    let named: Vec<usize> = sentence.columns().into_iter().filter(|column| days.contains(column)).collect();
    let column = match (named.as_slice(), days.as_slice()) {
        ([one], _) | ([], [one]) => Some(*one),
        _ => None,
    };
    let (Some(year), Some(column)) = (year, column) else { return Vec::new() };
    let ruled = sentence.says(&["must", "should", "may", "muss", "doit", "debe", "outside", "only"])
        || sentence.has(&["has to", "have to"]);
    let ends = Date::new(year, 1, 1).zip(Date::new(year, 12, 31)).filter(|_| ruled);
    ends.map(|(first, last)| vec![Rule::NotEarlier(column, first), Rule::NotAfter(column, last)]).unwrap_or_default()
}
