//! `POST /v1/audio/speech`, `/v1/audio/transcriptions` and `/v1/images/generations`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use multer::{Constraints, Multipart, SizeLimit};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tollbridge_core::limits::{
    INFERENCE_BODY_BYTES_MAX, INFERENCE_FORM_BYTES_MAX, INFERENCE_FORM_FIELDS_MAX, INFERENCE_IMAGES_MAX,
};
use tollbridge_gateway::{ClientFormat, InferenceEndpoint};

use crate::admit::{Caller, RequestId};
use crate::body::{JsonRequest, RawBytes, keep_platform_rules};
use crate::error::{ApiError, Code};
use crate::inference::chat::{MODEL_ERRORS, answer, ask, model_schema};
use crate::inference::errors::gateway_error;
use crate::openapi::operation::Operation;
use crate::openapi::routes::Routes;
use crate::openapi::schemas::pounds_or_null;
use crate::state::AppState;

/// Longest text in a field of a form.
const FIELD_BYTES_MAX: u64 = 64 << 10;

/// The routes of this area.
pub(crate) fn routes() -> Routes {
    let json_routes = Routes::new("inference")
        .post(
            "/v1/audio/speech",
            speech,
            Operation::new("speak", "Speech", "The sound of a text, as OpenAI's. Its characters are what is paid for.")
                .alias("/api/v1/audio/speech")
                .body_schema(speech_schema())
                .bytes(200, "The sound", "audio/mpeg")
                .errors(&MODEL_ERRORS),
        )
        .post(
            "/v1/images/generations",
            images,
            Operation::new("draw", "Images", "Images of a text, as OpenAI's.")
                .alias("/api/v1/images/generations")
                .body_schema(images_schema())
                .answer_schema(200, "The images", json!({ "type": "object" }))
                .errors(&MODEL_ERRORS),
        )
        .body_limit(INFERENCE_BODY_BYTES_MAX);
    let text = "The text of a recording, as OpenAI's. Its seconds are what is paid for.";
    let form_routes = Routes::new("inference")
        .post(
            "/v1/audio/transcriptions",
            transcribe,
            Operation::new("transcribe", "Transcription", text)
                .alias("/api/v1/audio/transcriptions")
                .multipart(&["file", "model"], transcription_fields())
                .answer_schema(200, "The text", json!({ "type": "object" }))
                .errors(&MODEL_ERRORS)
                .errors(&[Code::ContentType]),
        )
        .body_limit(INFERENCE_FORM_BYTES_MAX);
    json_routes.merge(form_routes)
}

fn speech_schema() -> Value {
    json!({
        "type": "object",
        "required": ["model", "input"],
        "properties": {
            "model": model_schema(),
            "input": { "type": "string", "minLength": 1 },
            "voice": { "type": ["string", "object", "null"] },
            "response_format": { "enum": ["mp3", "opus", "aac", "flac", "wav", "pcm", null] },
            "speed": { "type": ["number", "null"] },
            "stream_format": { "const": "audio" },
            "max_cost_gbp": pounds_or_null(),
        },
    })
}

fn images_schema() -> Value {
    json!({
        "type": "object",
        "required": ["model", "prompt"],
        "description": "OpenAI's members, and any others: they are passed on to the provider",
        "properties": {
            "model": model_schema(),
            "prompt": { "type": "string", "minLength": 1 },
            "n": { "type": ["integer", "null"], "minimum": 1, "maximum": INFERENCE_IMAGES_MAX },
            "stream": { "enum": [false, null] },
            "max_cost_gbp": pounds_or_null(),
        },
    })
}

fn transcription_fields() -> Value {
    json!({
        "file": { "type": "string", "format": "binary", "description": "flac, mp3, mp4, m4a, ogg, wav or webm" },
        "model": model_schema(),
        "language": { "type": "string" },
        "prompt": { "type": "string" },
        "response_format": { "enum": ["json", "verbose_json", "diarized_json", "text", "srt", "vtt"] },
        "temperature": { "type": "string" },
        "max_cost_gbp": pounds_or_null(),
    })
}

