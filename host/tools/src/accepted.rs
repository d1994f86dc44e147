//! `plugin test --accept`: replaces the expectation in a case file with the actual
//! answer.
//!
//! Invariant: every byte of the file outside the replaced value is kept.

use std::fmt;
use std::fs;

use anyhow::{Context, Result};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;
use serde_json::ser::PrettyFormatter;
use serde_json::value::RawValue;
use tollbridge_sdk::testing::ChangedCase;

/// Writes the answer of a case into its file.
pub(crate) fn accept(case: &ChangedCase) -> Result<()> {
    let text = fs::read_to_string(&case.path)?;
    let members: Members<'_> = serde_json::from_str(&text)?;
    let (replaced, new) = match &case.answer {
        Ok(bytes) => {
            let expected = members.get("output").context("the case has no `output`")?;
            let tree = merged(case, Some(expected), serde_json::from_slice(bytes)?)?;
            (expected, pretty(&tree, indent_of(&text))?)
        }
        Err(error) => {
            let expected = members.get("error").context("the case has no `error`")?;
            let message = serde_json::from_str::<Members<'_>>(expected.get())?.get("message");
            // The lines after the first one are the trace.
            let first = error.message().lines().next().unwrap_or_default();
            (message.context("the case has no `error.message`")?, serde_json::to_string(first)?)
        }
    };
    fs::write(&case.path, with(&text, replaced.get(), &new).context("the value is not in the file")?)?;
    Ok(())
}

/// Replaces `part`, which is a slice of `text`.
fn with(text: &str, part: &str, new: &str) -> Option<String> {
    let start = part.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let end = start.checked_add(part.len())?;
    Some([text.get(..start)?, new, text.get(end..)?].concat())
}

/// The members of an object, in the order of the text.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Members<'t> {
    fn get(&self, name: &str) -> Option<&'t RawValue> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }
}

