//! An upper bound for the cost of checking a value against a schema, computed when the schema is
//! loaded.
//!
//! A value is checked against every part of the schema that applies to its position, including all
//! branches of `anyOf` and the targets of all references. Each part costs a number of steps, and a
//! number of steps per byte of text if it matches patterns. The cost of the most expensive position
//! is assumed for all values, so that the size of the schema times the size of the input bounds the
//! work, whatever both contain.
//!
//! Invariant: the bound is never too low, except for a constant factor. Computing it takes time
//! linear in the schema, because each part is computed once, before anything is compiled. `shape`
//! has ruled out cycles.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::parts;
use super::rate::{Rate, Size, count};
use super::shape;

/// The cost of one part of a schema (a subschema).
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// The cost of checking a value against this part of the schema.
    check: Rate,
    /// The cost of finding the members and items that the part evaluates, for
    /// `unevaluatedProperties` and similar keywords, which check branches again.
    marks: Rate,
    /// The depth of nested alternatives.
    levels: u64,
    /// Number of subschemas that are compiled for the part, counted with repetitions.
    compiled: u64,
    /// Number of subschemas that are compiled again to find the members that the part evaluates.
    compiled_again: u64,
}

/// The cost of a whole schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SchemaCost {
    /// The cost of one check.
    pub(crate) rate: Rate,
    /// The number of times that the branches of alternatives are checked again to explain a
    /// refusal; zero without alternatives.
    pub(crate) levels: u64,
    /// Number of subschemas that are compiled.
    pub(crate) compiled: u64,
}

/// Computes the cost of a schema for values of up to `bytes` bytes.
pub(crate) fn of(root: &Value, bytes: usize) -> SchemaCost {
    let mut walk = Walk::new(root, bytes);
    let Part { check, levels, compiled, .. } = walk.part(root);
    // An explanation of a refusal evaluates every keyword, even after `maxItems` was
    // violated. It could then compare any number of items, so such a schema gets no
    // explanation.
    let levels = if walk.compares && levels > 0 { u64::MAX } else { levels };
    SchemaCost { rate: check, levels, compiled }
}

/// Returns the JSON pointer of the schema's most expensive keyword, or of the subschema that
/// contains it.
pub(super) fn costliest(root: &Value, bytes: usize) -> String {
    let mut walk = Walk::new(root, bytes);
    let size = Size::of_text(bytes);
    let (mut at, mut schema) = (String::new(), root);
    // Each iteration descends into a subschema; `shape` has bounded the depth.
    while let Value::Object(keywords) = schema {
        let own = keywords.iter().map(|(name, value)| (walk.own(name, value, keywords).steps(size), name));
        let own = own.max_by_key(|(steps, _)| *steps);
        let below = parts::parts(root, keywords);
        let below = below.into_iter().map(|(place, part)| (walk.part(part).check.steps(size), place, part));
        match (own, below.max_by_key(|(steps, ..)| *steps)) {
            (own, Some((steps, place, part))) if own.is_none_or(|(most, _)| steps >= most) => {
                at = place.under(&at);
                schema = part;
            }
            (Some((_, name)), _) => return format!("{at}/{}", parts::escaped(name)),
            (None, _) => break,
        }
    }
    at
}

struct Walk<'a> {
    root: &'a Value,
    /// The largest size of a value's text, in bytes.
    bytes: u64,
    /// Parts whose cost was already computed, by memory address.
    known: HashMap<usize, Part>,
    /// Whether any part compares items with each other (`uniqueItems`).
    compares: bool,
}

/// The summed costs of the keywords of one part, grouped by the values that they check.
#[derive(Default)]
struct Sum {
    /// Cost of checking the value itself.
    own: Rate,
    /// Cost of checking the same value against subschemas, for example those of `anyOf`.
    same: Rate,
    /// Cost of checking each member name.
    names: Rate,
    /// Cost of checking a member with a given name.
    named: Rate,
    /// Cost of checking an item with a given index.
    placed: Rate,
    /// Cost of checking every member or item.
    each: Rate,
    marks: Rate,
    /// Cost of checking members and items that no other keyword evaluates.
    left: Option<Rate>,
    levels: u64,
    compiled: u64,
    compiled_again: u64,
}

impl<'a> Walk<'a> {
    fn new(root: &'a Value, bytes: usize) -> Self {
        Self { root, bytes: count(bytes), known: HashMap::new(), compares: false }
    }

    fn part(&mut self, schema: &'a Value) -> Part {
        let address = std::ptr::from_ref(schema).addr();
        if let Some(part) = self.known.get(&address) {
            return *part;
        }
        let part = match schema {
            Value::Object(keywords) => self.of_keywords(keywords),
            _ => Part { check: Rate::of_value(1), compiled: 1, compiled_again: 1, ..Part::default() },
        };
        self.known.insert(address, part);
        part
    }

    fn of_keywords(&mut self, keywords: &'a Map<String, Value>) -> Part {
        let mut sum = Sum { own: Rate::of_value(1), compiled: 1, compiled_again: 1, ..Sum::default() };
        for (name, value) in keywords {
            sum.own = sum.own.and(self.own(name, value, keywords));
            self.add(&mut sum, name, value);
        }
        let Sum { own, same, names, named, placed, each, mut marks, left, levels, mut compiled, compiled_again } = sum;
        let below = names.or(named.and(each)).or(placed.and(each));
        let mut check = own.or(below).and(same);
        if let Some(left) = left {
            marks = marks.and(left);
            check = check.and(marks).and(left);
            compiled = compiled.saturating_add(compiled_again);
        }
        Part { check, marks, levels, compiled, compiled_again }
    }

