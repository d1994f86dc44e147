//! Fields by their labels, and by their forms where a form occurs once.

use agent_common::labels::{self, Labelled, Labels};
use agent_common::{columns, grounds};
use serde_json::{Value, json};

use crate::forms::{self, ExtractedValue, Span, Writing};
use crate::input::{Field, Kind};

/// What a field has.
#[derive(Debug, Clone, PartialEq)]
pub enum Filled {
    /// A value, and how it was found if not by its label.
    Value(Value, Option<String>),
    /// No value: the text has no such label.
    Absent(String),
    /// A value that cannot be decided.
    Undecided(String),
    /// A list that could be incomplete or wrong, and why.
    Doubtful(Value, String),
}

/// The text that fields are taken from.
pub struct Source<'t> {
    pub text: &'t str,
    pub labels: Labels,
    pub found: Vec<ExtractedValue>,
    pub spans: Vec<Span>,
    pub writing: Writing,
}

impl Source<'_> {
    /// Fills a field. With `by_form`, an unlabelled value of its kind counts if it is the only one.
    pub fn fill(&self, field: &Field, by_form: bool) -> Filled {
        if field.everywhere == Some(true) {
            let all: Vec<&Value> = self.of_kind(field.kind).map(|found| &found.value).collect();
            return match forms::doubt(self.text, field.kind, &self.spans, self.writing) {
                Some(doubt) => Filled::Doubtful(json!(all), doubt),
                None => Filled::Value(json!(all), None),
            };
        }
        let label = field.label.clone().unwrap_or_else(|| field.name.replace('_', " "));
        let all: Vec<&Labelled> = self.labels.of(&label);
        if let Some(reason) = all.iter().find_map(|found| found.unclear) {
            return Filled::Undecided(reason.to_owned());
        }
        if all.is_empty() {
            return self.unlabelled(field, &label, by_form);
        }
        let empty = |value: &Value| value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
        let convert = |found: &&Labelled| {
            if empty(&found.value) { Ok(Value::Null) } else { forms::convert(&found.value, field.kind, self.writing) }
        };
        let values: Vec<Value> = match all.iter().map(convert).collect() {
            Ok(values) => values,
            Err(reason) => return Filled::Undecided(reason),
        };
        let column = all.first().and_then(|found| found.column);
        let one_column = values.len() > 1 && column.is_some() && all.iter().all(|found| found.column == column);
        let mut given = values.iter().filter(|value| !value.is_null());
        let Some(first) = given.next() else { return Filled::Absent("its label has no value".to_owned()) };
        if field.all == Some(true) || one_column {
            return Filled::Value(json!(values), None);
        }
        match given.find(|value| *value != first) {
            None => Filled::Value(first.clone(), None),
            Some(other) => {
                Filled::Undecided(format!("the text has several values for it, such as {first} and {other}"))
            }
        }
    }

    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &ExtractedValue> {
        let name = kind.name();
        self.found.iter().filter(move |found| found.kind == name)
    }

    fn unlabelled(&self, field: &Field, label: &str, by_form: bool) -> Filled {
        let named = labels::same_name(label, &field.kind.name());
        let own_form = matches!(field.kind, Kind::Email | Kind::Phone | Kind::Iban | Kind::Url);
        let of_kind: Vec<&ExtractedValue> = self.of_kind(field.kind).collect();
        match of_kind.as_slice() {
            [one] if by_form && (own_form || (named && field.kind != Kind::Text)) => {
                let note = format!("the text has no label `{label}`; this is its only {}", field.kind.name());
                return Filled::Value(one.value.clone(), (!named).then_some(note));
            }
            [_, _, ..] if by_form && own_form => {
                return Filled::Undecided(format!("the text has several of the kind {}", field.kind.name()));
            }
            _ => {}
        }
        if let Some(problem) = &self.labels.problem {
            return Filled::Undecided(problem.clone());
        }
        let spaced = columns::name_words(label).join(" ");
        let words = columns::fold(self.text).split(|c: char| !c.is_alphanumeric()).collect::<Vec<_>>().join(" ");
        if grounds::stands_in(&spaced, &words) {
            return Filled::Undecided(format!("the text has the words `{label}`, but not as a label with a value"));
        }
        Filled::Absent(format!("the text has no label `{label}`"))
    }
}
