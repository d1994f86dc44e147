//! Rules of labels: words, beginnings, ends, patterns and ranges of numbers. They are exact.

use agent_common::columns::fold;
use agent_common::lexer::{self, Kind};
use agent_common::slots;
use regex_lite::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::Error;

use crate::input::Input;

/// When a text gets a label. All members that are given must hold.
#[derive(Debug, Default, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The text has one of these words or phrases; case and accents do not matter.
    #[schemars(length(max = 200))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The text begins with one of these.
    #[schemars(length(max = 200))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<String>,
    /// The text ends with one of these.
    #[schemars(length(max = 200))]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<String>,
    /// A regular expression that the text matches.
    #[schemars(length(min = 1, max = 500))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The number is this or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// The number is more than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// The number is this or less.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// The number is less than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// The text fits no other rule.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub otherwise: bool,
}

/// What the numbers of rules are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The only number of the text.
    Number,
    /// The number of its words.
    Words,
    /// The number of its characters.
    Characters,
    /// The days from `today` to the only date of the text.
    Days,
}

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
/// fits no rule has no label.
///
/// # Errors
/// A text that fits two rules, or has no number for rules with numbers.
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
        let count = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
        found.push(Some(match input.measure.unwrap_or(Measure::Number) {
            Measure::Words => count(text.split_whitespace().count()),
            Measure::Characters => count(text.chars().count()),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decided(input: serde_json::Value) -> Result<Vec<Option<String>>, String> {
        let input: Input = serde_json::from_value(input).unwrap();
        let texts = input.texts.clone().unwrap();
        labels(&input, &texts).map(Option::unwrap).map_err(|error| error.message().to_owned())
    }

    fn some(names: &[&str]) -> Vec<Option<String>> {
        names.iter().map(|name| (!name.is_empty()).then(|| (*name).to_owned())).collect()
    }

    #[test]
    fn rules_are_exact() {
        let words = json!({ "texts": ["My refund is late", "Refunded?", "Forgot my password", "Hello"], "labels": [
            { "name": "FINANCE", "rule": { "words": ["refund", "payment"] } },
            { "name": "ACCESS", "rule": { "words": ["password"] } }, { "name": "OTHER", "rule": { "otherwise": true } },
        ]});
        assert_eq!(decided(words).unwrap(), some(&["FINANCE", "OTHER", "ACCESS", "OTHER"]));
        let ranges = json!({ "texts": ["R-1: 499.99", "R-2: 5,000.00", "R-3: 12,310.50"], "labels": [
            { "name": "small", "rule": { "below": 500.0 } }, { "name": "large", "rule": { "above": 5000.0 } },
            { "name": "medium", "rule": { "at_least": 500.0, "at_most": 5000.0 } },
        ]});
        assert_eq!(decided(ranges).unwrap(), some(&["small", "medium", "large"]));
        let forms = json!({ "texts": ["EL-2 x", "Is it?", "[E04] full", "no"], "labels": [
            { "name": "el", "rule": { "starts": ["EL-"] } }, { "name": "question", "rule": { "ends": ["?"] } },
            { "name": "ERROR", "rule": { "pattern": r"^\[E\d+\]" } },
        ]});
        assert_eq!(decided(forms).unwrap(), some(&["el", "question", "ERROR", ""]));
        let days = json!({ "texts": ["due 6 March 2024", "due 2 April 2024"], "measure": "days", "today": "2024-03-04",
            "labels": [{ "name": "urgent", "rule": { "below": 7.0 } }, { "name": "later", "rule": { "at_least": 7.0 } }] });
        assert_eq!(decided(days).unwrap(), some(&["urgent", "later"]));
    }

    #[test]
    fn what_no_rule_decides_is_a_question() {
        let both =
            json!([{ "name": "a", "rule": { "words": ["server"] } }, { "name": "b", "rule": { "words": ["rack"] } }]);
        let error = decided(json!({ "texts": ["server in rack 4"], "labels": both })).unwrap_err();
        assert!(error.contains("`a` and `b`"), "{error}");
        let first = decided(json!({ "texts": ["server in rack 4"], "labels": both, "first_match": true }));
        assert_eq!(first.unwrap(), some(&["a"]));
        let limit = json!([{ "name": "a", "rule": { "below": 5.0 } }, { "name": "b", "rule": { "at_least": 5.0 } }]);
        for texts in [json!(["2 kg", "300 g"]), json!(["185k"]), json!(["3 of 4"]), json!(["none"]), json!(["Oslo -3"])]
        {
            assert!(decided(json!({ "texts": texts, "labels": limit })).is_err(), "{texts}");
        }
        let values = decided(json!({ "texts": ["3 of 4"], "values": [4.5], "labels": limit }));
        assert_eq!(values.unwrap(), some(&["a"]));
        let degrees = decided(json!({ "texts": ["Oslo: -3", "Rome 12"], "labels": limit }));
        assert_eq!(degrees.unwrap(), some(&["a", "b"]));
    }
}
