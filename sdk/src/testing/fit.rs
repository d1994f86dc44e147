//! Checks values against the schemas that callers see.

use schemars::Schema;
use serde_json::Value;

/// A check of inputs or outputs against a schema. Without the feature `schemas` every
/// value passes, because `tollbridge plugin test` checks again inside the component.
pub(crate) struct Fit {
    #[cfg(feature = "schemas")]
    what: &'static str,
    #[cfg(feature = "schemas")]
    validator: jsonschema::Validator,
}

impl Fit {
    /// Compiles a schema. `what` is "input" or "output", for error messages.
    pub(crate) fn new(what: &'static str, schema: &Schema) -> Result<Self, String> {
        let value = schema.as_value();
        if value.get("type").and_then(Value::as_str) != Some("object")
            && value.get("anyOf").or(value.get("oneOf")).is_none()
        {
            return Err(format!("the {what} must be a JSON object: derive it from a struct with named fields"));
        }
        Self::compile(what, value)
    }

    #[cfg(feature = "schemas")]
    fn compile(what: &'static str, schema: &Value) -> Result<Self, String> {
        let validator = jsonschema::draft202012::new(schema);
        let validator = validator.map_err(|error| format!("the {what} schema does not compile: {error}"))?;
        Ok(Self { what, validator })
    }

    #[cfg(not(feature = "schemas"))]
    fn compile(_what: &'static str, _schema: &Value) -> Result<Self, String> {
        Ok(Self {})
    }

    /// Returns the errors of a value that does not fit the schema, with their JSON pointers.
    #[cfg(feature = "schemas")]
    pub(crate) fn mismatches(&self, value: &Value) -> Vec<String> {
        let explain = |error: jsonschema::ValidationError<'_>| {
            format!("the {} does not fit its schema at {:?}: {error}", self.what, error.instance_path().as_str())
        };
        self.validator.iter_errors(value).map(explain).collect()
    }

    #[cfg(not(feature = "schemas"))]
    pub(crate) fn mismatches(&self, _value: &Value) -> Vec<String> {
        Vec::new()
    }
}
