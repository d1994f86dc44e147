//! How much work a schema makes with an output, found out before it is done.
//!
//! Branches that refer to each other can multiply checks without end, however
//! small schema and output are. This walks the output with the parts of the
//! schema that would meet each value, counting, and stops at a bound.
//! Invariant: it never undercounts by a decision of a keyword (every branch
//! counts), and itself takes no more steps than it counts.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::documents::Documents;
use crate::limits::{CHECKS_MAX, COPIES_MAX, REPEATS_MAX};

/// Keywords whose schema, or each of whose schemas, meets the same value.
const SAME_VALUE: [&str; 9] =
    ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "contentSchema"];
/// Keywords whose schema meets members or items of the value.
const PARTS: [&str; 8] = [
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "patternProperties",
    "items",
    "contains",
    "unevaluatedItems",
    "prefixItems",
];

/// A part of the schema and what it leads to.
#[derive(Debug, Default)]
struct Node {
    /// Meets the same value; whether findings in it are kept as copies.
    same: Vec<(usize, bool)>,
    /// Meets the member of this name.
    named: BTreeMap<String, usize>,
    /// Meets members without a schema of their own name, or items; so often.
    parts: Vec<(usize, u64)>,
}

/// The parts of a schema.
#[derive(Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
}

/// Where schemas with names are in a document.
#[derive(Default)]
struct Names<'s> {
    ids: Vec<(&'s str, &'s Value)>,
    anchors: HashMap<&'s str, Vec<&'s Value>>,
    /// The embedded resource that a value belongs to, by the value's address.
    homes: HashMap<usize, &'s Value>,
}

impl Graph {
    /// Reads the schemas; the first node is the one that the output is checked by.
    pub fn of(documents: &Documents<'_>) -> Self {
        let schema = documents.root();
        let mut names = Names::default();
        names.collect(schema);
        for (uri, given) in documents.named() {
            names.ids.push((uri, given));
            names.collect(given);
        }
        let mut graph = Self::default();
        let mut index = HashMap::new();
        let mut waiting = vec![schema];
        let mut intern = |value, waiting: &mut Vec<_>, nodes: &mut Vec<Node>| {
            *index.entry(address(value)).or_insert_with(|| {
                waiting.push(value);
                nodes.push(Node::default());
                nodes.len() - 1
            })
        };
        intern(schema, &mut Vec::new(), &mut graph.nodes);
        while let Some(value) = waiting.pop() {
            let Value::Object(members) = value else { continue };
            let mut node = Node::default();
            for (keyword, inner) in members {
                let keyword = keyword.as_str();
                let mut add = |value| intern(value, &mut waiting, &mut graph.nodes);
                if SAME_VALUE.contains(&keyword) {
                    let copied = matches!(keyword, "anyOf" | "oneOf");
                    node.same.extend(schemas(keyword, inner).into_iter().map(|schema| (add(schema), copied)));
                } else if keyword == "properties" {
                    let Value::Object(members) = inner else { continue };
                    node.named.extend(members.iter().map(|(name, schema)| (name.clone(), add(schema))));
                } else if PARTS.contains(&keyword) {
                    // What is left over is first looked for, then checked.
                    let times = if keyword.starts_with("unevaluated") && inner.is_object() { 2 } else { 1 };
                    node.parts.extend(schemas(keyword, inner).into_iter().map(|schema| (add(schema), times)));
                } else if let ("$ref" | "$dynamicRef", Some(text)) = (keyword, inner.as_str()) {
                    let targets = names.resolve(text, value, schema);
                    node.same.extend(targets.into_iter().map(|schema| (add(schema), false)));
                }
            }
            let place = intern(value, &mut waiting, &mut graph.nodes);
            if let Some(slot) = graph.nodes.get_mut(place) {
                *slot = node;
            }
        }
        graph
    }

    /// Is the work with this output within bounds?
    pub fn affordable(&self, output: &Value) -> bool {
        let mut count = Count::default();
        self.meet(output, &BTreeMap::from([(0, 1)]), &mut count).is_some()
    }

