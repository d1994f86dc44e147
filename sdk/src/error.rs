//! Errors that a plugin returns.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

#[cfg(target_family = "wasm")]
use crate::proposal;

/// The error of a plugin. A caller is never charged for an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The input is invalid through the caller's fault: 400 E011.
    InvalidInput {
        /// JSON pointer of the invalid member, for example `/values/3`; empty for the input as a
        /// whole.
        field: String,
        /// Explanation for the caller: what is wrong, and what would be valid.
        message: String,
        /// The input that an agent proposes instead, a JSON object;
        /// [`with_input`](Self::with_input) sets it.
        input: Option<Value>,
    },
    /// The requested item does not exist: 404 E012.
    NotFound(String),
    /// Something that this plugin needs is missing on this server; the text names it: 503
    /// E027.
    Unavailable(String),
    /// A service that this plugin called failed: 502 E017.
    Upstream(String),
    /// The plugin has a bug or failed: 502 E017; only the operator sees the text.
    Internal(String),
    /// The plugin needs a model, but no provider is configured: 503 E005. The module
    /// `inference` creates this error; its text explains the fix.
    NoProvider(String),
}

impl Error {
    /// Creates an error for an invalid input. `field` is a JSON pointer (`/values/3`);
    /// the name of an input member (`values`) is accepted too, and an empty text refers
    /// to the input as a whole.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidInput { field: pointer(field.into()), message: message.into(), input: None }
    }

    /// Creates an error for a requested item that does not exist.
    pub fn not_found(what: impl Into<String>) -> Self {
        Self::NotFound(what.into())
    }

    /// Creates an error for something that the plugin needs and the server lacks; `what`
    /// names it.
    pub fn unavailable(what: impl Into<String>) -> Self {
        Self::Unavailable(what.into())
    }

    /// Creates an error for the failure of a service that this plugin called.
    pub fn upstream(message: impl Into<String>) -> Self {
        Self::Upstream(message.into())
    }

    /// Creates an error for a bug or failure of the plugin itself. Only the operator sees
    /// the text.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::Internal(message.into())
    }

    /// Sets `field` on an invalid-input error that has no field. Use it for errors of
    /// host functions, which do not know which member of the input a value came from.
    #[must_use]
    pub fn at(mut self, field: &str) -> Self {
        if let Self::InvalidInput { field: unsaid, .. } = &mut self
            && unsaid.is_empty()
        {
            *unsaid = pointer(field.to_owned());
        }
        self
    }

    /// Attaches a proposed input to an invalid-input error: the typed input of an agent,
    /// filled in as far as the agent understood its task. The message is then a question
    /// about it, and the caller confirms or corrects the input with one further call.
    ///
    /// A member may be missing, but a present one must fit the input schema; the host
    /// drops any other proposal, and one of more than 64 KiB. Other kinds of errors stay
    /// unchanged, and a value that does not serialize to an object is ignored.
    #[must_use]
    pub fn with_input(mut self, proposed: &impl Serialize) -> Self {
        if let (Self::InvalidInput { input, .. }, Ok(value @ Value::Object(_))) =
            (&mut self, serde_json::to_value(proposed))
        {
            *input = Some(value);
            #[cfg(target_family = "wasm")]
            proposal::enable();
        }
        self
    }

    /// Returns the kind of the error, spelled as in the plugin contract and in case files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::InvalidInput { .. } => "invalid-input",
            Self::NotFound(_) => "not-found",
            Self::Unavailable(_) => "unavailable",
            Self::Upstream(_) => "upstream",
            Self::Internal(_) => "internal",
            Self::NoProvider(_) => "no-provider",
        }
    }

    /// Returns the JSON pointer of an invalid input; `None` for other kinds of errors.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::InvalidInput { field, .. } => Some(field),
            _ => None,
        }
    }

    /// Returns the proposed input of an invalid-input error, if one is attached.
    pub fn input(&self) -> Option<&Value> {
        match self {
            Self::InvalidInput { input, .. } => input.as_ref(),
            _ => None,
        }
    }

    /// Returns the text of the error, without kind and field.
    pub fn message(&self) -> &str {
        match self {
            Self::InvalidInput { message, .. } => message,
            Self::NotFound(text)
            | Self::Unavailable(text)
            | Self::Upstream(text)
            | Self::Internal(text)
            | Self::NoProvider(text) => text,
        }
    }
}

/// Converts the name of an input member to a JSON pointer.
fn pointer(mut field: String) -> String {
    if !field.is_empty() && !field.starts_with('/') {
        field.insert(0, '/');
    }
    field
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        if let Some(field) = self.field().filter(|field| !field.is_empty()) {
            write!(f, " at {field}")?;
        }
        write!(f, ": {}", self.message())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_becomes_a_pointer() {
        for (given, expect) in [("values", "/values"), ("/values/3", "/values/3"), ("", "")] {
            assert_eq!(Error::invalid(given, "wrong").field(), Some(expect));
        }
        assert_eq!(Error::invalid("", "wrong").at("id").field(), Some("/id"));
        assert_eq!(Error::invalid("a", "wrong").at("id").field(), Some("/a"));
        assert_eq!(Error::not_found("x").at("id"), Error::not_found("x"));
        assert_eq!(Error::invalid("a", "wrong").to_string(), "invalid-input at /a: wrong");
        assert_eq!(Error::not_found("GB-XYZ").to_string(), "not-found: GB-XYZ");
    }

    #[test]
    fn only_an_object_is_proposed_and_only_with_an_invalid_input() {
        let proposed = serde_json::json!({"amount": 5});
        let error = Error::invalid("", "which currency?").with_input(&proposed);
        assert_eq!(error.input(), Some(&proposed));
        assert_eq!(error.clone().at("currency").input(), Some(&proposed));
        assert_eq!(error.clone().with_input(&"text").with_input(&[1]), error);
        assert_eq!(Error::not_found("x").with_input(&proposed), Error::not_found("x"));
    }
}
