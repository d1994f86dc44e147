//! Refusals that say what is missing.

use tollbridge_sdk::Error;

/// What the request lacks.
pub(crate) fn missing(message: &str) -> Error {
    Error::invalid("/data", message)
}
