//! Rules of labels: words, beginnings, ends, patterns and ranges of numbers. They are exact.

use agent_common::columns::fold;
use agent_common::lexer::{self, Kind};
use agent_common::slots;
use regex_lite::Regex;
use tollbridge_sdk::Error;

use crate::input::{Input, Measure, Rule};

impl Rule {
    fn is_numeric(&self) -> bool {
        [self.at_least, self.above, self.at_most, self.below].iter().any(Option::is_some)
    }

    fn fits(&self, text: &str, number: Option<f64>) -> Result<bool, Error> {
        let folded = fold(text);
        let any = |list: &[String], holds: &dyn Fn(&str) -> bool| {
            list.is_empty() || list.iter().map(|one| fold(one)).any(|one| holds(&one))
        };
        let pattern = match &self.pattern {
            Some(pattern) => Regex::new(pattern)
                .map_err(|error| Error::invalid("/labels", format!("the pattern `{pattern}`: {error}")))?
                .is_match(text),
            None => true,
        };
        let within = number.is_none_or(|number| {
            self.at_least.is_none_or(|least| number >= least)
                && self.above.is_none_or(|limit| number > limit)
                && self.at_most.is_none_or(|most| number <= most)
                && self.below.is_none_or(|limit| number < limit)
        });
        Ok(!self.otherwise
            && any(&self.words, &|word| has_word(&folded, word))
            && any(&self.starts, &|start| folded.starts_with(start))
            && any(&self.ends, &|end| folded.ends_with(end))
            && pattern
            && within)
    }
}

/// Returns whether a folded text has a word or phrase, not as a part of another word.
fn has_word(text: &str, word: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + word.len()..).unwrap_or_default());
        edge(before.chars().next_back()) && edge(after.chars().next())
    })
}

/// Returns the label of each text by the rules; none if no label has a rule. A text that
/// fits no rule has no label; one that fits two, or lacks a number to compare, is an error.
pub fn labels(input: &Input, texts: &[String]) -> Result<Option<Vec<Option<String>>>, Error> {
    let labels = input.labels.as_deref().unwrap_or_default();
    let rules: Vec<(&str, &Rule)> =
        labels.iter().filter_map(|label| Some((label.name.as_str(), label.rule.as_ref()?))).collect();
    if rules.is_empty() {
        return Ok(None);
    }
    if let Some(label) = labels.iter().find(|label| label.rule.is_none()) {
        return Err(Error::invalid("/labels", format!("the label `{}` has no rule, and others have one", label.name)));
    }
    let numeric = rules.iter().any(|(_, rule)| rule.is_numeric());
    let numbers = if numeric { numbers(input, texts)? } else { vec![None; texts.len()] };
    let rest: Vec<&str> = rules.iter().filter(|(_, rule)| rule.otherwise).map(|(name, _)| *name).collect();
    let mut found = Vec::new();
    for (at, (text, number)) in texts.iter().zip(numbers).enumerate() {
        let mut fitting = Vec::new();
        for (name, rule) in &rules {
            if rule.fits(text, number)? && !fitting.contains(name) {
                fitting.push(*name);
            }
        }
        let label = match (fitting.as_slice(), rest.as_slice()) {
            ([only], _) | ([], [only]) => Some(*only),
            ([first, ..], _) if input.first_match.unwrap_or(false) => Some(*first),
            ([], []) => None,
            (several, _) => {
                let names = if several.is_empty() { rest.join("` and `") } else { several.join("` and `") };
                let text: String = text.chars().take(60).collect();
                let message = format!("the text \"{text}\" fits the rules of `{names}`; which one applies?");
                return Err(Error::invalid(format!("/texts/{at}"), message));
            }
        };
        found.push(label.map(str::to_owned));
    }
    Ok(Some(found))
}

/// Returns the number of each text that rules compare.
fn numbers(input: &Input, texts: &[String]) -> Result<Vec<Option<f64>>, Error> {
    if let Some(values) = &input.values {
        return if values.len() == texts.len() {
            Ok(values.iter().copied().map(Some).collect())
        } else {
            Err(Error::invalid("/values", "give one number for each text"))
        };
    }
    let mut unit: Option<String> = None;
    let mut found = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let refused = |why: &str| {
            let text: String = text.chars().take(60).collect();
            Error::invalid(format!("/texts/{at}"), format!("the text \"{text}\" {why}; give the numbers as `values`"))
        };
        found.push(Some(match input.measure.unwrap_or(Measure::Number) {
            Measure::Words => text.split_whitespace().count() as f64,
            Measure::Characters => text.chars().count() as f64,
            Measure::Days => days(text, input.today.as_deref())?,
            Measure::Number => {
                let (number, own) = only_number(text).ok_or_else(|| refused("does not have exactly one number"))?;
                if unit.get_or_insert_with(|| own.clone()) != &own {
                    return Err(refused("has another unit than the texts before it"));
                }
                number
            }
        }));
    }
    Ok(found)
}

/// Returns the only number of a text and the word behind it.
fn only_number(text: &str) -> Option<(f64, String)> {
    let tokens = lexer::tokens(text);
    let places: Vec<usize> =
        tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Number).map(|(at, _)| at).collect();
    let [place] = places.as_slice() else { return None };
    let dash = |at: &usize| tokens.get(*at).is_some_and(|token| matches!(token.text.as_str(), "-" | "−"));
    let signed = place.checked_sub(1).filter(dash);
    // `Oslo -3` and `Oslo - 3` are one to the lexer, and not to a reader.
    if signed.and_then(|at| tokens.get(at.checked_sub(1)?)).is_some_and(|token| token.kind == Kind::Word) {
        return None;
    }
    let (length, number) = slots::number(tokens.get(signed.unwrap_or(*place)..)?)?;
    let unit = tokens.get(signed.unwrap_or(*place) + length).map(|token| token.lower.clone()).unwrap_or_default();
    Some((number.parse().ok()?, unit.trim_matches(|c: char| !c.is_alphanumeric() && c != '%').to_owned()))
}

/// Returns the days from `today` to the only date of a text.
fn days(text: &str, today: Option<&str>) -> Result<f64, Error> {
    let date = |text: &str| {
        let found = agent_common::dates::scan(text, None);
        let [only] = found.as_slice() else { return None };
        (!only.ambiguous).then(|| only.date.days())
    };
    let today =
        today.and_then(date).ok_or_else(|| Error::invalid("/today", "give the date of today as `2024-03-04`"))?;
    let own = date(text).ok_or_else(|| Error::invalid("/texts", format!("which date has the text \"{text}\"?")))?;
    i32::try_from(own - today).map(f64::from).map_err(|_| Error::invalid("/texts", "a date is too far away"))
}
