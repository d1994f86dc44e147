//! OpenAPI declarations of extractors: the body, the required key, and the error codes of the
//! routes that use them.

use aide::generate::GenContext;
use aide::openapi::{Operation, RequestBody};
use aide::operation::{OperationInput, OperationOutput, set_body};
use schemars::JsonSchema;
use serde_json::{Value, json};
use tollbridge_api::components::X_ERRORS;
use tollbridge_api::error::Code;
use tollbridge_api::operation::{BYTES, JSON};

use crate::a2a::request::A2aRequest;
use crate::admit::{Caller, Manager, RequestId, Share};
use crate::body::{JsonBody, JsonBytes, JsonRequest, PluginRequest, RawBytes};
use crate::oauth::error::OauthError;
use crate::owner::OwnedPlugin;
use crate::pages::form::Fields;
use crate::pages::session::{Posted, Visitor};
use crate::path::Path;

/// Records error codes; the responses are built later, because each status needs all of its codes
/// at once.
fn note(operation: &mut Operation, codes: &[Code]) {
    let noted = operation.extensions.entry(X_ERRORS.to_owned()).or_insert_with(|| json!([]));
    if let Some(noted) = noted.as_array_mut() {
        noted.extend(codes.iter().map(|code| Value::from(code.parts().0)));
    }
}

fn needs_key(operation: &mut Operation) {
    if operation.security.is_empty() {
        operation.security.push([("bearerAuth".to_owned(), Vec::new())].into_iter().collect());
    }
    note(operation, &[Code::LacksScope]);
}

/// Declares a body of a media type.
fn body(context: &mut GenContext, operation: &mut Operation, media: &str, schema: &Value) {
    let body = json!({ "required": true, "content": { media: { "schema": schema } } });
    if let Ok(body) = serde_json::from_value::<RequestBody>(body) {
        set_body(context, operation, body);
    }
}

impl OperationInput for Caller {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        needs_key(operation);
    }
}

impl OperationInput for Manager {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        needs_key(operation);
    }
}

impl OperationInput for OwnedPlugin {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        needs_key(operation);
    }
}

impl<T: JsonSchema> OperationInput for JsonBody<T> {
    fn operation_input(context: &mut GenContext, operation: &mut Operation) {
        let schema = context.schema.subschema_for::<T>().to_value();
        body(context, operation, JSON, &schema);
        note(operation, &[Code::ContentType, Code::PlatformRules]);
    }
}

impl OperationInput for JsonBytes {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        note(operation, &[Code::ContentType, Code::PlatformRules]);
    }
}

impl OperationInput for JsonRequest {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        note(operation, &[Code::ContentType, Code::PlatformRules]);
    }
}

impl OperationInput for A2aRequest {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        note(operation, &[Code::ContentType, Code::PlatformRules]);
    }
}

impl OperationInput for PluginRequest {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        note(operation, &[Code::ContentType]);
    }
}

impl OperationInput for RawBytes {
    fn operation_input(context: &mut GenContext, operation: &mut Operation) {
        body(context, operation, BYTES, &json!({ "type": "string", "format": "binary", "minLength": 1 }));
    }
}

impl OperationInput for Fields {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        note(operation, &[Code::ContentType, Code::PlatformRules]);
    }
}

impl OperationInput for Posted {
    fn operation_input(_: &mut GenContext, operation: &mut Operation) {
        note(operation, &[Code::ContentType, Code::PlatformRules]);
    }
}

impl OperationInput for Visitor {}
impl OperationInput for RequestId {}
impl OperationInput for Share {}
impl<T> OperationInput for Path<T> {}

impl OperationOutput for OauthError {
    type Inner = Self;
}
