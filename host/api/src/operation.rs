//! The documentation of one route, as far as its types do not give it.

use aide::generate::in_context;
use schemars::JsonSchema;
use serde_json::{Value, json};

use crate::error::Code;

/// JSON.
pub const JSON: &str = "application/json";
/// A page.
pub const HTML: &str = "text/html";
/// Plain text.
pub const TEXT: &str = "text/plain";
/// Server-sent events.
pub const EVENTS: &str = "text/event-stream";
/// Bytes of any type.
pub const BYTES: &str = "application/octet-stream";
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// What a reader needs to call a route.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its `operationId`.
    pub id: &'static str,
    /// In a few words.
    pub summary: &'static str,
    /// In a sentence or two.
    pub description: &'static str,
    /// Other paths of the same route.
    pub aliases: Vec<&'static str>,
    /// Codes that it answers beside those of every route and of its extractors.
    pub errors: Vec<Code>,
    /// What it answers when all is well.
    pub answers: Vec<Answer>,
    /// What its path, query and headers take.
    pub parameters: Vec<Value>,
    /// In place of what the extractors say.
    pub body: Option<Value>,
    /// In place of what the extractors say.
    pub key: Option<Key>,
}

/// Whether an operation takes an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// There is no answer without one.
    Required,
    /// An answer may depend on it.
    Optional,
}

/// An answer that is documented by itself: a success, or an error of a
/// protocol that has a shape of its own.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its HTTP status.
    pub status: u16,
    /// What it means.
    pub text: &'static str,
    /// Media type and schema of the body.
    pub body: Option<(&'static str, Value)>,
    /// Whether the body may come as server-sent events instead.
    pub or_events: bool,
    /// Whether its headers name a sealed record.
    pub sealed: bool,
}

impl Operation {
    /// `summary` is a title of a few words, `description` says the rest.
    pub fn new(id: &'static str, summary: &'static str, description: &'static str) -> Self {
        let (aliases, errors, answers, parameters) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { id, summary, description, aliases, errors, answers, parameters, body: None, key: None }
    }

    /// Another path of the same route.
    #[must_use]
    pub fn alias(mut self, path: &'static str) -> Self {
        self.aliases.push(path);
        self
    }

    /// Codes that this route answers beside those of every route.
    #[must_use]
    pub fn errors(mut self, codes: &[Code]) -> Self {
        self.errors.extend_from_slice(codes);
        self
    }

    /// A key is not needed, but is looked at.
    #[must_use]
    pub const fn optional_key(mut self) -> Self {
        self.key = Some(Key::Optional);
        self
    }

    /// A key is needed, which the handler checks itself.
    #[must_use]
    pub const fn key(mut self) -> Self {
        self.key = Some(Key::Required);
        self
    }

    /// An answer without a body.
    #[must_use]
    pub fn empty(mut self, status: u16, text: &'static str) -> Self {
        self.answers.push(Answer { status, text, body: None, or_events: false, sealed: false });
        self
    }

    /// An answer of another type than JSON.
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

    /// A JSON answer of a schema.
    #[must_use]
    pub fn answer_schema(mut self, status: u16, text: &'static str, schema: Value) -> Self {
        self.answers.push(Answer { status, text, body: Some((JSON, schema)), or_events: false, sealed: false });
        self
    }

    /// An answer that is no text.
    #[must_use]
    pub fn bytes(mut self, status: u16, text: &'static str, media: &'static str) -> Self {
        let schema = json!({ "type": "string", "format": "binary" });
        self.answers.push(Answer { status, text, body: Some((media, schema)), or_events: false, sealed: false });
        self
    }

    /// A JSON answer with these members, all of which are always there.
    #[must_use]
    pub fn members(self, status: u16, text: &'static str, members: &Value) -> Self {
        self.answer_schema(status, text, object(members))
    }

    /// The last answer comes as server-sent events where the request asks for a
    /// stream.
    #[must_use]
    pub fn or_events(mut self) -> Self {
        if let Some(answer) = self.answers.last_mut() {
            answer.or_events = true;
        }
        self
    }

    /// The headers of the last answer name a sealed record.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        if let Some(answer) = self.answers.last_mut() {
            answer.sealed = true;
        }
        self
    }

    /// A parameter in the query.
    #[must_use]
    pub fn query(self, name: &str, required: bool, text: &str) -> Self {
        self.query_as(name, required, text, &json!({ "type": "string" }))
    }

    /// One of such a form.
    #[must_use]
    pub fn query_as(mut self, name: &str, required: bool, text: &str, schema: &Value) -> Self {
        let parameter =
            json!({ "name": name, "in": "query", "required": required, "description": text, "schema": schema });
        self.parameters.push(parameter);
        self
    }

    /// The JSON body of a handler that reads it itself.
    #[must_use]
    pub fn body<T: JsonSchema>(self) -> Self {
        let schema = schema_of::<T>();
        self.body_of(JSON, schema, true)
    }

    /// Likewise; without a body every member has its default.
    #[must_use]
    pub fn optional_body<T: JsonSchema>(self) -> Self {
        let schema = schema_of::<T>();
        self.body_of(JSON, schema, false)
    }

    /// The JSON body of a handler that reads it itself, by its schema.
    #[must_use]
    pub fn body_schema(self, schema: Value) -> Self {
        self.body_of(JSON, schema, true)
    }

    /// A form with text members, of which some are required.
    #[must_use]
    pub fn form(self, required: &[&str], properties: Value) -> Self {
        self.body_of(FORM, json!({ "type": "object", "required": required, "properties": properties }), true)
    }

    /// A form with a file.
    #[must_use]
    pub fn multipart(self, required: &[&str], properties: Value) -> Self {
        self.body_of(MULTIPART, json!({ "type": "object", "required": required, "properties": properties }), true)
    }

    fn body_of(mut self, media: &str, schema: Value, required: bool) -> Self {
        self.body = Some(json!({ "required": required, "content": { media: { "schema": schema } } }));
        self
    }
}

/// The schema of an object by its members, all of them required.
pub fn object(members: &Value) -> Value {
    let names: Vec<&String> = members.as_object().map(|members| members.keys().collect()).unwrap_or_default();
    json!({ "type": "object", "required": names, "properties": members })
}

/// The schema of a list.
pub fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// The schema of a text.
pub fn text() -> Value {
    json!({ "type": "string" })
}

/// The schema of a whole number.
pub fn integer() -> Value {
    json!({ "type": "integer" })
}

/// The schema of yes or no.
pub fn boolean() -> Value {
    json!({ "type": "boolean" })
}

/// The schema of a time like `2026-01-31T12:00:00Z`.
pub fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

/// The same schema, or null.
pub fn nullable(mut schema: Value) -> Value {
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.clone(), "null"]);
    }
    schema
}

/// The schema of a type, by reference where it has a name.
fn schema_of<T: JsonSchema>() -> Value {
    in_context(|context| context.schema.subschema_for::<T>()).to_value()
}
