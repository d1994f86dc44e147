//! The error for invalid members of a request.

use crate::error::GatewayError;

/// Builds the error of one member; `message` names the member as well.
pub(crate) fn invalid(field: &str, message: impl Into<String>) -> GatewayError {
    GatewayError::Invalid { field: field.to_owned(), message: message.into() }
}