    /// Counts all that happens at `value`, which the nodes of `roots` meet so
    /// often; returns how many values are in it.
    fn meet(&self, value: &Value, roots: &BTreeMap<usize, u64>, count: &mut Count) -> Option<u64> {
        let mut met = BTreeMap::new();
        let mut copies = 0u64;
        for (root, weight) in roots {
            copies = copies.checked_add(self.spread(*root, *weight, &mut met, count)?)?;
        }
        let mut values = 1u64;
        match value {
            Value::Object(members) => {
                for (name, inner) in members {
                    values = values.checked_add(self.meet(inner, &self.below(&met, Some(name)), count)?)?;
                }
            }
            Value::Array(items) => {
                let below = self.below(&met, None);
                for inner in items {
                    values = values.checked_add(self.meet(inner, &below, count)?)?;
                }
            }
            _ => {}
        }
        count.copies = count.copies.checked_add(copies.checked_mul(values)?).filter(|sum| *sum <= COPIES_MAX)?;
        Some(values)
    }

    /// Adds to `met` all nodes that meet the same value as `root` does, path by
    /// path (a path ends where it closes a circle, as the validator's does);
    /// returns how many of them stand in alternatives.
    fn spread(&self, root: usize, weight: u64, met: &mut BTreeMap<usize, u64>, count: &mut Count) -> Option<u64> {
        let mut copies = 0u64;
        let mut path: Vec<usize> = Vec::new();
        let mut waiting = vec![(root, 0usize, false)];
        while let Some((at, depth, copied)) = waiting.pop() {
            path.truncate(depth);
            if path.contains(&at) {
                continue;
            }
            path.push(at);
            let times = met.entry(at).or_insert(0);
            count.step(weight, *times)?;
            *times = times.checked_add(weight)?;
            if copied {
                copies = copies.checked_add(weight)?;
            }
            let next = self.nodes.get(at).map_or(&[][..], |node| &node.same);
            waiting.extend(next.iter().map(|(next, branch)| (*next, depth + 1, copied || *branch)));
        }
        Some(copies)
    }

    /// What meets a member or an item of a value that `met` meet.
    fn below(&self, met: &BTreeMap<usize, u64>, name: Option<&str>) -> BTreeMap<usize, u64> {
        let mut counts = BTreeMap::new();
        for (at, weight) in met {
            let Some(node) = self.nodes.get(*at) else { continue };
            let named = name.and_then(|name| node.named.get(name)).map(|next| (*next, 1));
            for (next, times) in named.into_iter().chain(node.parts.iter().copied()) {
                let sum: &mut u64 = counts.entry(next).or_insert(0);
                *sum = sum.saturating_add(weight.saturating_mul(times));
            }
        }
        counts
    }
}

/// What was counted so far.
#[derive(Debug, Default)]
struct Count {
    checks: u64,
    repeats: u64,
    copies: u64,
}

impl Count {
    /// `weight` more checks of a part that has been met `before` times here.
    fn step(&mut self, weight: u64, before: u64) -> Option<()> {
        let again = if before == 0 { weight.saturating_sub(1) } else { weight };
        self.checks = self.checks.checked_add(weight).filter(|sum| *sum <= CHECKS_MAX)?;
        self.repeats = self.repeats.checked_add(again).filter(|sum| *sum <= REPEATS_MAX)?;
        Some(())
    }
}

impl<'s> Names<'s> {
    fn collect(&mut self, schema: &'s Value) {
        let mut waiting = vec![(schema, schema)];
        while let Some((value, mut home)) = waiting.pop() {
            match value {
                Value::Object(members) => {
                    if let Some(id) = members.get("$id").and_then(Value::as_str) {
                        home = value;
                        self.ids.push((id.trim_end_matches('#'), value));
                    }
                    for keyword in ["$anchor", "$dynamicAnchor"] {
                        if let Some(name) = members.get(keyword).and_then(Value::as_str) {
                            self.anchors.entry(name).or_default().push(value);
                        }
                    }
                    waiting.extend(members.values().map(|inner| (inner, home)));
                }
                Value::Array(items) => waiting.extend(items.iter().map(|inner| (inner, home))),
                _ => {}
            }
            self.homes.insert(address(value), home);
        }
    }

