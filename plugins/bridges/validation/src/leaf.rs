//! What a keyword that looks at one value alone says about it.

use std::{cmp::Ordering, collections::HashSet};

use serde_json::{Number, Value};

use crate::{limits::STEP_BYTES, number, plan::Leaf};

/// Items of an array up to which each is compared with each.
const PAIRS_MAX: usize = 8;

/// Steps that it takes to write a number or a small value as text.
const TEXT_STEPS: u64 = 4;

impl Leaf<'_> {
    /// Does it hold of the value?
    pub fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Type(types), value) => types.have(value),
            (Self::Const(wanted, _), value) => number::same(value, wanted),
            (Self::Enum(options, _), value) => options.iter().any(|option| number::same(value, option)),
            (Self::Minimum(bound), Value::Number(number)) => ordered(number, bound, Ordering::is_ge),
            (Self::Maximum(bound), Value::Number(number)) => ordered(number, bound, Ordering::is_le),
            (Self::ExclusiveMinimum(bound), Value::Number(number)) => ordered(number, bound, Ordering::is_gt),
            (Self::ExclusiveMaximum(bound), Value::Number(number)) => ordered(number, bound, Ordering::is_lt),
            (Self::MultipleOf(divisor), Value::Number(number)) => number::is_multiple(number, divisor),
            (Self::MinLength(bound), Value::String(text)) => characters(text) >= *bound,
            (Self::MaxLength(bound), Value::String(text)) => characters(text) <= *bound,
            (Self::Pattern(pattern), Value::String(text)) => pattern.matches(text),
            (Self::Format(format), Value::String(_)) => format.has(value),
            (Self::MinItems(bound), Value::Array(items)) => wide(items.len()) >= *bound,
            (Self::MaxItems(bound), Value::Array(items)) => wide(items.len()) <= *bound,
            (Self::UniqueItems, Value::Array(items)) => unique(items),
            (Self::MinProperties(bound), Value::Object(members)) => wide(members.len()) >= *bound,
            (Self::MaxProperties(bound), Value::Object(members)) => wide(members.len()) <= *bound,
            _ => true,
        }
    }

    /// How much work that is, in steps: never less than it takes.
    pub fn steps(&self, value: &Value) -> u64 {
        let text = |text: &str| wide(text.len() / STEP_BYTES);
        match (self, value) {
            (Self::Const(_, values), Value::Array(_) | Value::Object(_))
            | (Self::Enum(_, values), Value::Array(_) | Value::Object(_)) => *values,
            (Self::Enum(options, _), value) => wide(options.len()).saturating_add(value.as_str().map_or(0, text)),
            (Self::UniqueItems, Value::Array(_)) => steps_in(value).saturating_mul(TEXT_STEPS),
            (Self::MultipleOf(_), Value::Number(_)) => TEXT_STEPS,
            (
                Self::Const(..) | Self::MinLength(_) | Self::MaxLength(_) | Self::Pattern(_) | Self::Format(_),
                Value::String(whole),
            ) => text(whole),
            _ => 0,
        }
    }
}

fn ordered(number: &Number, bound: &Number, holds: fn(Ordering) -> bool) -> bool {
    number::compare(number, bound).is_some_and(holds)
}

fn characters(text: &str) -> u64 {
    wide(text.chars().count())
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Is no item there twice? Many are compared by texts that are the same for those that are.
fn unique(items: &[Value]) -> bool {
    if items.len() <= PAIRS_MAX {
        let mut rest = items;
        while let Some((first, others)) = rest.split_first() {
            if others.iter().any(|other| number::same(first, other)) {
                return false;
            }
            rest = others;
        }
        return true;
    }
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().all(|item| seen.insert(number::key(item)))
}

/// How many steps it takes to look through a value: one for each value in it, and more for long texts.
pub fn steps_in(value: &Value) -> u64 {
    let mut sum = 0u64;
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        sum = sum.saturating_add(1);
        match value {
            Value::String(text) => sum = sum.saturating_add(wide(text.len() / STEP_BYTES)),
            Value::Array(items) => waiting.extend(items),
            Value::Object(members) => {
                sum = sum.saturating_add(wide(members.keys().map(String::len).sum::<usize>() / STEP_BYTES));
                waiting.extend(members.values());
            }
            _ => {}
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_are_unique_by_value() {
        let check = |items: Vec<Value>, expect| assert_eq!(unique(&items), expect, "{items:?}");
        check(vec![json!(1), json!(true), json!("1"), json!([1]), json!({"a": 1})], true);
        check(vec![json!({"a": 1, "b": 2}), json!({"b": 2.0, "a": 1.0})], false);
        check((0..100).map(Value::from).collect(), true);
        check((0..100).chain([50]).map(Value::from).collect(), false);
        check((0..100).map(Value::from).chain([json!(50.0)]).collect(), false);
    }
}
