//! Metrics of durable money events. Only the host that writes an event counts it, so each
//! event is counted once across all hosts.

use metrics::counter;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::DisputeStage;

/// The stage of a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountedRefund {
    /// The refund is owed: the payer can no longer spend the money.
    Owed,
    /// The processor has paid the refund.
    Paid,
    /// The refund cannot reach the payer.
    Failed,
}

/// Counts an incoming payment.
pub(crate) fn count_payment(processor: &str, amount: Millipence) {
    counter!("tollbridge_payments_total", "processor" => processor.to_owned()).increment(1);
    counter!("tollbridge_payments_millipence_total", "processor" => processor.to_owned()).increment(integer(amount));
}

/// Counts a step of a refund.
pub(crate) fn count_refund(step: CountedRefund, amount: Millipence) {
    let step = match step {
        CountedRefund::Owed => "owed",
        CountedRefund::Paid => "paid",
        CountedRefund::Failed => "failed",
    };
    counter!("tollbridge_refunds_total", "step" => step).increment(1);
    counter!("tollbridge_refunds_millipence_total", "step" => step).increment(integer(amount));
}

/// Counts a stage of a dispute. A lost dispute has no separate stage: the processor
/// keeps the amount that it took when the dispute was opened.
pub(crate) fn count_dispute(stage: DisputeStage, amount: Millipence) {
    let stage = match stage {
        DisputeStage::Opened => "opened",
        DisputeStage::Won => "won",
        DisputeStage::Relieved => return,
    };
    counter!("tollbridge_disputes_total", "stage" => stage).increment(1);
    counter!("tollbridge_disputes_millipence_total", "stage" => stage).increment(integer(amount));
}

fn integer(amount: Millipence) -> u64 {
    u64::try_from(amount.get()).unwrap_or(0)
}