    /// All that a reference can mean. Rather one too many than one too few: a
    /// whole URI leads to the id that is just that, if there is one; else every
    /// id with the same end counts, and an anchor wherever it stands.
    fn resolve(&self, text: &'s str, from: &'s Value, schema: &'s Value) -> Vec<&'s Value> {
        let (uri, fragment) = text.split_once('#').unwrap_or((text, ""));
        let here = uri.is_empty();
        let homes = if here {
            vec![self.homes.get(&address(from)).copied().unwrap_or(schema), schema]
        } else {
            self.with_id(uri)
        };
        // Within a document the nearest place counts, else every one.
        let most = if here { 1 } else { usize::MAX };
        match decoded(fragment) {
            fragment if fragment.is_empty() => homes.into_iter().take(most).collect(),
            pointer if pointer.starts_with('/') => {
                homes.iter().filter_map(|home| home.pointer(&pointer)).take(most).collect()
            }
            anchor => self.anchors.get(anchor.as_str()).cloned().unwrap_or_default(),
        }
    }

    /// What a reference's URI can lead to.
    fn with_id(&self, uri: &str) -> Vec<&'s Value> {
        let named = |same: &dyn Fn(&str) -> bool| -> Vec<&'s Value> {
            self.ids.iter().filter(|(id, _)| same(id)).map(|(_, value)| *value).collect()
        };
        let whole = if uri.contains(':') { named(&|id| id == uri) } else { Vec::new() };
        if whole.is_empty() {
            named(&|id| ends_alike(id, uri))
        } else {
            named(&|id| id == uri || (!is_whole(id) && ends_alike(id, uri)))
        }
    }
}

/// Is an id an absolute URI that is written in its one normal form?
fn is_whole(id: &str) -> bool {
    id.contains(':') && !id.contains(['%', ' ']) && !id.contains("/.") && !id.contains(char::is_uppercase)
}

/// Can a written reference lead to an id? Both end in the same name then; what
/// ends in none, or is encoded, can lead anywhere.
fn ends_alike(id: &str, uri: &str) -> bool {
    let (id, uri) = (id.rsplit(['/', ':']).next(), uri.rsplit(['/', ':']).next());
    let odd = |end: Option<&str>| end.is_none_or(|end| matches!(end, "" | "." | "..") || end.contains('%'));
    id == uri || odd(id) || odd(uri)
}

/// The schemas of a keyword: one, a list of them, or a map of them.
fn schemas<'s>(keyword: &str, inner: &'s Value) -> Vec<&'s Value> {
    match inner {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) if matches!(keyword, "dependentSchemas" | "patternProperties") => {
            members.values().collect()
        }
        one => vec![one],
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value) as usize
}

