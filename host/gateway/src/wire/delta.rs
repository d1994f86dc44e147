//! Counts the bytes of content in a piece of a stream during parsing, without storing the
//! content.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Number of bytes that a delta adds to an answer: text, refusals, reasoning, arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DeltaBytes(pub(super) usize);

/// Number of bytes of all strings in a value.
struct TextBytes(usize);

/// Whether a member's name is `role`, whose value is not counted.
struct RoleKey(bool);

impl<'de> Deserialize<'de> for DeltaBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Texts { of_members: true }).map(Self)
    }
}

impl<'de> Deserialize<'de> for TextBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Texts { of_members: false }).map(Self)
    }
}

impl<'de> Deserialize<'de> for RoleKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(Self(false))
    }
}

impl Visitor<'_> for RoleKey {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self, E> {
        Ok(Self(name == "role"))
    }
}

/// Counts the bytes of all strings, or of the strings in an object's members except the
/// role.
struct Texts {
    of_members: bool,
}

impl<'de> Visitor<'de> for Texts {
    type Value = usize;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<usize, E> {
        Ok(if self.of_members { 0 } else { text.len() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<usize, A::Error> {
        let mut bytes = 0_usize;
        while let Some(TextBytes(item)) = items.next_element()? {
            bytes = bytes.saturating_add(item);
        }
        Ok(if self.of_members { 0 } else { bytes })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<usize, A::Error> {
        let mut bytes = 0_usize;
        while let Some(RoleKey(is_role)) = members.next_key()? {
            let TextBytes(member) = members.next_value()?;
            if !(self.of_members && is_role) {
                bytes = bytes.saturating_add(member);
            }
        }
        Ok(bytes)
    }

    fn visit_unit<E: Error>(self) -> Result<usize, E> {
        Ok(0)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<usize, E> {
        Ok(0)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<usize, E> {
        Ok(0)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<usize, E> {
        Ok(0)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<usize, E> {
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::json_text::text_bytes_in;

    /// Counts the same bytes in a parsed JSON tree.
    fn counted(delta: &Value) -> usize {
        let members = delta.as_object().into_iter().flatten();
        members.filter(|(name, _)| *name != "role").map(|(_, value)| text_bytes_in(value)).sum()
    }

    #[test]
    fn the_delta_contains_everything_counted() {
        for (delta, bytes) in [
            (json!({"role": "assistant", "content": ""}), 0),
            (json!({"content": "é€"}), 5),
            (
                json!({"content": null, "tool_calls": [{"index": 0, "function": {"role": "ab", "arguments": "{\"a"}}]}),
                5,
            ),
            (json!({"n": [1, -1, 1.5, true, null, {}, []]}), 0),
            (json!(["text"]), 0),
            (json!("text"), 0),
            (json!(7), 0),
        ] {
            let DeltaBytes(found) = serde_json::from_str(&delta.to_string()).unwrap();
            assert_eq!((found, counted(&delta)), (bytes, bytes), "{delta}");
        }
        assert!(serde_json::from_str::<DeltaBytes>(r#"{"content":"\ud800"}"#).is_err());
        assert_eq!(serde_json::from_str::<Option<DeltaBytes>>("null").unwrap(), None);
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            let names = "(role|content|a|\"|\n)";
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(names, inner, 0..4)
                    .prop_map(|all| Value::Object(all.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_delta_is_counted_as_a_tree_is(delta in values()) {
            let found: Option<DeltaBytes> = serde_json::from_str(&delta.to_string()).unwrap();
            let DeltaBytes(found) = found.unwrap_or_default();
            prop_assert_eq!(found, counted(&delta));
        }
    }
}
