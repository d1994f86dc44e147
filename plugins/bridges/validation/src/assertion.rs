//! Assertions: simple statements about one place in the output, for what a
//! schema cannot say or what is shorter to say so.
//!
//! Invariant: an assertion that cannot be understood is the caller's mistake
//! at its pointer; one that is understood either holds or makes one finding.

use std::{cmp::Ordering, collections::HashSet};

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_sdk::Error;

use crate::{
    finding::{Finding, Findings},
    formats::Format,
    limits::{MESSAGE_BYTES_MAX, PATH_BYTES_MAX, PATTERN_BYTES_MAX, PATTERNS_MAX, REGEX_BYTES_MAX},
    number::{self, Decimal},
    shown,
};

/// What is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// It is the same as `value` (1 is 1.0; members in any order).
    Equals,
    /// It is not the same as `value`.
    NotEquals,
    /// Something is there, be it null.
    Exists,
    /// Nothing is there.
    Absent,
    /// It has the type `value`, or one of them: null, boolean, integer, number, string, array, object.
    Type,
    /// It is greater than `value`; both numbers, or both texts.
    Gt,
    /// It is at least `value`.
    Gte,
    /// It is less than `value`.
    Lt,
    /// It is at most `value`.
    Lte,
    /// It has at least `value` characters, items or members.
    LengthMin,
    /// It has at most `value` characters, items or members.
    LengthMax,
    /// The text contains the text `value`, the array the item, the object the member of that name.
    Contains,
    /// It does not.
    NotContains,
    /// The text matches the regular expression `value` somewhere (linear time: no lookaround, no backreferences).
    Matches,
    /// It is one of the items of `value`.
    OneOf,
    /// The text has the format `value` of JSON Schema: date, date-time, email, uri, uuid, …
    Format,
    /// No item of the array is there twice (or what `each` points to in the items).
    Unique,
    /// The numbers of the array (or what `each` points to in the items) add up to `value`, exactly; `value` is a number or the JSON pointer of one in the output.
    SumEquals,
}

/// A statement about the output.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assertion {
    /// JSON pointer of the value (`/items/0/price`); empty or absent for the output as a whole.
    #[serde(default)]
    pub path: String,
    /// What is stated about it.
    pub op: Op,
    /// With what; see the operator. Default: none; most operators need one.
    #[serde(default, deserialize_with = "crate::present")]
    pub value: Option<Value>,
    /// For `unique` and `sum_equals`: JSON pointer inside each item. Default: the items themselves.
    pub each: Option<String>,
    /// What to say if it does not hold; else a message is made.
    pub message: Option<String>,
}

/// Adds a finding for every assertion that does not hold.
pub fn check(assertions: &[Assertion], output: &Value, findings: &mut Findings) -> Result<(), Error> {
    let patterns = assertions.iter().filter(|assertion| assertion.op == Op::Matches).count();
    if patterns > PATTERNS_MAX {
        return Err(Error::invalid("/assertions", format!("at most {PATTERNS_MAX} regular expressions")));
    }
    for (index, assertion) in assertions.iter().enumerate() {
        let at = |member: &str, message: &str| Error::invalid(format!("/assertions/{index}/{member}"), message);
        let problem = Problem { assertion, output }.find().map_err(|(member, message)| at(member, &message))?;
        if let Some(problem) = problem {
            findings.add(finding(index, assertion, output, problem));
        }
    }
    Ok(())
}

fn finding(index: usize, assertion: &Assertion, output: &Value, problem: String) -> Finding {
    let message = assertion.message.as_deref().unwrap_or(&problem);
    Finding {
        path: shown::cut(&assertion.path, PATH_BYTES_MAX),
        schema_uri: None,
        schema_path: None,
        assertion: Some(index),
        keyword: name(&assertion.op),
        message: shown::cut(message, MESSAGE_BYTES_MAX),
        expected: assertion.value.as_ref().map(shown::value),
        actual: output.pointer(&assertion.path).map(shown::value),
    }
}

