//! `/v1/files`: the input files and result files of batches.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_api::list_page::{OpenAiPage, PURPOSES, Page, PageNames, PageQuery, short};
use tollbridge_api::operation::Operation;
use tollbridge_batches::limits::FILE_KEPT_MS;
use tollbridge_batches::{FilePurpose, FileView, NewFile, StoredFile};
use tollbridge_core::time::now_ms;
use tollbridge_web::admit::Caller;
use tollbridge_web::body::RawBytes;
use tollbridge_web::{AppState, Path, Routes};

use crate::batch_errors::{batches_error, file_error};
use crate::form::{Form, FormFile, read_form};
use crate::limits::FILE_BYTES_MAX;

/// Minimum retention that the owner of a file may set.
const FILE_KEPT_MS_MIN: u64 = 60 * 60 * 1000;
/// Maximum number of files on one page of a list: the same as at OpenAI.
const FILES_PAGE_MAX: usize = 10_000;

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    let limit = json!({ "type": "integer", "minimum": 1, "maximum": FILES_PAGE_MAX, "default": FILES_PAGE_MAX });
    Routes::new("inference")
        .post(
            "/v1/files",
            create,
            Operation::new("createFile", "Upload a file", "Stores a file with the lines of a batch, for 30 days.")
                .alias("/api/v1/files")
                .multipart(&["file", "purpose"], form_fields())
                .answer::<FileView>(200, "The file")
                .errors(&[Code::ContentType]),
        )
        .get(
            "/v1/files",
            index,
            Operation::new(
                "listFiles",
                "List files",
                "The files of the account: uploaded ones, and results of batches.",
            )
            .alias("/api/v1/files")
            .query("after", false, "The id of the file after which the page starts")
            .query_as("limit", false, "The maximum number to return", &limit)
            .query_as("order", false, "Order by creation time", &json!({ "enum": ["desc", "asc"], "default": "desc" }))
            .query_as("purpose", false, "Only files with this purpose", &json!({ "enum": PURPOSES }))
            .answer::<OpenAiPage<FileView>>(200, "A page of files"),
        )
        .get(
            "/v1/files/{id}",
            show,
            Operation::new("showFile", "Read the metadata of a file", "Returns a file's metadata without its content.")
                .alias("/api/v1/files/{id}")
                .answer::<FileView>(200, "The file"),
        )
        .get(
            "/v1/files/{id}/content",
            content,
            Operation::new("readFile", "Read a file", "The bytes of a file.")
                .alias("/api/v1/files/{id}/content")
                .bytes(200, "The bytes", "application/octet-stream"),
        )
        .delete(
            "/v1/files/{id}",
            delete,
            Operation::new(
                "deleteFile",
                "Delete a file",
                "Deletes a file at once. Refused while an open batch reads the file.",
            )
            .alias("/api/v1/files/{id}")
            .answer::<DeletedFile>(200, "The file was deleted"),
        )
        .body_limit(FILE_BYTES_MAX)
}

#[derive(Serialize, JsonSchema)]
struct DeletedFile {
    id: String,
    #[schemars(extend("const" = "file"))]
    object: &'static str,
    #[schemars(extend("const" = true))]
    deleted: bool,
}

fn form_fields() -> Value {
    json!({
        "file": { "type": "string", "format": "binary", "description": "JSON Lines, one request per line" },
        "purpose": { "const": "batch" },
        "expires_after[anchor]": { "const": "created_at" },
        "expires_after[seconds]": { "type": "string", "description": "Lifetime in seconds, from one hour to 30 days" },
    })
}

async fn create(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    headers: HeaderMap,
    RawBytes(body): RawBytes,
) -> Result<Json<FileView>, ApiError> {
    let Form { members, file } = read_form(&headers, body).await?;
    let kept_ms = read_fields(&members)?;
    let FormFile { name, bytes, .. } =
        file.ok_or_else(|| ApiError::invalid("/file", "file is required: JSON Lines, one request per line"))?;
    let name = name.unwrap_or_else(|| "file.jsonl".to_owned());
    let new = NewFile { name, purpose: FilePurpose::Batch, kept_ms };
    let kept = app.batches.files().create(&principal.account_id, new, &bytes, now_ms()).await;
    Ok(Json(FileView::new(kept.map_err(file_error)?)))
}

