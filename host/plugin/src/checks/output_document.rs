//! A JSON representation for checking a plugin's output against its schema.
//!
//! Every output of every call is parsed again for this check, so no value is allocated separately:
//! strings are borrowed from the text, everything else is in one arena that is freed at once.

use std::borrow::Cow;
use std::fmt;

use bumpalo::Bump;
use jsonschema::JsonType;
use jsonschema::json::{Array, Json, Node, NodeIdentity, Object};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use tollbridge_core::limits::JSON_DEPTH_MAX;

/// A marker type with which `jsonschema` compiles a schema that checks `OutputNode`
/// values.
pub(crate) struct OutputDocument;

/// A JSON value in an output.
#[derive(Clone, Debug)]
pub(crate) enum OutputNode<'a> {
    Null,
    Boolean(bool),
    Number(Number),
    Text(&'a str),
    Array(&'a [Self]),
    /// Members sorted by name; each name occurs once.
    Object(&'a [(&'a str, Self)]),
}

impl OutputNode<'_> {
    pub(super) const fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

/// Parses a text; `None` if it is not valid JSON or nested too deep.
pub(crate) fn read<'a>(text: &'a str, memory: &'a Bump) -> Option<OutputNode<'a>> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let mut open = Open::default();
    let node = Reader { memory, open: &mut open, depth: 0 }.deserialize(&mut parser).ok()?;
    parser.end().ok().map(|()| node)
}

/// The elements and members read so far of arrays and objects that are still being
/// parsed.
#[derive(Default)]
struct Open<'a> {
    items: Vec<OutputNode<'a>>,
    members: Vec<(&'a str, OutputNode<'a>)>,
}

struct Reader<'a, 'o> {
    memory: &'a Bump,
    open: &'o mut Open<'a>,
    depth: usize,
}

impl<'a> Reader<'a, '_> {
    fn deeper<E: Error>(&mut self) -> Result<Reader<'a, '_>, E> {
        let depth = self.depth.saturating_add(1);
        if depth > JSON_DEPTH_MAX {
            return Err(E::custom("nested too deep"));
        }
        Ok(Reader { memory: self.memory, open: self.open, depth })
    }
}

impl<'a> DeserializeSeed<'a> for Reader<'a, '_> {
    type Value = OutputNode<'a>;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Reader<'a, '_> {
    type Value = OutputNode<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(OutputNode::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(OutputNode::Boolean(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(OutputNode::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(OutputNode::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(value).map_or(OutputNode::Null, OutputNode::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(OutputNode::Text(self.memory.alloc_str(value)))
    }

    fn visit_borrowed_str<E: Error>(self, value: &'a str) -> Result<Self::Value, E> {
        Ok(OutputNode::Text(value))
    }

    fn visit_seq<A: SeqAccess<'a>>(mut self, mut items: A) -> Result<Self::Value, A::Error> {
        let start = self.open.items.len();
        while let Some(item) = items.next_element_seed(self.deeper()?)? {
            self.open.items.push(item);
        }
        Ok(OutputNode::Array(self.memory.alloc_slice_fill_iter(self.open.items.drain(start..))))
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut members: A) -> Result<Self::Value, A::Error> {
        let start = self.open.members.len();
        while let Some(name) = members.next_key_seed(Name(self.memory))? {
            let value = members.next_value_seed(self.deeper()?)?;
            self.open.members.push((name, value));
        }
        let own = self.open.members.get_mut(start..).unwrap_or_default();
        own.sort_by_key(|(name, _)| *name);
        let is_twice = own.windows(2).any(|pair| matches!(pair, [(one, _), (other, _)] if one == other));
        let memory = self.memory;
        let members: &[_] = if is_twice {
            // Among duplicate members the last one wins, as everywhere in the host.
            let last: Vec<_> = own.chunk_by(|one, other| one.0 == other.0).filter_map(<[_]>::last).cloned().collect();
            self.open.members.truncate(start);
            memory.alloc_slice_fill_iter(last)
        } else {
            memory.alloc_slice_fill_iter(self.open.members.drain(start..))
        };
        Ok(OutputNode::Object(members))
    }
}

/// Parses the name of a member without allocating it separately.
struct Name<'a>(&'a Bump);

impl<'a> DeserializeSeed<'a> for Name<'a> {
    type Value = &'a str;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for Name<'a> {
    type Value = &'a str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.alloc_str(name))
    }

    fn visit_borrowed_str<E: Error>(self, name: &'a str) -> Result<Self::Value, E> {
        Ok(name)
    }
}

impl Json for OutputDocument {
    type Node<'a> = &'a OutputNode<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = ();

    /// The value that `jsonschema` uses for `serde_json`, whose objects are sorted maps,
    /// too.
    const KEYS_PER_LOOKUP: usize = 2;

    fn prepare_key(key: &str) -> Self::PreparedKey {
        key.into()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(Self::Node<'_>) -> T) -> T {
        f(&OutputNode::Text(string))
    }
}

impl<'a> Node<'a, OutputDocument> for &'a OutputNode<'a> {
    type Object = &'a [(&'a str, OutputNode<'a>)];
    type Array = &'a [OutputNode<'a>];
    type Number = &'a Number;

    fn as_object(&self) -> Option<Self::Object> {
        if let OutputNode::Object(members) = self { Some(members) } else { None }
    }

    fn as_array(&self) -> Option<Self::Array> {
        if let OutputNode::Array(items) = self { Some(items) } else { None }
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        if let OutputNode::Text(text) = self { Some(Cow::Borrowed(text)) } else { None }
    }

    fn as_number(&self) -> Option<Self::Number> {
        if let OutputNode::Number(number) = self { Some(number) } else { None }
    }

    fn as_boolean(&self) -> Option<bool> {
        if let OutputNode::Boolean(value) = self { Some(*value) } else { None }
    }

    fn is_null(&self) -> bool {
        matches!(self, OutputNode::Null)
    }

    fn json_type(&self) -> JsonType {
        match self {
            OutputNode::Null => JsonType::Null,
            OutputNode::Boolean(_) => JsonType::Boolean,
            OutputNode::Number(_) => JsonType::Number,
            OutputNode::Text(_) => JsonType::String,
            OutputNode::Array(_) => JsonType::Array,
            OutputNode::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        match (self, expected) {
            (OutputNode::Text(text), Value::String(expected)) => text == expected,
            (OutputNode::Text(_), _) | (_, Value::String(_)) => false,
            _ => jsonschema::json::cmp::equal(&self.to_value(), expected),
        }
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(match self {
            OutputNode::Null => Value::Null,
            OutputNode::Boolean(value) => Value::Bool(*value),
            OutputNode::Number(number) => Value::Number(number.clone()),
            OutputNode::Text(text) => Value::String((*text).to_owned()),
            OutputNode::Array(items) => items.iter().map(|item| item.to_value().into_owned()).collect(),
            OutputNode::Object(members) => {
                members.iter().map(|(name, value)| (*name, value.to_value().into_owned())).collect()
            }
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref::<OutputNode<'_>>(self).addr()))
    }
}

/// Iterates over an object's members in order.
pub(crate) struct Members<'a>(std::slice::Iter<'a, (&'a str, OutputNode<'a>)>);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, &'a OutputNode<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (*name, value))
    }
}

impl<'a> Object<'a, OutputDocument> for &'a [(&'a str, OutputNode<'a>)] {
    type Node = &'a OutputNode<'a>;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    fn get(&self, key: &Box<str>) -> Option<Self::Node> {
        let at = self.binary_search_by(|(name, _)| (*name).cmp(key)).ok()?;
        <[_]>::get(self, at).map(|(_, value)| value)
    }

    fn members(&self) -> Members<'a> {
        Members(self.iter())
    }
}

