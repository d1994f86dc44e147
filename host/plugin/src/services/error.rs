//! The error of a host service.

/// The error for a failure of the service behind a host call. The text is for the
/// operator's log; guests and callers never see it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ServiceError(pub String);