/// The operator as the input spells it.
fn name(op: &Op) -> String {
    serde_json::to_value(op).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// What is wrong with the assertion itself: the member, and what would be right.
type Mistake = (&'static str, String);
/// Why it does not hold; none if it does.
type Outcome = Result<Option<String>, Mistake>;

struct Problem<'a> {
    assertion: &'a Assertion,
    output: &'a Value,
}

impl<'a> Problem<'a> {
    fn find(&self) -> Outcome {
        let Assertion { path, op, value, each, .. } = self.assertion;
        pointer(path, "path")?;
        if each.is_some() && !matches!(op, Op::Unique | Op::SumEquals) {
            return Err(("each", "only `unique` and `sum_equals` look at items".into()));
        }
        if let Some(each) = each {
            pointer(each, "each")?;
        }
        let value_at_path = self.output.pointer(path);
        let bare = matches!(op, Op::Exists | Op::Absent | Op::Unique);
        if bare && value.is_some() {
            return Err(("value", format!("`{}` takes no value", name(op))));
        }
        match op {
            Op::Exists => return Ok(value_at_path.is_none().then(|| "nothing is there".into())),
            Op::Absent => return Ok(value_at_path.is_some().then(|| "something is there".into())),
            _ => {}
        }
        // The assertion is understood even where nothing is there, so that a
        // mistake in it does not depend on the output.
        let problem = self.compare(value_at_path.unwrap_or(&Value::Null))?;
        Ok(if value_at_path.is_some() { problem } else { Some("nothing is there".into()) })
    }

    fn compare(&self, target: &Value) -> Outcome {
        let op = self.assertion.op;
        let not = |holds: bool, text: &str| (!holds).then(|| text.to_owned());
        Ok(match op {
            Op::Equals => not(number::same(target, self.value()?), "not the expected value"),
            Op::NotEquals => not(!number::same(target, self.value()?), "the value that it should not be"),
            Op::OneOf => {
                let Value::Array(options) = self.value()? else {
                    return Err(("value", "give an array of values".into()));
                };
                not(options.iter().any(|option| number::same(target, option)), "none of the expected values")
            }
            Op::Type => has_type(target, self.value()?)?,
            Op::Gt | Op::Gte | Op::Lt | Op::Lte => ordered(op, target, self.value()?)?,
            Op::LengthMin | Op::LengthMax => length(op, target, self.value()?)?,
            Op::Contains | Op::NotContains => contains(op, target, self.value()?),
            Op::Matches => matches(target, self.text()?)?,
            Op::Format => format(target, self.text()?)?,
            Op::Unique => self.unique(target),
            Op::SumEquals => self.sum(target)?,
            Op::Exists | Op::Absent => None,
        })
    }

    fn value(&self) -> Result<&'a Value, Mistake> {
        self.assertion.value.as_ref().ok_or_else(|| ("value", format!("`{}` needs a value", name(&self.assertion.op))))
    }

    fn text(&self) -> Result<&'a str, Mistake> {
        self.value()?.as_str().ok_or(("value", "give a text".into()))
    }

    /// The items of an array, or what `each` points to in them, by number.
    fn items(&self, target: &'a Value) -> Option<Vec<(usize, Option<&'a Value>)>> {
        let each = self.assertion.each.as_deref().unwrap_or_default();
        Some(target.as_array()?.iter().map(|item| item.pointer(each)).enumerate().collect())
    }

    fn unique(&self, target: &Value) -> Option<String> {
        let problem = Problem { assertion: self.assertion, output: target };
        let Some(items) = problem.items(target) else { return Some("not an array".into()) };
        let mut seen = HashSet::with_capacity(items.len());
        let twice = items.into_iter().find(|(_, item)| item.is_some_and(|item| !seen.insert(number::key(item))));
        twice.map(|(index, _)| format!("item {index} was there before"))
    }

    fn sum(&self, target: &Value) -> Outcome {
        let wanted = match self.value()? {
            Value::Number(number) => number,
            Value::String(text) => {
                pointer(text, "value")?;
                match self.output.pointer(text) {
                    Some(Value::Number(number)) => number,
                    _ => return Ok(Some(format!("no number at {}", shown::cut(text, 100)))),
                }
            }
            _ => return Err(("value", "give a number, or the JSON pointer of one in the output".into())),
        };
        let problem = Problem { assertion: self.assertion, output: target };
        let Some(items) = problem.items(target) else { return Ok(Some("not an array".into())) };
        let mut sum = Decimal::default();
        for (index, item) in items {
            let Some(Value::Number(number)) = item else { return Ok(Some(format!("no number in item {index}"))) };
            let Some(next) = Decimal::of(number).and_then(|number| sum.plus(number)) else {
                return Ok(Some(format!("item {index} is out of range for an exact sum")));
            };
            sum = next;
        }
        Ok((Decimal::of(wanted) != Some(sum)).then(|| format!("the sum is {sum}, not {wanted}")))
    }
}

