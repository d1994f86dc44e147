//! Reads JSON values of any shape: one that does not fit is an error.
//!
//! Equality, order and what counts as empty are as in Python, for which the facts of the tasks were written.

use std::{cmp::Ordering, slice};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Map, Value, json};

/// Checks a fact if it is expected.
pub(super) fn fact(expect: &Value, name: &str, holds: impl FnOnce(&Value) -> Result<bool>) -> Result<()> {
    let Some(expected) = expect.get(name) else { return Ok(()) };
    ensure!(holds(expected)?, "{name} is not {expected}");
    Ok(())
}

/// Checks each expected fact of a list.
pub(super) fn facts(expect: &Value, name: &str, mut holds: impl FnMut(&Value) -> Result<bool>) -> Result<()> {
    for expected in list(expect, name)? {
        ensure!(holds(&expected)?, "{name} {expected} does not hold");
    }
    Ok(())
}

/// Checks each expected fact of an object.
pub(super) fn named_facts(expect: &Value, of: &str, mut holds: impl FnMut(&str, &Value) -> Result<bool>) -> Result<()> {
    for (name, expected) in expect.get(of).map(object).transpose()?.into_iter().flatten() {
        ensure!(holds(name, expected)?, "{name} is not {expected}");
    }
    Ok(())
}

/// Returns the members of an object.
pub(super) fn object(value: &Value) -> Result<&Map<String, Value>> {
    value.as_object().with_context(|| format!("{value} is not an object"))
}

/// Returns a member of an object; `null` if it is missing.
pub(super) fn get<'v>(value: &'v Value, name: &str) -> Result<&'v Value> {
    Ok(object(value)?.get(name).unwrap_or(&Value::Null))
}

/// Returns a member that must not be missing.
pub(super) fn member<'v>(value: &'v Value, name: &str) -> Result<&'v Value> {
    object(value)?.get(name).with_context(|| format!("{name} is missing in {value}"))
}

/// Returns a member unless it is missing, `null`, false, zero or empty.
pub(super) fn non_empty<'v>(value: &'v Value, name: &str) -> Result<Option<&'v Value>> {
    Ok(Some(get(value, name)?).filter(|member| is_truthy(member)))
}

/// Returns the text of a member; the empty text if it is missing.
pub(super) fn text_in(value: &Value, name: &str) -> Result<String> {
    Ok(object(value)?.get(name).map(text_of).unwrap_or_default())
}

/// Returns the parts of a member; none if it is missing.
pub(super) fn list(value: &Value, name: &str) -> Result<Vec<Value>> {
    Ok(object(value)?.get(name).map(parts).transpose()?.unwrap_or_default())
}

/// Returns the items of an array, the names of an object, or the characters of a text.
pub(super) fn parts(value: &Value) -> Result<Vec<Value>> {
    Ok(match value {
        Value::Array(items) => items.clone(),
        Value::Object(members) => members.keys().cloned().map(Value::from).collect(),
        Value::String(text) => text.chars().map(|character| character.to_string().into()).collect(),
        _ => bail!("{value} has no parts"),
    })
}

/// Returns the items of an array, or the value alone.
pub(super) fn one_or_many(value: &Value) -> &[Value] {
    value.as_array().map_or_else(|| slice::from_ref(value), Vec::as_slice)
}

/// Returns whether a condition holds for one of the items.
pub(super) fn any(items: &[Value], holds: impl FnMut(&Value) -> Result<bool>) -> Result<bool> {
    items.iter().map(holds).find(|held| !matches!(held, Ok(false))).unwrap_or(Ok(false))
}

/// Returns the items for which a condition holds.
pub(super) fn select(items: &[Value], holds: impl Fn(&Value) -> Result<bool>) -> Result<Vec<Value>> {
    items.iter().filter_map(|item| holds(item).map(|held| held.then(|| item.clone())).transpose()).collect()
}

/// Returns whether a value is neither `null`, false, zero nor empty.
pub(super) fn is_truthy(value: &Value) -> bool {
    let empty = [Value::Null, false.into(), "".into(), json!([]), json!({})];
    !empty.contains(value) && value.as_f64() != Some(0.0)
}

/// Returns a number; true and false count as 1 and 0.
pub(super) fn number(value: &Value) -> Result<f64> {
    let number = value.as_bool().map(f64::from).or_else(|| value.as_f64());
    number.with_context(|| format!("{value} is not a number"))
}

/// Returns whether two values are equal; numbers are compared by value.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    left == right || compare(left, right).is_ok_and(Ordering::is_eq)
}

/// Compares two numbers or two texts.
pub(super) fn compare(left: &Value, right: &Value) -> Result<Ordering> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Ok(left.cmp(right)),
        _ => number(left)?.partial_cmp(&number(right)?).context("no order"),
    }
}

/// Returns a text, or the JSON of another value, but `null` and numbers as Python writes them.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Number(number) if number.is_f64() => format!("{:?}", number.as_f64().unwrap_or_default()),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
