//! A failure of the host itself.

/// The service behind a host call failed. The text is for the operator's log;
/// guests and callers never see it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ServiceError(pub String);
