//! `/v1/resources`: bytes stored for the calls of one account.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_api::error::{ApiError, Code, internal, not_found};
use tollbridge_api::operation::Operation;
use tollbridge_core::time::now_ms;
use tollbridge_market::resources::{ResourceError, ResourceView};
use tollbridge_store::SubmitError;
use tollbridge_web::admit::Caller;
use tollbridge_web::body::RawBytes;
use tollbridge_web::{AppState, Path, Routes};

/// Returns this module's routes.
pub(crate) fn routes() -> Routes {
    Routes::new("resources")
        .post(
            "/v1/resources",
            store,
            Operation::new(
                "storeResource",
                "Store a resource",
                "Stores bytes for 24 hours; calls of this account can pass their id as `resource_id`.",
            )
            .answer::<ResourceView>(201, "The resource")
            .errors(&[Code::AlreadySealed]),
        )
        .get(
            "/v1/resources",
            list,
            Operation::new("listResources", "List resources", "The resources that the account has stored.")
                .answer::<Resources>(200, "The resources"),
        )
        .get(
            "/v1/resources/{id}",
            show,
            Operation::new(
                "showResource",
                "Read a resource",
                "The bytes of a stored resource, with their original content type.",
            )
            .media(200, "The bytes", "*/*"),
        )
        .delete(
            "/v1/resources/{id}",
            delete,
            Operation::new("deleteResource", "Delete a resource", "Deletes a stored resource at once.")
                .empty(204, "The resource was deleted"),
        )
}

#[derive(Serialize, JsonSchema)]
struct Resources {
    resources: Vec<ResourceView>,
}

async fn store(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    headers: HeaderMap,
    RawBytes(bytes): RawBytes,
) -> Result<(StatusCode, Json<ResourceView>), ApiError> {
    let content_type = headers.get(header::CONTENT_TYPE).map(HeaderValue::to_str).transpose();
    let content_type = content_type.map_err(|_| refused(ResourceError::BadType))?;
    let resources = &app.checkout.resources;
    let stored = resources.put(&principal.account_id, content_type, &bytes, now_ms()).await.map_err(refused)?;
    Ok((StatusCode::CREATED, Json(ResourceView::new(stored))))
}

async fn list(State(app): State<Arc<AppState>>, Caller(principal): Caller) -> Result<Json<Resources>, ApiError> {
    let all = app.checkout.resources.list(&principal.account_id, now_ms()).map_err(|error| internal(&error))?;
    Ok(Json(Resources { resources: all.into_iter().map(ResourceView::new).collect() }))
}

/// Returns the unmodified bytes as a download: they are untrusted client data and must not render
/// in a browser.
async fn show(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let resources = &app.checkout.resources;
    let stored = resources.find(&principal.account_id, &id, now_ms()).map_err(|error| internal(&error))?;
    let stored = stored.ok_or_else(|| unknown(&id))?;
    let resource = resources.load(&stored).map_err(|error| internal(&error))?.ok_or_else(|| unknown(&id))?;
    let text = |text: &str| HeaderValue::from_str(text).map_err(|error| internal(&error));
    let headers = [
        (header::CONTENT_TYPE, text(&stored.content_type)?),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'")),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
    ];
    Ok((headers, resource.bytes).into_response())
}

async fn delete(
    State(app): State<Arc<AppState>>,
    Caller(principal): Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let removed = app.checkout.resources.delete(&principal.account_id, &id, now_ms()).await.map_err(refused)?;
    if removed { Ok(StatusCode::NO_CONTENT) } else { Err(unknown(&id)) }
}

fn unknown(id: &str) -> ApiError {
    let shown: String = id.chars().take(80).collect();
    not_found(format!("no resource {shown} on this account; POST /v1/resources stores one for 24 hours"))
}

fn refused(error: ResourceError) -> ApiError {
    let message = error.to_string();
    match error {
        ResourceError::Empty | ResourceError::BadType => ApiError::invalid("", message),
        ResourceError::TooLarge => ApiError::new(Code::TooLarge, message),
        ResourceError::Full => ApiError::new(Code::AlreadySealed, message),
        ResourceError::Submit(SubmitError::Busy) => ApiError::new(Code::Overloaded, message),
        ResourceError::NoRandomness | ResourceError::Store(_) | ResourceError::Submit(_) => internal(&message),
    }
}