fn pointer(text: &str, member: &'static str) -> Result<(), Mistake> {
    let good = text.is_empty() || text.starts_with('/');
    good.then_some(()).ok_or((member, "a JSON pointer is empty or begins with `/`".into()))
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn has_type(target: &Value, wanted: &Value) -> Outcome {
    let names: Vec<&str> = match wanted {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().map(|name| name.as_str().unwrap_or_default()).collect(),
        _ => Vec::new(),
    };
    let known = ["null", "boolean", "integer", "number", "string", "array", "object"];
    if names.is_empty() || names.iter().any(|name| !known.contains(name)) {
        return Err(("value", format!("give one of {}, or several in an array", known.join(", "))));
    }
    // As in JSON Schema, 1.0 is an integer.
    let whole = target.as_number().is_some_and(|number| number.as_f64().is_some_and(|double| double.fract() == 0.0));
    let actual = type_of(target);
    let holds = names.iter().any(|name| *name == actual || (*name == "integer" && whole));
    Ok((!holds).then(|| format!("of type {actual}")))
}

fn ordered(op: Op, target: &Value, wanted: &Value) -> Outcome {
    let order = match (target, wanted) {
        (Value::Number(a), Value::Number(b)) => number::compare(a, b),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (_, Value::Number(_) | Value::String(_)) => {
            return Ok(Some(format!("of type {}, so it does not compare", type_of(target))));
        }
        _ => return Err(("value", "give a number or a text".into())),
    };
    let (holds, relation) = match op {
        Op::Gt => (order == Some(Ordering::Greater), "greater than"),
        Op::Gte => (matches!(order, Some(Ordering::Greater | Ordering::Equal)), "at least"),
        Op::Lt => (order == Some(Ordering::Less), "less than"),
        _ => (matches!(order, Some(Ordering::Less | Ordering::Equal)), "at most"),
    };
    Ok((!holds).then(|| format!("not {relation} the expected value")))
}

fn length(op: Op, target: &Value, wanted: &Value) -> Outcome {
    let wanted = wanted.as_u64().ok_or(("value", "give a whole number from 0".to_owned()))?;
    let (length, unit) = match target {
        Value::String(text) => (text.chars().count(), "characters"),
        Value::Array(items) => (items.len(), "items"),
        Value::Object(members) => (members.len(), "members"),
        other => return Ok(Some(format!("of type {}, which has no length", type_of(other)))),
    };
    let length = u64::try_from(length).unwrap_or(u64::MAX);
    let holds = if op == Op::LengthMin { length >= wanted } else { length <= wanted };
    Ok((!holds).then(|| format!("{length} {unit}")))
}

fn contains(op: Op, target: &Value, wanted: &Value) -> Option<String> {
    let holds = match (target, wanted) {
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        (Value::Array(items), part) => items.iter().any(|item| number::same(item, part)),
        (Value::Object(members), Value::String(part)) => members.contains_key(part),
        _ => return Some(format!("of type {}, which contains no such thing", type_of(target))),
    };
    let wanted = op == Op::Contains;
    (holds != wanted).then(|| if wanted { "does not contain it" } else { "contains it" }.to_owned())
}

fn matches(target: &Value, pattern: &str) -> Outcome {
    let regex = regex(pattern)?;
    let Value::String(text) = target else { return Ok(Some(format!("of type {}, not text", type_of(target)))) };
    Ok((!regex.is_match(text)).then(|| "does not match".into()))
}

fn regex(pattern: &str) -> Result<Regex, Mistake> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(("value", format!("a regular expression has at most {PATTERN_BYTES_MAX} bytes")));
    }
    RegexBuilder::new(pattern).size_limit(REGEX_BYTES_MAX).build().map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default();
        ("value", format!("not a regular expression of linear time: {}", shown::cut(reason, MESSAGE_BYTES_MAX)))
    })
}

