//! The errors of nested calls, as the calling plugin sees them.

use tollbridge_plugin::{CalleeError, Failure, PluginCall};

use super::error::CheckoutError;
use crate::catalog::Offer;

/// Returns the error for a plugin that cannot be called.
pub(crate) fn missing(request: &PluginCall) -> CalleeError {
    CalleeError::Unavailable(format!("the {} `{}` is not available on this server", request.kind, request.name))
}

/// Converts an error that the calling plugin's request caused.
pub(crate) fn refused(error: CheckoutError) -> CalleeError {
    match error {
        CheckoutError::Invalid { field, message } => CalleeError::InvalidInput { field, message },
        CheckoutError::NoResource { .. } => CalleeError::NotFound(error.to_string()),
        CheckoutError::PlatformRules { .. } => {
            CalleeError::InvalidInput { field: String::new(), message: error.to_string() }
        }
        CheckoutError::Plugin(failure) => CalleeError::Unavailable(failure.public_message()),
        other => {
            tracing::error!(error = %other, "could not start a nested call");
            CalleeError::Failed("the host could not start the call".to_owned())
        }
    }
}

/// Converts the failure of a called plugin.
pub(crate) fn failed(offer: &Offer, failure: Failure) -> CalleeError {
    let message = failure.public_message();
    match failure {
        Failure::InvalidInput { field, .. } => CalleeError::InvalidInput { field, message },
        Failure::NotFound(_) => CalleeError::NotFound(message),
        Failure::Unavailable(_) | Failure::Overloaded { .. } => {
            CalleeError::Unavailable(format!("`{}`: {message}", offer.name))
        }
        Failure::NoProvider(_) => CalleeError::NoProvider(message),
        _ => CalleeError::Failed(format!("`{}`: {message}", offer.name)),
    }
}
