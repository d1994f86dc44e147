//! Decides the next step of a refund from the processor's answer.
//!
//! These functions call nothing and write nothing, so that the model in
//! `intent_model.rs` makes exactly the same decisions as the service.
//!
//! Invariant: the money returns to the payer's balance only if the processor reports
//! the refund as failed, or refuses the request.

use super::processor::{LookupError, ProcessorError, ProcessorRefund};

/// The next step after an answer of the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RefundStep {
    /// Request the refund, under its id.
    Request,
    /// Do nothing yet: the refund is in progress.
    Wait,
    /// Record the refund as paid by the processor.
    Pay {
        /// The processor's id of the refund.
        reference: String,
    },
    /// Record the refund as failed: the money cannot reach the payer.
    Fail {
        /// The processor's reason code.
        reason: String,
    },
}

/// Returns the next step after a look-up.
pub(crate) fn after_look_up(found: Result<Option<ProcessorRefund>, LookupError>) -> Result<RefundStep, ProcessorError> {
    Ok(found?.map_or(RefundStep::Request, RefundStep::from))
}

/// Returns the next step after a request for the refund.
pub(crate) fn after_request(answer: Result<ProcessorRefund, ProcessorError>) -> Result<RefundStep, ProcessorError> {
    match answer {
        Err(ProcessorError::Rejected { code, .. }) => Ok(RefundStep::Fail { reason: code }),
        answer => answer.map(RefundStep::from),
    }
}

impl From<ProcessorRefund> for RefundStep {
    fn from(refund: ProcessorRefund) -> Self {
        match refund {
            ProcessorRefund::Pending => Self::Wait,
            ProcessorRefund::Paid { reference } => Self::Pay { reference },
            ProcessorRefund::Failed { reason } => Self::Fail { reason },
        }
    }
}
