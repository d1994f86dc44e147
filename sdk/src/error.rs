//! Errors that a plugin returns.

use std::fmt;

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
        let mut field = field.into();
        if !field.is_empty() && !field.starts_with('/') {
            field.insert(0, '/');
        }
        Self::InvalidInput { field, message: message.into() }
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
    pub fn at(self, field: &str) -> Self {
        match self {
            Self::InvalidInput { field: unsaid, message } if unsaid.is_empty() => Self::invalid(field, message),
            other => other,
        }
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
}