/// Validates the form's fields and returns how long the file is kept.
fn read_fields(members: &Map<String, Value>) -> Result<u64, ApiError> {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    match text("purpose") {
        Some("batch") => {}
        Some(other) => {
            let message = format!("purpose must be `batch`; `{}` is not offered here", short(other));
            return Err(ApiError::invalid("/purpose", message));
        }
        None => return Err(ApiError::invalid("/purpose", "purpose is required, and must be `batch`")),
    }
    let known = ["purpose", "expires_after[anchor]", "expires_after[seconds]"];
    if let Some(name) = members.keys().find(|name| !known.contains(&name.as_str())) {
        let message = format!("unknown field `{}`", short(name));
        return Err(ApiError::invalid("", message));
    }
    match (text("expires_after[anchor]"), text("expires_after[seconds]")) {
        (None, None) => Ok(FILE_KEPT_MS),
        (Some("created_at"), Some(seconds)) => kept_ms(seconds.parse().ok()),
        _ => {
            let message = "expires_after needs an `anchor`, which must be `created_at`, and `seconds`";
            Err(ApiError::invalid("/expires_after", message))
        }
    }
}

/// Converts a lifetime in seconds to milliseconds.
pub(crate) fn kept_ms(seconds: Option<u64>) -> Result<u64, ApiError> {
    let kept = seconds.and_then(|seconds| seconds.checked_mul(1_000));
    kept.filter(|kept| (FILE_KEPT_MS_MIN..=FILE_KEPT_MS).contains(kept)).ok_or_else(|| {
        let (least, most) = (FILE_KEPT_MS_MIN / 1_000, FILE_KEPT_MS / 1_000);
        ApiError::invalid("/expires_after/seconds", format!("seconds must be a number from {least} to {most}"))
    })
}

async fn index(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<OpenAiPage<FileView>>, ApiError> {
    let query = PageQuery::read(query.as_deref(), PageNames::Files, FILES_PAGE_MAX)?;
    let mut files = app.batches.files().list(&principal.account_id, now_ms()).map_err(|error| internal(&error))?;
    if let Some(purpose) = &query.purpose {
        files.retain(|file| file.purpose.as_str() == purpose);
    }
    if !query.oldest_first {
        files.reverse();
    }
    let (part, has_more) = query.of(&files, |file| &file.id, FILES_PAGE_MAX)?;
    let files = part.iter().cloned().map(FileView::new).collect();
    Ok(Json(Page::new(files, |file: &FileView| Some(&file.id), has_more).into()))
}

async fn show(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<FileView>, ApiError> {
    let file = app.batches.files().find(&principal.account_id, &id, now_ms()).map_err(file_error)?;
    Ok(Json(FileView::new(file)))
}

async fn content(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let file = app.batches.files().find(&principal.account_id, &id, now_ms()).map_err(file_error)?;
    Ok(send(&app, &principal.account_id, &[file], "application/octet-stream"))
}

/// Streams the lines of files, as a download: they are untrusted client data and must not render in
/// a browser.
pub(crate) fn send(app: &AppState, account: &str, files: &[StoredFile], kind: &'static str) -> Response {
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_LENGTH, HeaderValue::from(bytes)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment")),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
    ];
    (headers, Body::from_stream(app.batches.files().content(account, files))).into_response()
}

async fn delete(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Json<DeletedFile>, ApiError> {
    app.batches.delete_file(&principal.account_id, &id, now_ms()).await.map_err(batches_error)?;
    Ok(Json(DeletedFile { id, object: "file", deleted: true }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pairs: &[(&str, &str)]) -> Result<u64, ApiError> {
        read_fields(&pairs.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect())
    }

    #[test]
    fn a_form_says_what_the_file_is_for_and_how_long_it_is_kept() {
        let batch = ("purpose", "batch");
        let anchor = ("expires_after[anchor]", "created_at");
        assert_eq!(fields(&[batch]).unwrap(), FILE_KEPT_MS);
        assert_eq!(fields(&[batch, anchor, ("expires_after[seconds]", "3600")]).unwrap(), FILE_KEPT_MS_MIN);
        for wrong in [
            &[][..],
            &[("purpose", "assistants")],
            &[batch, ("x", "y")],
            &[batch, anchor],
            &[batch, anchor, ("expires_after[seconds]", "60")],
            &[batch, anchor, ("expires_after[seconds]", "x")],
            &[batch, ("expires_after[anchor]", "now"), ("expires_after[seconds]", "3600")],
        ] {
            assert!(fields(wrong).is_err(), "{wrong:?}");
        }
        assert!(fields(&[("purpose", "fine-tune")]).unwrap_err().message().contains("`fine-tune`"));
    }
}
