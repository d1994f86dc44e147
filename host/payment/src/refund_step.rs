//! What is done next about a refund, from what the processor said, and what
//! each step writes.
//!
//! These functions ask nobody, so that the model of `intent_model.rs` goes
//! through the very decisions of the service.
//!
//! Invariant: only a refund that the processor calls failed, or refuses when it
//! is asked for it, gives the money back to the payer's balance.

use tollbridge_ledger::RefundStage;
use tollbridge_store::{Change, Collection, Expect, Put};

use super::error::PaymentError;
use super::processor::{LookupError, ProcessorError, ProcessorRefund};
use super::refunds::{FINISHED, OPEN, RefundRow, RefundStatus};

/// What follows from an answer of the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RefundStep {
    /// Ask for the refund, under its id.
    Request,
    /// It is under way.
    Wait,
    /// It is over.
    Finish {
        /// How.
        state: RefundStatus,
        /// What the record says.
        stage: RefundStage,
        /// The processor's id of the refund.
        reference: Option<String>,
    },
}

/// After a look-up.
pub(crate) fn after_look_up(found: Result<Option<ProcessorRefund>, LookupError>) -> Result<RefundStep, ProcessorError> {
    Ok(found?.map_or(RefundStep::Request, step))
}

/// After a request for the refund.
pub(crate) fn after_request(answer: Result<ProcessorRefund, ProcessorError>) -> Result<RefundStep, ProcessorError> {
    match answer {
        Err(ProcessorError::Rejected { code, .. }) => Ok(step(ProcessorRefund::Failed { reason: code })),
        answer => answer.map(step),
    }
}

fn step(refund: ProcessorRefund) -> RefundStep {
    match refund {
        ProcessorRefund::Pending => RefundStep::Wait,
        ProcessorRefund::Paid { reference } => {
            RefundStep::Finish { state: RefundStatus::Paid, stage: RefundStage::Paid, reference: Some(reference) }
        }
        ProcessorRefund::Failed { reason } => {
            RefundStep::Finish { state: RefundStatus::Failed { reason }, stage: RefundStage::Failed, reference: None }
        }
    }
}

impl RefundRow {
    /// Moves the money off the payer's balance.
    pub(crate) fn owed(&self, now_ms: u64) -> Result<Change, PaymentError> {
        let put = put(format!("{OPEN}{}", self.id), Some(serde_json::to_vec(self)?), Expect::Absent);
        let record = self.entry(RefundStage::Owed, None).draft(self.tx(RefundStage::Owed), now_ms)?;
        Ok(Change { puts: vec![put], record: Some(record), ..Change::default() })
    }

    /// Ends a refund that is owed.
    pub(crate) fn finished(
        &self,
        state: RefundStatus,
        stage: RefundStage,
        reference: Option<String>,
        now_ms: u64,
    ) -> Result<Change, PaymentError> {
        let finished = Self { state, ..self.clone() };
        let puts = vec![
            put(format!("{OPEN}{}", self.id), None, Expect::Exactly(serde_json::to_vec(self)?)),
            put(format!("{FINISHED}{}", self.id), Some(serde_json::to_vec(&finished)?), Expect::Absent),
        ];
        let record = self.entry(stage, reference).draft(self.tx(stage), now_ms)?;
        Ok(Change { puts, record: Some(record), ..Change::default() })
    }
}

const fn put(key: String, value: Option<Vec<u8>>, expect: Expect) -> Put {
    Put { collection: Collection::Refunds, key, value, expect }
}
