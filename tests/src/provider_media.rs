//! Audio and images of the fake provider.

use serde_json::{Value, json};

/// Audio returned for every text.
pub const SOUND: &str = "ID3 la la";
/// Tokens billed for every image of a model with token prices.
pub const IMAGE_TOKENS: u64 = 30;

pub(crate) const TRANSCRIPTIONS: &str = "/v1/audio/transcriptions";

/// Returns the reason for which a real provider would refuse an uploaded recording;
/// `None` if it would not.
pub(crate) fn check_form(content_type: Option<&str>, body: &[u8]) -> Option<String> {
    if !content_type.is_some_and(|kind| kind.starts_with("multipart/form-data; boundary=")) {
        return Some("the content type must be multipart/form-data with a boundary".to_owned());
    }
    let text = String::from_utf8_lossy(body);
    let has = |part: &str| text.contains(part);
    if field(&text, "model").is_none() || !has("name=\"file\"; filename=\"") || !has("RIFF") {
        return Some("the form lacks its model or its file".to_owned());
    }
    ["max_cost_gbp", "sha256"].iter().find(|ours| has(ours)).map(|ours| format!("unknown field: {ours}"))
}

/// Returns the value of a field of a form.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("name=\"{name}\"\r\n\r\n"))?;
    rest.split("\r\n").next()
}

pub(crate) fn transcript(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    match field(&text, "response_format") {
        Some("srt") => "1\n00:00:00,000 --> 00:00:03,000\nla la\n".to_owned(),
        Some("text") => "la la\n".to_owned(),
        Some("verbose_json") => json!({ "task": "transcribe", "duration": "2.97", "text": "la la" }).to_string(),
        _ => json!({ "text": "la la", "usage": { "type": "duration", "seconds": 3 } }).to_string(),
    }
}

pub(crate) fn images(body: &Value) -> String {
    let count = body["n"].as_u64().unwrap_or(1);
    let data: Vec<Value> = (0..count).map(|_| json!({ "b64_json": "aW1hZ2U=" })).collect();
    let tokens = count * IMAGE_TOKENS;
    let usage = json!({ "input_tokens": 5, "output_tokens": tokens, "total_tokens": tokens + 5 });
    json!({ "created": 1_700_000_000, "data": data, "usage": usage }).to_string()
}
