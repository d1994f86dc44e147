//! Extracts the JSON object from a model's text.
//!
//! Models without a JSON mode are asked for an object in the prompt, but some still write
//! a sentence or Markdown fences around it.

/// Extracts the first JSON object from a text that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct JsonObject {
    /// Number of open brackets.
    depth: usize,
    in_string: bool,
    escaped: bool,
    done: bool,
}

impl JsonObject {
    /// Returns the part of the next piece that belongs to the object.
    pub(crate) fn push<'t>(&mut self, piece: &'t str) -> &'t str {
        let mut from = (self.depth > 0).then_some(0);
        for (at, byte) in piece.bytes().enumerate() {
            if self.done {
                return "";
            }
            if from.is_none() && byte != b'{' {
                continue;
            }
            from.get_or_insert(at);
            self.step(byte);
            if self.depth == 0 {
                self.done = true;
                return piece.get(from.unwrap_or(0)..=at).unwrap_or_default();
            }
        }
        from.and_then(|from| piece.get(from..)).unwrap_or_default()
    }

    fn step(&mut self, byte: u8) {
        match (self.in_string, self.escaped, byte) {
            (true, true, _) => self.escaped = false,
            (true, false, b'\\') => self.escaped = true,
            (_, false, b'"') => self.in_string = !self.in_string,
            (false, _, b'{' | b'[') => self.depth = self.depth.saturating_add(1),
            (false, _, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn found(pieces: &[&str]) -> String {
        let mut object = JsonObject::default();
        pieces.iter().map(|piece| object.push(piece)).collect()
    }

    #[test]
    fn only_the_object_is_left() {
        for (pieces, object) in [
            (&["{\"a\":1}"][..], "{\"a\":1}"),
            (&["```json\n{\"a\": [1, {\"b\": \"}\"}]}\n```"], "{\"a\": [1, {\"b\": \"}\"}]}"),
            (&["Here it", " is: {", "\"a\"", ":\"\\", "\"}\"}", " and {\"b\":2}"], "{\"a\":\"\\\"}\"}"),
            (&["no object"], ""),
            (&["{\"cut\": \"o"], "{\"cut\": \"o"),
        ] {
            assert_eq!(found(pieces), object, "{pieces:?}");
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf =
            prop_oneof![Just(Value::Null), any::<i32>().prop_map(Value::from), "\\PC{0,8}".prop_map(Value::from)];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z\"\\\\{}]{0,4}", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// An object is found whatever text surrounds it, and however the text is split.
        #[test]
        fn an_object_survives(
            members in prop::collection::btree_map("\\PC{0,6}", values(), 0..5),
            before in "[^{]{0,9}", after in "\\PC{0,9}", size in 1_usize..7,
        ) {
            let object = Value::Object(members.into_iter().collect()).to_string();
            let text: Vec<char> = format!("{before}{object}{after}").chars().collect();
            let pieces: Vec<String> = text.chunks(size).map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(found(&pieces), object);
        }
    }
}
