//! The error of a failing service of the host.

/// The error that the service behind a host call failed. The text is for the operator's log; guests
/// and callers never see it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ServiceError(pub String);
