//! A schema ready to be met by values: its keywords read, its references followed.
//!
//! Invariant: every index in a plan is that of a part of it.

use std::collections::BTreeMap;

use serde_json::{Number, Value};

use crate::{finding::token, formats::Format, keywords::Step, patterns::Pattern};

/// The number of a part.
pub type Index = usize;

/// The parts of the schemas of a call that its output can meet.
#[derive(Debug, Default)]
pub struct Plan<'s> {
    pub parts: Vec<Part<'s>>,
    /// By anchor and number of the resource: what `$dynamicRef` leads to in it.
    pub dynamic: BTreeMap<(&'s str, usize), Index>,
}

/// One schema.
#[derive(Debug)]
pub struct Part<'s> {
    pub schema: &'s Value,
    pub origin: Origin<'s>,
    /// The resource that it belongs to: the nearest schema around it with an `$id`, or the document.
    pub resource: usize,
    /// In the order in which they are applied.
    pub rules: Vec<Rule<'s>>,
}

/// Where a part stands.
#[derive(Debug, Clone)]
pub enum Origin<'s> {
    /// At a pointer in a document.
    Place { document: usize, pointer: String },
    /// Below another part.
    Below { part: Index, keyword: &'s str, step: Step<'s> },
}

/// A keyword with its meaning.
#[derive(Debug)]
pub struct Rule<'s> {
    pub keyword: &'s str,
    pub kind: Kind<'s>,
}

/// What a keyword means; those that hold schemas know their parts.
#[derive(Debug)]
pub enum Kind<'s> {
    Leaf(Leaf<'s>),
    Required(&'s [Value]),
    DependentRequired(Vec<(&'s str, &'s [Value])>),
    Members(Box<Members<'s>>),
    Names(Index),
    DependentSchemas(Vec<(&'s str, Index)>),
    Items { first: Vec<Index>, rest: Option<Index> },
    Contains(Contains),
    Reference(Index),
    Dynamic { target: Index, anchor: Option<&'s str> },
    All(Vec<Index>),
    Any(Vec<Index>),
    One(Vec<Index>),
    Not(Index),
    If { test: Index, then: Option<Index>, otherwise: Option<Index> },
    LeftMembers(Index),
    LeftItems(Index),
}

/// What looks at one value and at nothing else.
#[derive(Debug)]
pub enum Leaf<'s> {
    Type(Types),
    /// And how many steps it takes to look through it.
    Const(&'s Value, u64),
    /// And how many steps it takes to look through them.
    Enum(&'s [Value], u64),
    Minimum(&'s Number),
    Maximum(&'s Number),
    ExclusiveMinimum(&'s Number),
    ExclusiveMaximum(&'s Number),
    MultipleOf(&'s Number),
    MinLength(u64),
    MaxLength(u64),
    Pattern(Box<Pattern>),
    Format(&'static Format),
    MinItems(u64),
    MaxItems(u64),
    UniqueItems,
    MinProperties(u64),
    MaxProperties(u64),
}

/// `properties`, `patternProperties` and `additionalProperties`: what is additional depends on the others.
#[derive(Debug, Default)]
pub struct Members<'s> {
    /// In the order of their names.
    pub named: Vec<(&'s str, Index)>,
    pub matching: Vec<(Pattern, Index)>,
    pub rest: Option<Index>,
}

/// `contains` with its bounds.
#[derive(Debug, Clone, Copy)]
pub struct Contains {
    pub part: Index,
    pub min: Option<u64>,
    pub max: Option<u64>,
}

/// A set of the seven types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Types(u8);

const TYPE_NAMES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

impl Types {
    /// The types of the keyword's value: a name, or a list of them.
    pub fn of(names: &Value) -> Self {
        let bit = |name: &Value| TYPE_NAMES.iter().position(|known| name == known).map_or(0, |at| 1 << at);
        Self(match names {
            Value::Array(names) => names.iter().map(bit).fold(0, |set, bit| set | bit),
            name => bit(name),
        })
    }

    /// Is the value of one of them? 1.0 is an integer.
    pub fn have(self, value: &Value) -> bool {
        let bit = match value {
            Value::Array(_) => 1,
            Value::Bool(_) => 1 << 1,
            Value::Null => 1 << 3,
            Value::Number(number) => {
                let whole = !number.is_f64() || number.as_f64().is_some_and(|double| double.fract() == 0.0);
                (1 << 4) | if whole { 1 << 2 } else { 0 }
            }
            Value::Object(_) => 1 << 5,
            Value::String(_) => 1 << 6,
        };
        self.0 & bit != 0
    }

    /// Their names.
    pub fn names(self) -> Vec<&'static str> {
        let has = |at: &usize| self.0 & (1 << at) != 0;
        TYPE_NAMES.iter().enumerate().filter(|(at, _)| has(at)).map(|(_, name)| *name).collect()
    }
}

impl<'s> Plan<'s> {
    pub fn part(&self, at: Index) -> Option<&Part<'s>> {
        self.parts.get(at)
    }

    /// Is the part the schema `false`?
    pub fn is_false(&self, at: Index) -> bool {
        self.part(at).is_some_and(|part| *part.schema == Value::Bool(false))
    }

    /// The document that a part stands in, and its JSON pointer there.
    pub fn place(&self, at: Index) -> (usize, String) {
        let mut steps: Vec<String> = Vec::new();
        let mut at = at;
        loop {
            match self.part(at).map(|part| &part.origin) {
                Some(Origin::Below { part, keyword, step }) => {
                    steps.push(below(keyword, *step));
                    at = *part;
                }
                Some(Origin::Place { document, pointer }) => {
                    steps.push(pointer.clone());
                    steps.reverse();
                    return (*document, steps.concat());
                }
                None => return (0, String::new()),
            }
        }
    }
}

/// A keyword and a step as a piece of a JSON pointer.
pub fn below(keyword: &str, step: Step<'_>) -> String {
    match step {
        Step::Value => format!("/{}", token(keyword)),
        Step::Item(index) => format!("/{}/{index}", token(keyword)),
        Step::Member(name) => format!("/{}/{}", token(keyword), token(name)),
    }
}

/// What a schema is known by while it does not move.
pub fn address(schema: &Value) -> usize {
    std::ptr::from_ref(schema) as usize
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_point_zero_is_an_integer() {
        let check =
            |names: Value, value: Value, expect| assert_eq!(Types::of(&names).have(&value), expect, "{names} {value}");
        check(json!("integer"), json!(1.0), true);
        check(json!("integer"), json!(1.5), false);
        check(json!("number"), json!(1), true);
        check(json!(["null", "string"]), json!(null), true);
        check(json!(["null", "string"]), json!(false), false);
        check(json!("object"), json!({}), true);
        assert_eq!(Types::of(&json!(["string", "null"])).names(), ["null", "string"]);
    }
}
