//! The error for an invalid member of a request.

use crate::error::GatewayError;

/// Builds the error for one invalid member, given as a JSON pointer; `message` must
/// contain the member's name, too.
pub(crate) fn invalid(field: &str, message: impl Into<String>) -> GatewayError {
    GatewayError::Invalid { field: field.to_owned(), message: message.into() }
}

/// Builds the error for a member of the request object; `message` continues the member's
/// name, for example "must be true or false".
pub(crate) fn invalid_member(name: &str, message: &str) -> GatewayError {
    invalid(&format!("/{name}"), format!("{name} {message}"))
}
