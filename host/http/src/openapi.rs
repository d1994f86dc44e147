//! `/openapi.json`.

use std::sync::{Arc, OnceLock};

use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::json;
use tollbridge_api::document::Document;
use tollbridge_api::error::{ApiError, internal};
use tollbridge_api::operation::Operation;
use tollbridge_web::{AppState, Routes};

use crate::discovery;

/// Returns the route; `document` is set once all routes are registered.
pub(crate) fn routes(document: &Arc<OnceLock<Document>>) -> Routes {
    let document = document.clone();
    let handler = move |State(app): State<Arc<AppState>>, headers: HeaderMap| async move {
        let document = document.get().ok_or_else(|| internal(&"the routes are not described yet"))?;
        Ok::<_, ApiError>(discovery::openapi(&app, document, &headers))
    };
    let operation = Operation::new("openapi", "This document", "Every route and every live bridge.")
        .answer_schema(200, "An OpenAPI 3.1 document", json!({ "type": "object" }))
        .empty(304, "The document still matches If-None-Match");
    Routes::new("service").get("/openapi.json", handler, operation)
}