impl<'a> Array<'a, OutputDocument> for &'a [OutputNode<'a>] {
    type Node = &'a OutputNode<'a>;
    type ElementsIter = std::slice::Iter<'a, OutputNode<'a>>;

    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    fn elements(&self) -> Self::ElementsIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// Generates arbitrary JSON, including duplicate member names.
    fn text() -> impl Strategy<Value = String> {
        let name = "[a-c\\\\\"\u{e9}]{0,2}".prop_map(|name| json!(name).to_string());
        let leaf = prop_oneof![
            Just("null".to_owned()),
            Just("true".to_owned()),
            any::<i64>().prop_map(|number| number.to_string()),
            any::<f64>().prop_map(|number| json!(number).to_string()),
            name.clone(),
        ];
        leaf.prop_recursive(4, 40, 6, move |inner| {
            let member = (name.clone(), inner.clone()).prop_map(|(name, value)| format!("{name}:{value}"));
            prop_oneof![
                prop::collection::vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(","))),
                prop::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(","))),
            ]
        })
    }

    fn schemas() -> [Value; 6] {
        [
            json!({ "type": ["object", "array"], "items": { "type": "integer" }, "maxProperties": 2 }),
            json!({ "properties": { "a": { "type": "string", "minLength": 1 } }, "additionalProperties": false }),
            json!({ "propertyNames": { "maxLength": 1 }, "uniqueItems": true, "enum": [[], {}, { "a": [1] }, "a", 0] }),
            json!({ "anyOf": [{ "required": ["b"] }, { "minItems": 2 }, { "maximum": 0 }, { "pattern": "^a" }] }),
            json!({ "$ref": "#/$defs/tree", "$defs": { "tree": { "additionalProperties": { "$ref": "#/$defs/tree" },
                "items": { "$ref": "#/$defs/tree" }, "not": { "const": null } } } }),
            json!({ "unevaluatedProperties": false, "patternProperties": { "^[ab]": { "type": ["number", "null"] } } }),
        ]
    }

    proptest! {
        #[test]
        fn a_schema_says_of_it_what_it_says_of_the_value(text in text()) {
            let value: Value = serde_json::from_str(&text).unwrap();
            let memory = Bump::new();
            let node = read(&text, &memory).unwrap();
            prop_assert_eq!(&*(&node).to_value(), &value);
            for schema in schemas() {
                let expected = jsonschema::validator_for(&schema).unwrap().is_valid(&value);
                let compiled = jsonschema::options_for::<OutputDocument>().build(&schema).unwrap();
                prop_assert_eq!(compiled.is_valid(&node), expected, "{} {}", schema, text);
            }
        }
    }

    #[test]
    fn is_as_strict_as_any_reader() {
        let memory = Bump::new();
        for text in ["", "{", "{} x", "{\"a\":01}", "[1,]", "{\"a\":\"\n\"}"] {
            assert!(read(text, &memory).is_none(), "{text}");
        }
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(read(&nested(JSON_DEPTH_MAX), &memory).is_some());
        assert!(read(&nested(JSON_DEPTH_MAX + 1), &memory).is_none());
    }
}
