//! The documentation of one route, beyond what its types provide.

use aide::generate::in_context;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Code;

/// The media type of JSON.
pub const JSON: &str = "application/json";
/// The media type of pages.
pub const HTML: &str = "text/html";
/// The media type of plain text.
pub const TEXT: &str = "text/plain";
/// The media type of server-sent events.
pub const EVENTS: &str = "text/event-stream";
/// The media type of arbitrary bytes.
pub const BYTES: &str = "application/octet-stream";
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// The documentation of a route.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The `operationId`.
    pub id: &'static str,
    /// A short title.
    pub summary: &'static str,
    /// A description in a sentence or two.
    pub description: &'static str,
    /// Other paths of the same route.
    pub aliases: Vec<&'static str>,
    /// Error codes in addition to those of every route and of the extractors.
    pub errors: Vec<Code>,
    /// The successful answers.
    pub answers: Vec<Answer>,
    /// Parameters in path, query and headers.
    pub parameters: Vec<Value>,
    /// The schema of the body, used instead of the schema that follows from the
    /// extractors.
    pub body: Option<Value>,
    /// The key requirement, used instead of the requirement that follows from the
    /// extractors.
    pub key: Option<Key>,
}

/// The key requirement of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A key is required.
    Required,
    /// A key is optional, but may affect the answer.
    Optional,
}

/// A separately documented answer: a success, or an error in a protocol's own
/// format.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// A description.
    pub text: &'static str,
    /// The media type and schema of the body.
    pub body: Option<(&'static str, Value)>,
    /// Whether the body may be server-sent events instead.
    pub or_events: bool,
    /// Whether the headers name a sealed record.
    pub sealed: bool,
}

impl Operation {
    /// Creates an operation; `summary` is a short title, `description` a sentence or two.
    pub fn new(id: &'static str, summary: &'static str, description: &'static str) -> Self {
        let (aliases, errors, answers, parameters) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { id, summary, description, aliases, errors, answers, parameters, body: None, key: None }
    }

    /// Adds another path of the same route.
    #[must_use]
    pub fn alias(mut self, path: &'static str) -> Self {
        self.aliases.push(path);
        self
    }

    /// Adds error codes to those of every route.
    #[must_use]
    pub fn errors(mut self, codes: &[Code]) -> Self {
        self.errors.extend_from_slice(codes);
        self
    }

    /// Declares that an API key is optional, but affects the answer.
    #[must_use]
    pub const fn optional_key(mut self) -> Self {
        self.key = Some(Key::Optional);
        self
    }

    /// Declares that a key is required, which the handler checks itself.
    #[must_use]
    pub const fn key(mut self) -> Self {
        self.key = Some(Key::Required);
        self
    }

    /// Adds an answer without a body.
    #[must_use]
    pub fn empty(mut self, status: u16, text: &'static str) -> Self {
        self.answers.push(Answer { status, text, body: None, or_events: false, sealed: false });
        self
    }

    /// Adds an answer of another media type than JSON.
    #[must_use]
    pub fn media(mut self, status: u16, text: &'static str, media: &'static str) -> Self {
        self.answers.push(Answer {
            status,
            text,
            body: Some((media, json!({ "type": "string" }))),
            or_events: false,
            sealed: false,
        });
        self
    }

    /// Adds a JSON answer of a type.
    #[must_use]
    pub fn answer<T: Serialize + JsonSchema>(self, status: u16, text: &'static str) -> Self {
        let schema = answer_schema_of::<T>();
        self.answer_schema(status, text, schema)
    }

    /// Adds a JSON answer that has a schema but no Rust type, such as an error or the
    /// answer of a provider.
    #[must_use]
    pub fn answer_schema(mut self, status: u16, text: &'static str, schema: Value) -> Self {
        self.answers.push(Answer { status, text, body: Some((JSON, schema)), or_events: false, sealed: false });
        self
    }

    /// Adds a binary answer.
    #[must_use]
    pub fn bytes(mut self, status: u16, text: &'static str, media: &'static str) -> Self {
        let schema = json!({ "type": "string", "format": "binary" });
        self.answers.push(Answer { status, text, body: Some((media, schema)), or_events: false, sealed: false });
        self
    }

