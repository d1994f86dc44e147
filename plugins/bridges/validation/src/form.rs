//! Is a schema well formed? As the draft's own schema of schemas says, by the library `jsonschema`.
//!
//! The library makes its checker of that anew in each call on this target, in
//! two milliseconds; here it is made when the plugin is built.

use jsonschema::{Draft, ValidationError, Validator};
use serde_json::{Value, json};
use tollbridge_sdk::{Error, Ready};

use crate::{
    documents::DRAFT,
    limits::{MESSAGE_BYTES_MAX, PATH_BYTES_MAX},
    shown,
};

static FORM: Ready<Option<Validator>> = Ready::new(|| {
    let options = jsonschema::options().with_draft(Draft::Draft202012).offline();
    options.build(&json!({ "$ref": DRAFT })).ok()
});

/// Makes the checker, and what it makes itself when it is first used.
pub fn prepare() {
    let schema = json!({
        "$id": "https://example.com/a", "$anchor": "a", "$ref": "#a", "$defs": {"a": {"type": ["string"], "enum": [1], "pattern": "a"}},
        "properties": {"a": {"minimum": 1, "required": ["a"], "items": {"minLength": 1}}},
    });
    let _ = check("", &schema);
}

/// Says what is malformed in a schema that stands at `place` of the input.
pub fn check(place: &str, schema: &Value) -> Result<(), Error> {
    let form = FORM.as_ref().ok_or_else(|| Error::internal("no schema of schemas"))?;
    form.validate(schema).map_err(|error| malformed(place, &error))
}

fn malformed(place: &str, error: &ValidationError<'_>) -> Error {
    refusal(&format!("{place}{}", error.instance_path().as_str()), &error.masked_with("this value").to_string())
}

/// A schema is refused for what stands at `place`.
pub fn refusal(place: &str, why: &str) -> Error {
    let message = format!("not a JSON Schema of draft 2020-12: {}", shown::cut(why, MESSAGE_BYTES_MAX));
    Error::invalid(shown::cut(place, PATH_BYTES_MAX), message)
}
