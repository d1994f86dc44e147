//! `POST /v1/audio/speech`, `/v1/audio/transcriptions` and `/v1/images/generations`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tollbridge_api::error::{ApiError, Code};
use tollbridge_api::operation::Operation;
use tollbridge_api::schemas::pounds_or_null;
use tollbridge_gateway::limits::{INFERENCE_BODY_BYTES_MAX, INFERENCE_IMAGES_MAX};
use tollbridge_gateway::{ClientFormat, InferenceEndpoint};
use tollbridge_web::admit::{Caller, RequestId};
use tollbridge_web::body::{JsonRequest, RawBytes};
use tollbridge_web::{AppState, Routes};

use crate::chat::{MODEL_ERRORS, answer, ask, model_schema};
use crate::errors::gateway_error;
use crate::form::{Form, FormFile, read_form};

/// Maximum size of a recording to be transcribed, with the fields of its form.
const INFERENCE_FORM_BYTES_MAX: usize = 25 << 20;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let json_routes = Routes::new("inference")
        .post(
            "/v1/audio/speech",
            speech,
            Operation::new("speak", "Speech", "Speech from a text, in OpenAI's format. Priced by characters.")
                .alias("/api/v1/audio/speech")
                .body_schema(speech_schema())
                .bytes(200, "The sound", "audio/mpeg")
                .errors(&MODEL_ERRORS),
        )
        .post(
            "/v1/images/generations",
            images,
            Operation::new("draw", "Images", "Images from a text, in OpenAI's format.")
                .alias("/api/v1/images/generations")
                .body_schema(images_schema())
                .answer_schema(200, "The images", json!({ "type": "object" }))
                .errors(&MODEL_ERRORS),
        )
        .body_limit(INFERENCE_BODY_BYTES_MAX);
    let text = "The text of a recording, in OpenAI's format. Priced by seconds.";
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
        "description": "OpenAI's members; unknown members are passed on to the provider",
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
    let RecordingForm { members, name, content_type, file } = read_recording(&headers, body).await?;
    let measured = app.gateway.recordings().measure(&principal.share(), name, content_type, file).await;
    let recording = measured.map_err(gateway_error)?;
    let body = Bytes::from(Value::Object(members).to_string());
    let asked = (ClientFormat::Chat, InferenceEndpoint::Transcription);
    ask(&app, &request_id, &principal, &headers, (body, Some(recording)), asked).await
}

/// A form with a recording.
#[derive(Debug)]
struct RecordingForm {
    members: Map<String, Value>,
    name: String,
    content_type: Option<String>,
    file: Bytes,
}

/// Reads a form with a recording. The file also becomes a member, by its digest, so that a repeat
/// is recognized by its content, whatever boundary separates the fields.
async fn read_recording(headers: &HeaderMap, body: Bytes) -> Result<RecordingForm, ApiError> {
    let Form { mut members, file } = read_form(headers, body).await?;
    let FormFile { name, content_type, bytes } =
        file.ok_or_else(|| ApiError::invalid("/file", "file is required: the recording"))?;
    let digest = hex::encode(Sha256::digest(&bytes));
    let name = name.unwrap_or_else(|| "recording".to_owned());
    members.insert("file".to_owned(), json!({ "name": name, "sha256": digest }));
    Ok(RecordingForm { members, name, content_type, file: bytes })
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, header};

    use super::*;

    async fn read(parts: &str) -> Result<RecordingForm, ApiError> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("multipart/form-data; boundary=b"));
        read_recording(&headers, Bytes::from(parts.replace('\n', "\r\n"))).await
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
        assert!(read_recording(&HeaderMap::new(), Bytes::new()).await.is_err());
    }
}
