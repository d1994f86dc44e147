//! Members of a typed input that the clauses of a command set.
//!
//! In `commands.md`, a slot whose name begins with a dot sets the member of that path:
//! `{.limits.upper:number}`. A clause sets a constant in its name: `- .direction=high:`.
//! `.ignore[]` adds to a list, and `.figures[].of` is a member of a new object in a list;
//! all such members of one clause belong to the same object.

use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value, json};

use crate::command::Reading;
use crate::form::{self, Draft};

impl Reading {
    /// Returns the typed input that the clauses fill, as far as it is clear. The question
    /// names a word that belongs to no clause, a member with two values, or a value that
    /// is not possible. `commands` is shown with a question about words.
    pub fn draft<F: DeserializeOwned + Default>(&self, commands: &str) -> Draft<F> {
        let mut form = Value::Object(Map::new());
        let mut question = form::unread(&self.unread, commands);
        for found in &self.found {
            let mut opened = Vec::new();
            for (path, value) in &found.slots {
                if let Some(path) = path.strip_prefix('.') {
                    question =
                        set(&mut form, path, value, &mut opened).err().filter(|_| question.is_none()).or(question);
                }
            }
        }
        let form = serde_json::from_value(form).map_err(|error| format!("{error}; which value is meant?"));
        question = question.or_else(|| form.as_ref().err().cloned());
        Draft { form: form.unwrap_or_default(), question }
    }
}

/// Sets a member. `opened` has the lists to which this clause has added an object.
fn set(form: &mut Value, path: &str, value: &Value, opened: &mut Vec<String>) -> Result<(), String> {
    let mut place = form;
    let mut walked = String::new();
    for step in path.split_inclusive('.').map(|step| step.trim_end_matches('.')) {
        walked.push_str(step);
        let (name, is_list) = step.strip_suffix("[]").map_or((step, false), |name| (name, true));
        let members = place.as_object_mut().ok_or_else(|| format!("`{walked}` is no object"))?;
        place = members.entry(name).or_insert(Value::Null);
        if is_list && walked.len() < path.len() {
            if !place.is_array() {
                *place = json!([]);
            }
            let list = place.as_array_mut().ok_or("no list")?;
            if !opened.contains(&walked) {
                opened.push(walked.clone());
                list.push(json!({}));
            }
            place = list.last_mut().ok_or("no object")?;
        } else if is_list {
            add(place, value);
            return Ok(());
        } else if walked.len() < path.len() && place.is_null() {
            *place = json!({});
        }
        walked.push('.');
    }
    if !place.is_null() && place != value {
        return Err(format!("the task gives `{path}` twice: {place} and {value}; which one applies?"));
    }
    *place = value.clone();
    Ok(())
}

/// Adds a value, or each value of a list, to a list that does not have it yet.
fn add(place: &mut Value, value: &Value) {
    let new = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    let mut list = place.as_array().cloned().unwrap_or_default();
    for one in new {
        if !list.contains(&one) {
            list.push(one);
        }
    }
    *place = Value::Array(list);
}

/// Splits the name of a clause into its name and the constants that it sets:
/// `high .direction=high` sets one. Numbers, `true` and `false` are read as such.
pub(crate) fn constants(name: &str) -> (String, Vec<(String, Value)>) {
    let constant = |word: &str| {
        let (path, text) = word.split_once('=').filter(|_| word.starts_with('.'))?;
        let value = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
        Some((path.to_owned(), value))
    };
    let (set, plain): (Vec<&str>, Vec<&str>) = name.split(' ').partition(|word| constant(word).is_some());
    (plain.first().copied().unwrap_or(name).to_owned(), set.into_iter().filter_map(constant).collect())
}

/// Returns the value of a slot as its member has it: the exact text of a `number` or
/// `percent` as a JSON number. Members with exact decimals use the kind `decimal`.
pub(crate) fn member(kind: &str, value: Value) -> Value {
    match (kind, &value) {
        ("number" | "percent", Value::String(text)) => {
            let whole = text.parse::<i64>().ok().map(Number::from);
            let number = whole.or_else(|| text.parse().ok().and_then(Number::from_f64));
            number.map_or(value, Value::Number)
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::command::Grammar;
    use crate::slots::Common;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Form {
        upper: Option<f64>,
        limits: Limits,
        side: String,
        names: Vec<String>,
        parts: Vec<Part>,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Limits {
        low: Option<String>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Part {
        of: String,
        kind: String,
    }

    const COMMANDS: &str = "
- above: `above {.upper:number}` A limit.
- below: `below {.limits.low:decimal}` A limit.
- .side=high: `only high` One side.
- low .side=low: `only low` The other side.
- names: `name {.names[]:quoted}` A name.
- sum .parts[].kind=sum: `sum {.parts[].of:quoted}` A part.
- mean .parts[].kind=mean: `mean {.parts[].of:quoted}` A part.
";

    fn draft(text: &str) -> Draft<Form> {
        Grammar::new(COMMANDS).read(text, &Common).draft("`above 5`")
    }

    #[test]
    fn clauses_set_members_constants_and_lists() {
        let text = "above 5, below 2.50, only high, name 'a' name 'b' name 'a', sum 'x' and mean 'y'";
        let part = |of: &str, kind: &str| Part { of: of.into(), kind: kind.into() };
        let expect = Form {
            upper: Some(5.0),
            limits: Limits { low: Some("2.50".into()) },
            side: "high".into(),
            names: vec!["a".into(), "b".into()],
            parts: vec![part("x", "sum"), part("y", "mean")],
        };
        assert_eq!(draft(text), Draft { form: expect, question: None });
    }

    #[test]
    fn a_member_with_two_values_is_a_question() {
        for text in ["above 5, above 6", "above 5, only high and only low"] {
            let draft = draft(text);
            assert!(draft.question.unwrap().contains("which one applies?"), "{text}");
            assert_eq!(draft.form.upper, Some(5.0), "{text}");
        }
        assert_eq!(draft("above 5, above 5, only high, only high").question, None);
        assert!(draft("above 5 often").question.unwrap().contains("`often`"));
    }
}
