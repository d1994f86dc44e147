//! What is wrong with a request.

use crate::error::GatewayError;

/// The error of one member; the message names it in people's words.
pub(crate) fn invalid(field: &str, message: impl Into<String>) -> GatewayError {
    GatewayError::Invalid { field: field.to_owned(), message: message.into() }
}
