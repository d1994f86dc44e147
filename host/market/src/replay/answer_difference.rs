//! Differences between two answers in readable form: JSON pointers with both values,
//! shortened.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_core::excerpt::excerpt;

/// Maximum number of differences shown per pair of answers.
const SHOWN_MAX: usize = 5;
/// Maximum length of a shown value, in characters.
const VALUE_CHARS: usize = 80;

/// A place where two answers differ. If an answer has no value at that place, its side is
/// `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointerDifference {
    /// JSON pointer (RFC 6901); empty for the answer as a whole.
    pub pointer: String,
    /// Value in the answer of the baseline version.
    pub against: Option<String>,
    /// Value in the answer of the version under test.
    pub version: Option<String>,
}

/// The differences between two answers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AnswerDifference {
    pub(super) at: Vec<PointerDifference>,
    /// Number of further differences, which are not listed.
    pub(super) more: usize,
}

impl AnswerDifference {
    /// Compares two answers; the result is empty if they are equal.
    pub(super) fn of(against: &Value, version: &Value) -> Self {
        let mut difference = Self::default();
        difference.walk("", Some(against), Some(version));
        difference
    }

    /// Adds the differences between two values at `pointer`, including those of their
    /// members. The recursion depth is bounded, because serde_json rejects values nested
    /// deeper than 128.
    fn walk(&mut self, pointer: &str, against: Option<&Value>, version: Option<&Value>) {
        match (against, version) {
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                let added = new.keys().filter(|name| !old.contains_key(*name));
                for name in old.keys().chain(added) {
                    let part = name.replace('~', "~0").replace('/', "~1");
                    self.walk(&format!("{pointer}/{part}"), old.get(name), new.get(name));
                }
            }
            (Some(Value::Array(old)), Some(Value::Array(new))) => {
                for place in 0..old.len().max(new.len()) {
                    self.walk(&format!("{pointer}/{place}"), old.get(place), new.get(place));
                }
            }
            (old, new) if old == new => {}
            _ if self.at.len() >= SHOWN_MAX => self.more = self.more.saturating_add(1),
            (old, new) => {
                let shown = |value: &Value| excerpt(&value.to_string(), VALUE_CHARS);
                let (against, version) = (old.map(shown), new.map(shown));
                self.at.push(PointerDifference { pointer: pointer.to_owned(), against, version });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(against: &Value, version: &Value) -> Vec<(String, Option<String>, Option<String>)> {
        let difference = AnswerDifference::of(against, version);
        assert_eq!(difference.more, 0);
        difference.at.into_iter().map(|at| (at.pointer, at.against, at.version)).collect()
    }

    #[test]
    fn each_place_is_named_with_both_values() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(places(&json!({ "a": [1, { "b": "c" }] }), &json!({ "a": [1, { "b": "c" }] })), []);
        assert_eq!(
            places(&json!({ "a": [1, 2], "gone": 1, "x/y~z": 1 }), &json!({ "a": [1, 3, 4], "x/y~z": 2, "new": null })),
            [
                ("/a/1".to_owned(), some("2"), some("3")),
                ("/a/2".to_owned(), None, some("4")),
                ("/gone".to_owned(), some("1"), None),
                ("/x~1y~0z".to_owned(), some("1"), some("2")),
                ("/new".to_owned(), None, some("null")),
            ]
        );
        assert_eq!(places(&json!({ "a": {} }), &json!({ "a": [] })), [("/a".to_owned(), some("{}"), some("[]"))]);
    }

    #[test]
    fn long_values_and_many_places_are_cut() {
        let (old, new): (Vec<u32>, Vec<u32>) = ((0..100).collect(), (1..101).collect());
        let difference = AnswerDifference::of(&json!(old), &json!(new));
        assert_eq!((difference.at.len(), difference.more), (SHOWN_MAX, 95));
        let cut = AnswerDifference::of(&json!({ "a": "x".repeat(1_000) }), &json!({}));
        assert!(cut.at[0].against.as_ref().is_some_and(|text| text.chars().count() == VALUE_CHARS + 1), "{cut:?}");
    }
}
