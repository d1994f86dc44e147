//! What is checked: the input's `output`, or the bytes of a stored resource.
//!
//! Invariant: a subject is no deeper and no larger than the limits say.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_sdk::{Error, Stored};

use crate::{
    limits::{DEPTH_MAX, MESSAGE_BYTES_MAX, VALUES_MAX},
    shown,
};

/// What the output is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// JSON. A text is parsed.
    Json,
    /// Text. It is checked as a JSON string.
    Text,
}

/// What is checked.
#[derive(Debug)]
pub struct Subject {
    /// The value; what is wrong if it was to be JSON and is not.
    pub value: Result<Value, String>,
    pub content: Content,
}

impl Subject {
    /// An `output` of the input. As it stands, unless the caller says that the text in it is JSON.
    pub fn given(output: Value, content: Option<Content>) -> Result<Self, Error> {
        let (value, content) = match (output, content) {
            (Value::String(text), Some(Content::Json)) => (parse(text.as_bytes()), Content::Json),
            (value @ Value::String(_), Some(Content::Text)) => (Ok(value), Content::Text),
            (_, Some(Content::Text)) => return Err(Error::invalid("/output", "not a text; leave `content` out")),
            (value, _) => (Ok(value), Content::Json),
        };
        Self { value, content }.bounded("/output")
    }

    /// A stored resource: what the caller says it is, else what its media type
    /// says, else JSON if it parses and text if not.
    pub fn stored(resource: &Stored, content: Option<Content>) -> Result<Self, Error> {
        let kind = resource.content_type.to_ascii_lowercase();
        let text = || resource.text().map(|text| Ok(Value::String(text.to_owned())));
        let (value, content) = match content {
            Some(Content::Json) => (parse(&resource.bytes), Content::Json),
            Some(Content::Text) => (text()?, Content::Text),
            None if kind.contains("json") => (parse(&resource.bytes), Content::Json),
            None if kind.starts_with("text/") => (text()?, Content::Text),
            None => match parse(&resource.bytes) {
                Ok(value) => (Ok(value), Content::Json),
                Err(_) => (text()?, Content::Text),
            },
        };
        Self { value, content }.bounded("/resource_id")
    }

    fn bounded(self, field: &str) -> Result<Self, Error> {
        let Ok(value) = &self.value else { return Ok(self) };
        let mut values = 0usize;
        let mut waiting = vec![(value, 0usize)];
        while let Some((value, depth)) = waiting.pop() {
            values = values.saturating_add(1);
            if depth > DEPTH_MAX {
                return Err(Error::invalid(field, format!("nested more than {DEPTH_MAX} levels deep")));
            }
            if values > VALUES_MAX {
                return Err(Error::invalid(field, format!("more than {VALUES_MAX} values")));
            }
            match value {
                Value::Array(items) => waiting.extend(items.iter().map(|inner| (inner, depth + 1))),
                Value::Object(members) => waiting.extend(members.values().map(|inner| (inner, depth + 1))),
                _ => {}
            }
        }
        Ok(self)
    }
}

fn parse(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|error| shown::cut(&error.to_string(), MESSAGE_BYTES_MAX))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stored(
        bytes: &[u8],
        content_type: &str,
        content: Option<Content>,
    ) -> Result<(Result<Value, ()>, Content), String> {
        let resource = Stored { id: "res_1".into(), content_type: content_type.into(), bytes: bytes.to_vec() };
        let subject = Subject::stored(&resource, content).map_err(|error| error.to_string())?;
        Ok((subject.value.map_err(|_| ()), subject.content))
    }

    #[test]
    fn resources_by_media_type() {
        assert_eq!(stored(b"[1]", "application/octet-stream", None), Ok((Ok(json!([1])), Content::Json)));
        assert_eq!(stored(b"[1", "application/octet-stream", None), Ok((Ok(json!("[1")), Content::Text)));
        assert_eq!(stored(b"[1", "application/problem+JSON", None), Ok((Err(()), Content::Json)));
        assert_eq!(stored(b"[1]", "text/plain", None), Ok((Ok(json!("[1]")), Content::Text)));
        assert_eq!(stored(b"[1]", "text/plain", Some(Content::Json)), Ok((Ok(json!([1])), Content::Json)));
        assert!(stored(&[0xff], "text/plain", None).is_err_and(|text| text.contains("/resource_id")));
        assert_eq!(stored(&[0xff], "application/json", None), Ok((Err(()), Content::Json)));
    }

    #[test]
    fn texts_are_parsed_only_if_asked() {
        let given = |value: Value, content| Subject::given(value, content).map(|subject| subject.value);
        assert_eq!(given(json!("{}"), None), Ok(Ok(json!("{}"))));
        assert_eq!(given(json!("{}"), Some(Content::Json)), Ok(Ok(json!({}))));
        assert!(given(json!("{"), Some(Content::Json)).is_ok_and(|value| value.is_err()));
        assert!(given(json!(1), Some(Content::Text)).is_err());
    }

    #[test]
    fn bounds() {
        let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
        assert!(Subject::given(deep, None).is_err_and(|error| error.field() == Some("/output")));
        assert!(Subject::given(json!(vec![0; VALUES_MAX]), None).is_err());
    }
}
