//! Multipart forms with a file, in which clients send recordings and batch files.

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use futures_util::stream;
use multer::{Constraints, Multipart, SizeLimit};
use serde_json::{Map, Value};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_web::body::keep_platform_rules;

/// Maximum number of fields in the form of a recording.
const INFERENCE_FORM_FIELDS_MAX: usize = 64;

/// Maximum size of a form field other than the file.
const FIELD_BYTES_MAX: u64 = 64 << 10;

/// A parsed form: its file, and its other fields as members.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) members: Map<String, Value>,
    pub(crate) file: Option<FormFile>,
}

/// The file of a form.
#[derive(Debug)]
pub(crate) struct FormFile {
    pub(crate) name: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) bytes: Bytes,
}

/// Reads a form.
pub(crate) async fn read_form(headers: &HeaderMap, body: Bytes) -> Result<Form, ApiError> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let boundary = multer::parse_boundary(content_type)
        .map_err(|_| ApiError::new(Code::ContentType, "send the body as Content-Type: multipart/form-data"))?;
    // The route's body limit already bounds the file.
    let sizes = SizeLimit::new().per_field(FIELD_BYTES_MAX).for_field("file", u64::MAX);
    let whole = stream::iter([Ok::<_, std::convert::Infallible>(body)]);
    let mut form = Multipart::with_constraints(whole, boundary, Constraints::new().size_limit(sizes));
    let (mut members, mut file) = (Map::new(), None);
    let mut fields = 0;
    while let Some(field) = form.next_field().await.map_err(|error| unreadable(&error))? {
        fields += 1;
        let name = field.name().unwrap_or_default().to_owned();
        if fields > INFERENCE_FORM_FIELDS_MAX {
            return Err(ApiError::invalid("", format!("the form has more than {INFERENCE_FORM_FIELDS_MAX} fields")));
        }
        if name == "file" {
            let (name, content_type) =
                (field.file_name().map(str::to_owned), field.content_type().map(ToString::to_string));
            let bytes = field.bytes().await.map_err(|error| unreadable(&error))?;
            file = Some(FormFile { name, content_type, bytes });
        } else {
            add(&mut members, name, field.text().await.map_err(|error| unreadable(&error))?);
        }
    }
    keep_platform_rules(members.keys().cloned())?;
    Ok(Form { members, file })
}

/// Adds a field; a repeated field becomes a list.
fn add(members: &mut Map<String, Value>, name: String, text: String) {
    let again = members.remove(&name);
    let value = match again {
        None => Value::String(text),
        Some(Value::Array(mut items)) => {
            items.push(Value::String(text));
            Value::Array(items)
        }
        Some(first) => Value::Array(vec![first, Value::String(text)]),
    };
    members.insert(name, value);
}

fn unreadable(error: &multer::Error) -> ApiError {
    ApiError::invalid("", format!("the form cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_that_comes_again_makes_a_list() {
        let mut members = Map::new();
        for text in ["word", "segment", "word"] {
            add(&mut members, "timestamp_granularities[]".to_owned(), text.to_owned());
        }
        assert_eq!(members["timestamp_granularities[]"], json!(["word", "segment", "word"]));
    }
}