/// A fragment without percent-encoding; what is not UTF-8 then means nothing.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let byte = after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(b'%'));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(schema: &Value, output: &Value, expect: bool) {
        let none = BTreeMap::new();
        assert_eq!(Graph::of(&Documents::read(schema, &none).unwrap()).affordable(output), expect, "{schema}");
    }

    fn doubling(times: usize) -> Value {
        let mut parts = serde_json::Map::new();
        for step in 0..times {
            let next = json!({"$ref": format!("#/$defs/a{}", step + 1)});
            parts.insert(format!("a{step}"), json!({"anyOf": [next, next]}));
        }
        parts.insert(format!("a{times}"), json!({"type": "string"}));
        json!({"$ref": "#/$defs/a0", "$defs": parts})
    }

    fn deep(times: usize) -> Value {
        (0..times).fold(json!(1), |inner, _| json!({"a": inner}))
    }

    #[test]
    fn multiplying_branches_are_too_much() {
        check(&doubling(5), &json!(1), true);
        check(&doubling(60), &json!(1), false);
        let twice = json!({"allOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}]});
        check(&twice, &deep(8), true);
        check(&twice, &deep(60), false);
        let anchored = json!({"$anchor": "x", "allOf": [{"properties": {"a": {"$ref": "#x"}}}, {"items": true, "properties": {"a": {"$ref": "#x"}}}]});
        check(&anchored, &deep(60), false);
    }

    #[test]
    fn schemas_given_are_counted() {
        let named = |step: usize| format!("https://example.com/a{step}");
        let chain = |reference: &dyn Fn(usize) -> String| {
            let mut given: BTreeMap<String, Value> = (0..40)
                .map(|step| {
                    let next = json!({"$ref": reference(step + 1)});
                    (named(step), json!({"anyOf": [next, next]}))
                })
                .collect();
            given.insert(named(40), json!({"type": "string"}));
            given
        };
        let affordable = |schema: &Value, given: &BTreeMap<String, Value>| {
            Graph::of(&Documents::read(schema, given).unwrap()).affordable(&json!(1))
        };
        for reference in [
            &named as &dyn Fn(usize) -> String,
            &|step| format!("a{step}"),
            &|step| format!("./a{step}#"),
            &|step| format!("/x/../a{step}"),
            &|step| format!("%61{step}"),
            &|step| format!("HTTPS://example.com/a{step}"),
        ] {
            assert!(!affordable(&json!({"$ref": named(0)}), &chain(reference)), "{}", reference(1));
            assert!(affordable(&json!({"$ref": named(40)}), &chain(reference)), "{}", reference(1));
        }
        // What only looks like the schema meant does not hide it.
        let decoy = json!({
            "$id": "https://example.com/",
            "const": {"$id": "https://example.com/b"},
            "$ref": "https://example.com/b",
            "$defs": {"b": {"$id": "b", "$ref": "https://example.com/a0"}},
        });
        assert!(!affordable(&decoy, &chain(&named)));
    }

    #[test]
    fn references_of_any_spelling_are_followed() {
        let schema = json!({
            "$id": "https://example.com/x/root",
            "$ref": "../y/a",
            "$defs": {"a": {"$id": "https://example.com/y/a", "$ref": "root#/$defs/many"}, "root": {"$id": "y/root"}, "many": {"anyOf": vec![json!({"type": "string"}); 100]}},
        });
        check(&schema, &json!(vec![1; 50_000]), false);
    }

    #[test]
    fn nested_leftovers_double() {
        let nested =
            |times| (0..times).fold(json!({"type": "string"}), |inner, _| json!({"unevaluatedProperties": inner}));
        check(&nested(10), &deep(30), true);
        check(&nested(18), &deep(30), false);
    }

    #[test]
    fn ordinary_schemas_are_affordable() {
        let tree = json!({"$id": "https://example.com/tree", "type": "object", "properties": {"children": {"items": {"$ref": "tree"}}}});
        check(&tree, &json!({"children": vec![json!({"children": [{}, {}]}); 500]}), true);
        check(
            &json!({"items": {"properties": {"a": {"type": "integer"}}}}),
            &json!(vec![json!({"a": 1}); 50_000]),
            true,
        );
        check(&json!({"allOf": [{"$ref": "#"}], "not": {"$ref": "#"}}), &json!(1), true);
        check(&json!(true), &json!([[[]]]), true);
    }

    #[test]
    fn alternatives_over_a_large_value_are_counted_as_copies() {
        let many = json!({"anyOf": vec![json!({"type": "string"}); 100]});
        check(&many, &json!(vec![1; 50_000]), false);
        check(&many, &json!(vec![1; 500]), true);
    }

    #[test]
    fn fragments_are_decoded() {
        for (text, expect) in
            [("/$defs/a%20b", "/$defs/a b"), ("%", "%"), ("%2", "%2"), ("%C3%A9", "é"), ("%zz", "%zz"), ("%é", "%é")]
        {
            assert_eq!(decoded(text), expect);
        }
    }
}