fn format(target: &Value, name: &str) -> Outcome {
    let format = Format::named(name);
    let format = format.ok_or_else(|| ("value", format!("no format {:?} in draft 2020-12", shown::cut(name, 60))))?;
    Ok(match target {
        Value::String(_) => (!format.has(target)).then(|| format!("not of the format {name}")),
        other => Some(format!("of type {}, not text", type_of(other))),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The finding's message, `None` if it holds, or the mistake's pointer.
    fn run(output: &Value, assertion: Value) -> Result<Option<String>, String> {
        let list = vec![serde_json::from_value::<Assertion>(assertion).unwrap()];
        let mut findings = Findings::new(10);
        check(&list, output, &mut findings).map_err(|error| error.field().unwrap_or("internal").to_owned())?;
        Ok(findings.list.pop().map(|finding| finding.message))
    }

    #[test]
    fn each_operator_holds_and_fails() {
        let output = json!({"n": 5, "f": 1.0, "t": "héllo", "l": [1, 2, 2.0], "o": {"a": null}, "d": "2024-02-29",
            "lines": [{"id": 1, "sum": 0.1}, {"id": 2, "sum": 0.2}], "total": 0.3});
        for (holds, fails) in [
            (json!({"path": "/n", "op": "equals", "value": 5.0}), json!({"path": "/n", "op": "equals", "value": "5"})),
            (
                json!({"path": "/n", "op": "not_equals", "value": 6}),
                json!({"path": "/n", "op": "not_equals", "value": 5}),
            ),
            (json!({"path": "/o/a", "op": "exists"}), json!({"path": "/o/b", "op": "exists"})),
            (json!({"path": "/o/b", "op": "absent"}), json!({"path": "/o/a", "op": "absent"})),
            (
                json!({"path": "/f", "op": "type", "value": "integer"}),
                json!({"path": "/t", "op": "type", "value": ["null", "integer"]}),
            ),
            (json!({"path": "/n", "op": "gt", "value": 4.9}), json!({"path": "/n", "op": "gt", "value": 5})),
            (json!({"path": "/n", "op": "gte", "value": 5}), json!({"path": "/t", "op": "gte", "value": 5})),
            (json!({"path": "/d", "op": "lt", "value": "2024-03-01"}), json!({"path": "/n", "op": "lt", "value": 5})),
            (json!({"path": "/n", "op": "lte", "value": 5}), json!({"path": "/n", "op": "lte", "value": 4})),
            (
                json!({"path": "/t", "op": "length_min", "value": 5}),
                json!({"path": "/l", "op": "length_min", "value": 4}),
            ),
            (
                json!({"path": "/o", "op": "length_max", "value": 1}),
                json!({"path": "/n", "op": "length_max", "value": 1}),
            ),
            (
                json!({"path": "/l", "op": "contains", "value": 2}),
                json!({"path": "/t", "op": "contains", "value": "z"}),
            ),
            (
                json!({"path": "/o", "op": "not_contains", "value": "z"}),
                json!({"path": "/o", "op": "not_contains", "value": "a"}),
            ),
            (
                json!({"path": "/t", "op": "matches", "value": "^h.l+o$"}),
                json!({"path": "/n", "op": "matches", "value": "5"}),
            ),
            (
                json!({"path": "/n", "op": "one_of", "value": [4, 5]}),
                json!({"path": "/n", "op": "one_of", "value": []}),
            ),
            (
                json!({"path": "/d", "op": "format", "value": "date"}),
                json!({"path": "/t", "op": "format", "value": "date"}),
            ),
            (json!({"path": "/lines", "op": "unique", "each": "/id"}), json!({"path": "/l", "op": "unique"})),
            (
                json!({"path": "/lines", "op": "sum_equals", "each": "/sum", "value": "/total"}),
                json!({"path": "/l", "op": "sum_equals", "value": 5.000_1}),
            ),
        ] {
            assert_eq!(run(&output, holds.clone()), Ok(None), "{holds}");
            assert!(run(&output, fails.clone()).is_ok_and(|target| target.is_some()), "{fails}");
        }
    }

    #[test]
    fn mistakes_are_pointed_at_whatever_the_output() {
        for (assertion, place) in [
            (json!({"path": "n", "op": "exists"}), "path"),
            (json!({"path": "/x", "op": "equals"}), "value"),
            (json!({"path": "/x", "op": "exists", "value": 1}), "value"),
            (json!({"path": "/x", "op": "type", "value": "text"}), "value"),
            (json!({"path": "/x", "op": "gt", "value": []}), "value"),
            (json!({"path": "/x", "op": "length_min", "value": -1}), "value"),
            (json!({"path": "/x", "op": "matches", "value": "(?=a)"}), "value"),
            (json!({"path": "/x", "op": "matches", "value": 1}), "value"),
            (json!({"path": "/x", "op": "one_of", "value": 1}), "value"),
            (json!({"path": "/x", "op": "format", "value": "colour"}), "value"),
            (json!({"path": "/x", "op": "sum_equals", "value": "total"}), "value"),
            (json!({"path": "/x", "op": "equals", "value": 1, "each": "/a"}), "each"),
        ] {
            let mistake = assertion.clone();
            assert_eq!(run(&json!({}), mistake), Err(format!("/assertions/0/{place}")), "{assertion}");
        }
    }

    #[test]
    fn nothing_there_and_own_message() {
        assert_eq!(
            run(&json!({}), json!({"path": "/a", "op": "equals", "value": null})),
            Ok(Some("nothing is there".into()))
        );
        assert_eq!(
            run(&json!(1), json!({"op": "equals", "value": 2, "message": "must be two"})),
            Ok(Some("must be two".into()))
        );
    }
}