async fn speech(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    answer(&app, &request_id, &principal, &headers, body, (ClientFormat::Chat, InferenceEndpoint::Speech)).await
}

async fn images(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    JsonRequest { headers, body }: JsonRequest,
) -> Result<Response, ApiError> {
    answer(&app, &request_id, &principal, &headers, body, (ClientFormat::Chat, InferenceEndpoint::Images)).await
}

async fn transcribe(
    State(app): State<Arc<AppState>>,
    RequestId(request_id): RequestId,
    Caller(principal): Caller,
    headers: HeaderMap,
    RawBytes(body): RawBytes,
) -> Result<Response, ApiError> {
    let Form { members, name, content_type, file } = read_form(&headers, body).await?;
    let measured = app.gateway.recordings().measure(&principal.share(), name, content_type, file).await;
    let recording = measured.map_err(gateway_error)?;
    let body = Bytes::from(Value::Object(members).to_string());
    let asked = (ClientFormat::Chat, InferenceEndpoint::Transcription);
    ask(&app, &request_id, &principal, &headers, (body, Some(recording)), asked).await
}

/// What a form holds: its file, and its fields as members.
#[derive(Debug)]
struct Form {
    members: Map<String, Value>,
    name: String,
    content_type: Option<String>,
    file: Bytes,
}

/// Reads a form. Its file is a member too, by its digest:
/// a repeat is then known by its content, whatever separates the fields of its form.
async fn read_form(headers: &HeaderMap, body: Bytes) -> Result<Form, ApiError> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let boundary = multer::parse_boundary(content_type)
        .map_err(|_| ApiError::new(Code::ContentType, "send the body as Content-Type: multipart/form-data"))?;
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
            let (file_name, kind) =
                (field.file_name().map(str::to_owned), field.content_type().map(ToString::to_string));
            file = Some((file_name, kind, field.bytes().await.map_err(|error| unreadable(&error))?));
        } else {
            add(&mut members, name, field.text().await.map_err(|error| unreadable(&error))?);
        }
    }
    keep_platform_rules(members.keys().cloned())?;
    let (name, content_type, file) =
        file.ok_or_else(|| ApiError::invalid("/file", "file is required: the recording"))?;
    let digest = hex::encode(Sha256::digest(&file));
    let name = name.unwrap_or_else(|| "recording".to_owned());
    members.insert("file".to_owned(), json!({ "name": name, "sha256": digest }));
    Ok(Form { members, name, content_type, file })
}

/// A field that comes again makes a list.
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
    use axum::http::HeaderValue;

    use super::*;

    async fn read(parts: &str) -> Result<Form, ApiError> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("multipart/form-data; boundary=b"));
        read_form(&headers, Bytes::from(parts.replace('\n', "\r\n"))).await
    }

    fn field(name: &str, text: &str) -> String {
        format!("--b\nContent-Disposition: form-data; name=\"{name}\"\n\n{text}\n")
    }

    #[tokio::test]
    async fn a_form_without_a_recording_is_refused() {
        for wrong in [
            format!("{}--b--\n", field("model", "m")),
            field("model", "m"),
            format!("{}--b--\n", field("model", &"m".repeat(70_000))),
            format!("{}--b--\n", field("x", "y").repeat(65)),
        ] {
            assert!(read(&wrong).await.is_err());
        }
        assert!(read_form(&HeaderMap::new(), Bytes::new()).await.is_err());
    }

    #[test]
    fn a_field_that_comes_again_makes_a_list() {
        let mut members = Map::new();
        for text in ["word", "segment", "word"] {
            add(&mut members, "timestamp_granularities[]".to_owned(), text.to_owned());
        }
        assert_eq!(members["timestamp_granularities[]"], json!(["word", "segment", "word"]));
    }
}
