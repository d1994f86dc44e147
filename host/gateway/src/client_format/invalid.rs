//! The error for invalid members of a request.

use crate::error::GatewayError;

/// Builds the error for one invalid member; `message` must contain the member's name,
/// too.
pub(crate) fn invalid(field: &str, message: impl Into<String>) -> GatewayError {
    GatewayError::Invalid { field: field.to_owned(), message: message.into() }
}
