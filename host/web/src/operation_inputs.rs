//! OpenAPI declarations that extractors share: the body, the required key, and the error codes of
//! the routes that use them.

use aide::generate::GenContext;
use aide::openapi::{Operation, RequestBody};
use serde_json::{Value, json};
use tollbridge_api::components::X_ERRORS;
use tollbridge_api::error::Code;

/// Records error codes; the responses are built later, because each status needs all of its codes
/// at once.
pub fn note_errors(operation: &mut Operation, codes: &[Code]) {
    let noted = operation.extensions.entry(X_ERRORS.to_owned()).or_insert_with(|| json!([]));
    if let Some(noted) = noted.as_array_mut() {
        noted.extend(codes.iter().map(|code| Value::from(code.parts().0)));
    }
}

/// Declares that the operation requires a key.
pub fn require_key(operation: &mut Operation) {
    if operation.security.is_empty() {
        operation.security.push([("bearerAuth".to_owned(), Vec::new())].into_iter().collect());
    }
    note_errors(operation, &[Code::LacksScope]);
}

/// Declares a body of a media type.
pub(crate) fn set_body(context: &mut GenContext, operation: &mut Operation, media: &str, schema: &Value) {
    let body = json!({ "required": true, "content": { media: { "schema": schema } } });
    if let Ok(body) = serde_json::from_value::<RequestBody>(body) {
        aide::operation::set_body(context, operation, body);
    }
}
