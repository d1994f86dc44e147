//! Errors of payment processors.

use tollbridge_core::planted::Defect;

/// An error of the processor; the variant decides whether the request may be repeated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessorError {
    /// A required setting is missing; contains its name.
    #[error("the payment processor is not configured: {0}")]
    NotConfigured(&'static str),
    /// No money moved and none will move. `code` is the processor's own error code.
    #[error("the payment processor rejected the request: {message}")]
    Rejected {
        /// The processor's machine-readable code.
        code: String,
        /// The processor's own message, at most 200 characters.
        message: String,
    },
    /// The request may have been carried out: look up its outcome.
    #[error("the outcome at the payment processor is unknown: {0}")]
    OutcomeUnknown(String),
}

/// An error of a look-up. There is no rejected variant: a refused look-up is not a
/// refused payment, whatever its status code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// A required setting is missing; contains its name.
    #[error("the payment processor is not configured: {0}")]
    NotConfigured(&'static str),
    /// The outcome is unknown: look it up again later.
    #[error("the payment processor did not answer a look-up: {0}")]
    Unclear(String),
}

impl From<ProcessorError> for LookupError {
    fn from(error: ProcessorError) -> Self {
        match error {
            ProcessorError::NotConfigured(setting) => Self::NotConfigured(setting),
            ProcessorError::Rejected { code, message } => Self::Unclear(format!("{code}: {message}")),
            ProcessorError::OutcomeUnknown(why) => Self::Unclear(why),
        }
    }
}

impl From<LookupError> for ProcessorError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::NotConfigured(setting) => Self::NotConfigured(setting),
            LookupError::Unclear(message) if Defect::LookupRefusalIsNo.is_planted() => {
                Self::Rejected { code: "resource_missing".to_owned(), message }
            }
            LookupError::Unclear(why) => Self::OutcomeUnknown(why),
        }
    }
}
