//! The parts of messages and artifacts.
//!
//! Parts are stored in the format of version 0.3.0, which has a `kind`, so that clients
//! of both versions can read all tasks. Version 1.0 identifies the type of a part by its
//! content member.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::names::with_json_names;
use crate::a2a::rpc_error::{RpcError, RpcErrorKind};
use crate::limits::A2A_PARTS_MAX;

/// Content members; each part has exactly one.
const CONTENTS: [&str; 4] = ["text", "data", "raw", "url"];
/// Optional members of a part.
const DESCRIPTIONS: [&str; 3] = ["metadata", "filename", "mediaType"];

/// Converts a part of a client's message to the stored format. `at` is the part's
/// location in the request, for error messages.
pub(super) fn read(part: Value, at: &str) -> Result<Value, RpcError> {
    let Value::Object(part) = part else { return Err(RpcError::params(at, "a part must be an object")) };
    let mut part = with_json_names(part);
    let contents: Vec<(&str, Value)> =
        CONTENTS.into_iter().filter_map(|name| Some((name, part.remove(name)?))).collect();
    let Ok([(name, content)]) = <[(&str, Value); 1]>::try_from(contents) else {
        return Err(RpcError::params(at, "a part must have exactly one of `text` and `data`"));
    };
    let media = match part.get("mediaType") {
        None | Some(Value::Null) => "",
        Some(Value::String(media)) => media.as_str(),
        Some(_) => return Err(RpcError::params(&format!("{at}/mediaType"), "`mediaType` must be a string")),
    };
    let unsupported = |detail: &str| {
        let error = RpcError::new(RpcErrorKind::ContentType, detail);
        error.with("details", json!({ "field": at }))
    };
    match (name, &content) {
        ("text", Value::String(_)) if is_text(media) => {}
        ("data", Value::Object(_)) if is_json(media) => {}
        ("text", Value::String(_)) | ("data", Value::Object(_)) => {
            return Err(unsupported(&format!("`{media}` is not supported; send text/plain or application/json")));
        }
        ("text", _) => return Err(RpcError::params(at, "`text` must be a string")),
        ("data", _) => return Err(RpcError::params(at, "agents require an object as `data`")),
        _ => return Err(unsupported("files are not supported; send text or data parts")),
    }
    let mut kept = Map::new();
    kept.insert("kind".to_owned(), name.into());
    kept.insert(name.to_owned(), content);
    keep_descriptions(&mut part, &mut kept);
    Ok(Value::Object(kept))
}

/// Converts a stored part to the format of version 1.0.
pub(super) fn view(part: &Value) -> Value {
    let mut members = part.as_object().cloned().unwrap_or_default();
    let mut view = Map::new();
    let content = CONTENTS.into_iter().find_map(|name| Some((name, members.remove(name)?)));
    view.extend(content.map(|(name, content)| (name.to_owned(), content)));
    keep_descriptions(&mut members, &mut view);
    Value::Object(view)
}

/// Returns the parts for an agent's answer. If `parts` is the answer's only member, its
/// texts and file URLs become the parts; any other answer becomes one data part.
pub(super) fn of_answer(answer: &Value) -> Vec<Value> {
    let own = own_parts(answer).or_else(|| of_message(answer));
    own.cloned().unwrap_or_else(|| vec![json!({ "data": answer })])
}

/// Returns the parts of an answer that is meant as a message: its only member is
/// `message`, whose only member is `parts`.
pub(super) fn of_message(answer: &Value) -> Option<&Vec<Value>> {
    own_parts(only_member(answer, "message")?)
}

fn own_parts(answer: &Value) -> Option<&Vec<Value>> {
    let parts = only_member(answer, "parts")?.as_array()?;
    ((1..=A2A_PARTS_MAX).contains(&parts.len()) && parts.iter().all(is_part)).then_some(parts)
}

fn only_member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.as_object().filter(|members| members.len() == 1)?.get(name)
}

/// Returns whether a value is a valid part: it has one content member, and optional
/// members of the right types.
fn is_part(part: &Value) -> bool {
    let Some(members) = part.as_object() else { return false };
    let contents = members.keys().filter(|name| CONTENTS.contains(&name.as_str())).count();
    contents == 1
        && members.iter().all(|(name, value)| match name.as_str() {
            "data" => true,
            "metadata" => value.is_object(),
            "text" | "url" | "filename" | "mediaType" => value.is_string(),
            "raw" => value.as_str().is_some_and(|raw| STANDARD.decode(raw).is_ok()),
            _ => false,
        })
}