impl<'t> Deserialize<'t> for Members<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'t> Visitor<'t> for Reader {
            type Value = Members<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// JSON whose objects keep the order of their members, and whose numbers keep their digits.
enum Tree<'t> {
    Object(Vec<(String, Tree<'t>)>),
    Array(Vec<Tree<'t>>),
    Leaf(&'t RawValue),
}

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Object(members) => serializer.collect_map(members.iter().map(|(key, value)| (key, value))),
            Self::Array(elements) => serializer.collect_seq(elements),
            Self::Leaf(leaf) => leaf.serialize(serializer),
        }
    }
}

/// Returns the output to expect: the actual output, without members that a partial case
/// does not list. Expected numbers stay if the actual ones are within the tolerance.
fn merged<'t>(case: &ChangedCase, expected: Option<&'t RawValue>, actual: &'t RawValue) -> Result<Tree<'t>> {
    match actual.get().as_bytes().first() {
        Some(b'{') => {
            let actual: Members<'_> = serde_json::from_str(actual.get())?;
            let expected: Option<Members<'_>> = expected.and_then(|old| serde_json::from_str(old.get()).ok());
            let mut members = Vec::new();
            match expected.as_ref().filter(|_| case.is_partial) {
                Some(named) => {
                    for (key, old) in &named.0 {
                        if let Some(value) = actual.get(key) {
                            members.push((key.clone(), merged(case, Some(old), value)?));
                        }
                    }
                }
                None => {
                    for (key, value) in in_order(expected.as_ref(), actual.0) {
                        let old = expected.as_ref().and_then(|old| old.get(&key));
                        members.push((key, merged(case, old, value)?));
                    }
                }
            }
            Ok(Tree::Object(members))
        }
        Some(b'[') => {
            let actual: Vec<&RawValue> = serde_json::from_str(actual.get())?;
            let expected: Vec<&RawValue> =
                expected.and_then(|old| serde_json::from_str(old.get()).ok()).unwrap_or_default();
            let element = |(index, value): (usize, &&'t RawValue)| merged(case, expected.get(index).copied(), value);
            Ok(Tree::Array(actual.iter().enumerate().map(element).collect::<Result<_>>()?))
        }
        _ => Ok(Tree::Leaf(match expected {
            Some(old) if passes(case, old, actual)? => old,
            _ => actual,
        })),
    }
}

/// Returns the members in the order of the case. A new member follows its predecessor in
/// the answer, or takes its alphabetical place if the members of the case are sorted by
/// name.
fn in_order<'t>(case: Option<&Members<'_>>, mut actual: Vec<(String, &'t RawValue)>) -> Vec<(String, &'t RawValue)> {
    let Some(case) = case else { return actual };
    if case.0.is_sorted_by(|(one, _), (next, _)| one < next) {
        actual.sort_by(|(one, _), (next, _)| one.cmp(next));
        return actual;
    }
    let named = |key: &str| actual.iter().find(|(name, _)| name == key).cloned();
    let mut members: Vec<_> = case.0.iter().filter_map(|(key, _)| named(key)).collect();
    let mut previous: Option<&str> = None;
    for (key, value) in &actual {
        if case.get(key).is_none() {
            let after = previous.and_then(|name| members.iter().position(|(key, _)| key == name));
            members.insert(after.map_or(0, |index| index.saturating_add(1)), (key.clone(), value));
        }
        previous = Some(key);
    }
    members
}

fn passes(case: &ChangedCase, expected: &RawValue, actual: &RawValue) -> Result<bool> {
    let value = |raw: &RawValue| serde_json::from_str::<Value>(raw.get());
    Ok(case.passes(&value(expected)?, &value(actual)?))
}

/// Returns the indentation of the first member, or two spaces.
fn indent_of(text: &str) -> &str {
    let line = text.lines().nth(1).unwrap_or_default();
    let (indent, _) = line.split_at(line.len().saturating_sub(line.trim_start().len()));
    if indent.is_empty() { "  " } else { indent }
}

/// Returns the text of a member's value.
fn pretty(tree: &Tree<'_>, indent: &str) -> Result<String> {
    let mut text = Vec::new();
    let formatter = PrettyFormatter::with_indent(indent.as_bytes());
    tree.serialize(&mut serde_json::Serializer::with_formatter(&mut text, formatter))?;
    // Indent the value like that of a member, one level deep. No JSON string contains a
    // line break, so only formatting changes.
    Ok(String::from_utf8(text)?.replace('\n', &format!("\n{indent}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tollbridge_sdk::Error;
    use tollbridge_sdk::testing::{Trial, changed_elsewhere};

    use super::*;

    /// Accepts the answer to a single case; returns its file, or `None` if nothing changes.
    fn accepted(case: &str, answer: Result<&str, Error>) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.json");
        fs::write(&path, case).unwrap();
        let input = json!({"type": "object"});
        let output = json!({"type": "object", "properties": {"n": {"type": "number"}}});
        let carry_out = |_: &Trial<'_>| answer.clone().map(|text| text.as_bytes().to_vec());
        let changed = changed_elsewhere(folder.path().to_str().unwrap(), (&input, &output), carry_out).unwrap();
        for case in &changed {
            accept(case).unwrap();
        }
        let text = fs::read_to_string(path).unwrap();
        assert_eq!(text != case, changed.len() == 1);
        (text != case).then_some(text)
    }

    fn case(expected: &str) -> String {
        format!("{{\n  \"about\": \"by hand\",\n  \"input\": {{\"b\": 1,  \"a\": [ ]}},\n  {expected}\n}}\n")
    }

    #[test]
    fn an_output_is_replaced_and_all_else_is_kept() {
        let old = case(r#""output": {"z": 0, "n": 1}"#);
        let new = case("\"output\": {\n    \"z\": [],\n    \"list\": [\n      \"é\"\n    ],\n    \"n\": 2.50\n  }");
        assert_eq!(accepted(&old, Ok(r#"{"n":2.50,"z":[],"list":["é"]}"#)), Some(new));
        assert_eq!(accepted(&old, Ok(r#"{"n":1.0,"z":0}"#)), None, "the case passes");
        assert_eq!(accepted(&old, Ok(r#"{"n":"x"}"#)), None, "the output does not fit the schema");
        assert_eq!(accepted(&old, Err(Error::not_found("n"))), None, "the case expects an output");
    }

    #[test]
    fn a_partial_case_keeps_its_members_and_numbers_within_the_tolerance() {
        let old = case("\"output\": {\"m\": 1.5, \"n\": 1},\n  \"partial\": true,\n  \"tolerance\": 0.1");
        let new =
            case("\"output\": {\n    \"m\": 1.5,\n    \"n\": 2\n  },\n  \"partial\": true,\n  \"tolerance\": 0.1");
        assert_eq!(accepted(&old, Ok(r#"{"more":true,"n":2,"m":1.51}"#)), Some(new));
    }

    #[test]
    fn of_an_error_only_the_message_is_replaced() {
        let old = case(r#""error": {"kind": "invalid-input", "field": "/a", "message": "wrong"}"#);
        let new = case(r#""error": {"kind": "invalid-input", "field": "/a", "message": "must be \"x\""}"#);
        assert_eq!(accepted(&old, Err(Error::invalid("/a", "must be \"x\""))), Some(new));
        assert_eq!(accepted(&old, Err(Error::invalid("/b", "must be x"))), None);
        assert_eq!(accepted(&old, Err(Error::not_found("x"))), None);
        assert_eq!(accepted(&old, Ok(r#"{"n":1}"#)), None);
    }
}
