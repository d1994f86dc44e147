//! Why a payment processor did not do what it was asked.

/// An error of the processor. It decides whether a request may be repeated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessorError {
    /// Names the missing setting.
    #[error("the payment processor is not configured: {0}")]
    NotConfigured(&'static str),
    /// No money moved and none will. `code` is the processor's own.
    #[error("the payment processor rejected the request: {message}")]
    Rejected {
        /// The processor's machine-readable code.
        code: String,
        /// The processor's own words, at most 200 characters.
        message: String,
    },
    /// The request may or may not have been carried out: look it up.
    #[error("the outcome at the payment processor is unknown: {0}")]
    OutcomeUnknown(String),
}