    /// Returns the cost of a keyword at the value itself, without its subschemas.
    fn own(&mut self, name: &str, value: &'a Value, keywords: &'a Map<String, Value>) -> Rate {
        match (name, value) {
            ("pattern", Value::String(pattern)) => Rate::of_pattern(pattern),
            ("enum", Value::Array(values)) => parts::among(values)
                .map_or(Rate::of_value(2), |values| Rate { per_value: values, per_byte: values / 16 }),
            ("uniqueItems", Value::Bool(true)) => Rate::of_value(self.unique(keywords)),
            ("properties", _) => Rate::of_value(4),
            ("dependentRequired" | "dependencies", Value::Object(members)) => {
                let names = members.values().map(|names| 1 + names.as_array().map_or(0, Vec::len));
                Rate::of_value(count(names.sum()))
            }
            ("dependentSchemas", Value::Object(members)) => Rate::of_value(count(members.len())),
            (name, _) if parts::SAYS_NOTHING.contains(&name) => Rate::default(),
            _ => Rate::of_value(1),
        }
    }

    /// Returns the cost of comparing an item with the other items of its array (`uniqueItems`).
    /// Items are hashed, but nested lists have the same hash whatever their structure, so a caller
    /// can force each item to be compared with all previous ones.
    fn unique(&mut self, keywords: &Map<String, Value>) -> u64 {
        self.compares = true;
        let items = keywords.get("maxItems").and_then(Value::as_u64).unwrap_or(u64::MAX);
        // Nested lists of different structure take at least ten bytes each, which bounds
        // their number. On average, an item is compared with half of all items.
        (items.min(self.bytes / 10) / 2).max(2)
    }

    /// Adds the cost that a keyword causes through its subschemas.
    fn add(&mut self, sum: &mut Sum, name: &str, value: &'a Value) {
        match (name, value) {
            ("$ref", Value::String(reference)) => {
                if let Some(target) = shape::resolve(self.root, reference) {
                    let part = self.same(sum, target);
                    sum.marks = sum.marks.and(part.marks);
                }
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(parts)) => {
                let mut levels = 0;
                for part in parts {
                    let part = self.same(sum, part);
                    sum.marks = sum.marks.and(part.check).and(part.marks);
                    levels = part.levels.max(levels);
                }
                if name != "allOf" {
                    sum.levels = sum.levels.max(levels.saturating_add(1));
                }
            }
            ("if", value) => {
                let part = self.same(sum, value);
                sum.marks = sum.marks.and(part.check).and(part.marks);
            }
            ("not" | "then" | "else", value) => {
                let part = self.same(sum, value);
                sum.marks = sum.marks.and(part.marks);
            }
            ("dependentSchemas" | "dependencies", Value::Object(parts)) => {
                for part in parts.values() {
                    let part = self.same(sum, part);
                    sum.marks = sum.marks.and(part.marks);
                }
            }
            (name, value) => self.add_below(sum, name, value),
        }
    }

    /// Adds the cost of a keyword whose subschemas apply to members or items.
    fn add_below(&mut self, sum: &mut Sum, name: &str, value: &'a Value) {
        match (name, value) {
            ("properties", Value::Object(parts)) => {
                for part in parts.values() {
                    let part = self.below(sum, part);
                    sum.named = sum.named.or(part);
                }
                sum.marks = sum.marks.and(Rate::of_value(2));
            }
            ("patternProperties", Value::Object(parts)) => {
                for (pattern, part) in parts {
                    // The pattern is matched once here, and a second time for
                    // `additionalProperties`.
                    let (pattern, part) = (Rate::of_pattern(pattern), self.below(sum, part));
                    sum.names = sum.names.and(pattern).and(pattern);
                    sum.marks = sum.marks.and(pattern);
                    sum.each = sum.each.and(part);
                }
            }
            ("items" | "prefixItems", Value::Array(parts)) => {
                for part in parts {
                    let part = self.below(sum, part);
                    sum.placed = sum.placed.or(part);
                }
            }
            ("additionalProperties", part) => {
                let part = self.below(sum, part);
                sum.named = sum.named.or(part);
                sum.marks = sum.marks.and(Rate::of_value(2));
            }
            ("propertyNames", part) => {
                let part = self.below(sum, part);
                sum.names = sum.names.and(part);
            }
            ("items" | "additionalItems", part) => {
                let part = self.below(sum, part);
                sum.placed = sum.placed.or(part);
            }
            ("contains", part) => {
                let part = self.below(sum, part);
                sum.each = sum.each.and(part);
                sum.marks = sum.marks.and(part);
            }
            ("unevaluatedProperties" | "unevaluatedItems", part) => {
                let part = self.below(sum, part);
                sum.left = Some(sum.left.unwrap_or_default().and(part));
            }
            _ => {}
        }
    }

    /// Adds a subschema that applies to the same value.
    fn same(&mut self, sum: &mut Sum, schema: &'a Value) -> Part {
        let part = self.part(schema);
        sum.same = sum.same.and(part.check);
        sum.levels = sum.levels.max(part.levels);
        sum.compiled = sum.compiled.saturating_add(part.compiled);
        sum.compiled_again = sum.compiled_again.saturating_add(part.compiled).saturating_add(part.compiled_again);
        part
    }

    /// Adds a subschema that applies to members or items; returns the cost of its check.
    fn below(&mut self, sum: &mut Sum, schema: &'a Value) -> Rate {
        let part = self.part(schema);
        sum.levels = sum.levels.max(part.levels);
        sum.compiled = sum.compiled.saturating_add(part.compiled);
        sum.compiled_again = sum.compiled_again.saturating_add(part.compiled);
        part.check
    }
}

#[cfg(test)]
#[path = "cost_tests.rs"]
mod tests;
