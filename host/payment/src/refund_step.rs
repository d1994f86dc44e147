//! What is done next about a refund, from what the processor said.
//!
//! These functions ask nobody and write nothing, so that the model of
//! `intent_model.rs` goes through the very decisions of the service.
//!
//! Invariant: only a refund that the processor calls failed, or refuses when it
//! is asked for it, gives the money back to the payer's balance.

use super::processor::{LookupError, ProcessorError, ProcessorRefund};

/// What follows from an answer of the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RefundStep {
    /// Ask for the refund, under its id.
    Request,
    /// It is under way.
    Wait,
    /// The processor has paid it.
    Pay {
        /// The processor's id of the refund.
        reference: String,
    },
    /// It does not reach the payer.
    Fail {
        /// The processor's code.
        reason: String,
    },
}

/// After a look-up.
pub(crate) fn after_look_up(found: Result<Option<ProcessorRefund>, LookupError>) -> Result<RefundStep, ProcessorError> {
    Ok(found?.map_or(RefundStep::Request, RefundStep::from))
}

/// After a request for the refund.
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