    /// Declares that the last answer may be server-sent events, if the request asks
    /// for a stream.
    #[must_use]
    pub fn or_events(mut self) -> Self {
        if let Some(answer) = self.answers.last_mut() {
            answer.or_events = true;
        }
        self
    }

    /// Declares that the headers of the last answer name a sealed record.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        if let Some(answer) = self.answers.last_mut() {
            answer.sealed = true;
        }
        self
    }

    /// Adds a query parameter of type string.
    #[must_use]
    pub fn query(self, name: &str, required: bool, text: &str) -> Self {
        self.query_as(name, required, text, &json!({ "type": "string" }))
    }

    /// Adds a query parameter with a schema.
    #[must_use]
    pub fn query_as(mut self, name: &str, required: bool, text: &str, schema: &Value) -> Self {
        let parameter =
            json!({ "name": name, "in": "query", "required": required, "description": text, "schema": schema });
        self.parameters.push(parameter);
        self
    }

    /// Sets the JSON body of a handler that parses the body itself.
    #[must_use]
    pub fn body<T: JsonSchema>(self) -> Self {
        let schema = schema_of::<T>();
        self.body_of(JSON, schema, true)
    }

    /// Sets an optional JSON body; without it, every member has its default.
    #[must_use]
    pub fn optional_body<T: JsonSchema>(self) -> Self {
        let schema = schema_of::<T>();
        self.body_of(JSON, schema, false)
    }

    /// Sets the JSON body, by its schema, of a handler that parses the body itself.
    #[must_use]
    pub fn body_schema(self, schema: Value) -> Self {
        self.body_of(JSON, schema, true)
    }

    /// Sets a form with string members, some of them required.
    #[must_use]
    pub fn form(self, required: &[&str], properties: Value) -> Self {
        self.body_of(FORM, json!({ "type": "object", "required": required, "properties": properties }), true)
    }

    /// Sets a multipart form with a file.
    #[must_use]
    pub fn multipart(self, required: &[&str], properties: Value) -> Self {
        self.body_of(MULTIPART, json!({ "type": "object", "required": required, "properties": properties }), true)
    }

    fn body_of(mut self, media: &str, schema: Value, required: bool) -> Self {
        self.body = Some(json!({ "required": required, "content": { media: { "schema": schema } } }));
        self
    }
}

/// Returns the schema of a list.
pub fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// Returns the schema of a string.
pub fn text() -> Value {
    json!({ "type": "string" })
}

/// Returns the schema of a boolean.
pub fn boolean() -> Value {
    json!({ "type": "boolean" })
}

/// Returns the schema, extended to allow null.
pub fn nullable(mut schema: Value) -> Value {
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.clone(), "null"]);
    }
    schema
}

/// Returns the schema of a type, by reference if it has a name.
fn schema_of<T: JsonSchema>() -> Value {
    in_context(|context| context.schema.subschema_for::<T>()).to_value()
}

/// Returns the schema of a type as it is serialized: members that are always
/// present are required, even if they may be null.
fn answer_schema_of<T: Serialize + JsonSchema>() -> Value {
    in_context(|context| {
        let settings = context.schema.settings().clone().for_serialize();
        let mut answers = SchemaGenerator::new(settings.with_transform(RecursiveTransform(without_bounds)));
        let schema = answers.subschema_for::<T>();
        let known = context.schema.definitions_mut();
        for (name, definition) in answers.take_definitions(true) {
            let earlier = known.insert(name.clone(), definition.clone());
            debug_assert!(earlier.is_none_or(|one| one == definition), "two types of answers are called {name}");
        }
        schema.to_value()
    })
}

/// Removes the bounds of Rust's integer types, which mean nothing to readers of answers.
fn without_bounds(schema: &mut Schema) {
    let is_integer = schema.get("type").is_some_and(|kind| kind.to_string().contains("\"integer\""));
    if let Some(members) = schema.as_object_mut().filter(|_| is_integer) {
        members.retain(|name, _| name != "format" && name != "minimum" && name != "maximum");
    }
}