fn keep_descriptions(from: &mut Map<String, Value>, to: &mut Map<String, Value>) {
    for name in DESCRIPTIONS {
        let fits = |value: &Value| if name == "metadata" { value.is_object() } else { value.is_string() };
        to.extend(from.remove(name).filter(fits).map(|value| (name.to_owned(), value)));
    }
}

fn media_type(media: &str) -> String {
    media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_text(media: &str) -> bool {
    let essence = media_type(media);
    essence.is_empty() || essence.starts_with("text/") || is_json(media)
}

fn is_json(media: &str) -> bool {
    let essence = media_type(media);
    essence.is_empty() || essence == "application/json" || essence.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_may_answer_in_parts() {
        let parts = json!([
            { "text": "a summary", "mediaType": "text/markdown" },
            { "url": "https://example.com/a.csv", "filename": "a.csv" },
            { "raw": "dGNr" },
            { "data": [1], "metadata": { "n": 1 } },
        ]);
        assert_eq!(Value::from(of_answer(&json!({ "parts": parts }))), parts);
        let message = json!({ "message": { "parts": parts } });
        assert_eq!(Value::from(of_answer(&message)), parts);
        assert_eq!(of_message(&message).cloned().map(Value::from), Some(parts));
        for data in [
            json!({ "parts": [] }),
            json!({ "parts": [{ "text": "x" }], "more": 1 }),
            json!({ "parts": [{ "name": "wheel", "count": 4 }] }),
            json!({ "parts": [{ "text": "x", "url": "y" }] }),
            json!({ "parts": [{ "raw": "not base64" }] }),
            json!({ "parts": ["x"] }),
            json!({ "message": "x" }),
            json!({ "message": { "parts": [] } }),
            json!({ "message": { "parts": [{ "text": "x" }], "role": "agent" } }),
            json!({ "message": { "parts": [{ "text": "x" }] }, "more": 1 }),
            json!(["x"]),
        ] {
            assert_eq!(of_message(&data), None);
            assert_eq!(of_answer(&data), [json!({ "data": data })]);
        }
    }

    #[test]
    fn parts_are_kept_as_the_older_version_has_them_and_shown_as_they_came() {
        for (part, kept) in [
            (json!({ "text": "x" }), json!({ "kind": "text", "text": "x" })),
            (
                json!({ "text": "", "mediaType": "text/markdown", "metadata": { "a": 1 } }),
                json!({ "kind": "text", "text": "", "mediaType": "text/markdown", "metadata": { "a": 1 } }),
            ),
            (
                json!({ "data": { "a": [1] }, "mediaType": "application/json", "filename": "a.json" }),
                json!({ "kind": "data", "data": { "a": [1] }, "mediaType": "application/json", "filename": "a.json" }),
            ),
        ] {
            assert_eq!(read(part.clone(), "/p").unwrap(), kept);
            assert_eq!(view(&kept), part);
        }
        let loose = json!({ "kind": "text", "text": "x", "metadata": null, "more": 1 });
        assert_eq!(view(&loose), json!({ "text": "x" }));
    }

    #[test]
    fn parts_that_no_agent_accepts_are_refused() {
        for (part, kind) in [
            (json!("x"), RpcErrorKind::InvalidParams),
            (json!({}), RpcErrorKind::InvalidParams),
            (json!({ "text": "x", "data": {} }), RpcErrorKind::InvalidParams),
            (json!({ "text": 1 }), RpcErrorKind::InvalidParams),
            (json!({ "data": [1] }), RpcErrorKind::InvalidParams),
            (json!({ "text": "x", "mediaType": 1 }), RpcErrorKind::InvalidParams),
            (json!({ "raw": "dGNr", "mediaType": "text/plain" }), RpcErrorKind::ContentType),
            (json!({ "url": "https://example.com/a" }), RpcErrorKind::ContentType),
            (json!({ "text": "x", "mediaType": "image/png" }), RpcErrorKind::ContentType),
            (json!({ "data": {}, "media_type": "text/plain" }), RpcErrorKind::ContentType),
        ] {
            let error = read(part.clone(), "/params/message/parts/0").unwrap_err();
            assert_eq!(error.kind, kind, "{part}");
            let field = error.data["details"]["field"].as_str().unwrap();
            assert!(field.starts_with("/params/message/parts/0"), "{part}: {field}");
        }
    }
}
