//! Lines of the processor's own ledger.

use tollbridge_core::money::Millipence;

/// One line of the processor's own ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BalanceTransaction {
    /// The processor's id of the line.
    pub id: String,
    /// The processor's own type: `charge`, `refund`, `transfer`, `payout`, …
    pub kind: String,
    /// The processor's id of the charge, transfer, refund or dispute that caused the
    /// line.
    pub source: Option<String>,
    /// Amount before fees; negative for outgoing money.
    pub amount: Millipence,
    /// Fee that the processor kept.
    pub fee: Millipence,
    /// Unix time in seconds.
    pub created_s: u64,
}

/// The processor's fee in one line of its ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessorFee {
    /// The processor's id of the line.
    pub transaction: String,
    /// Negative when the processor returns an earlier fee.
    pub amount: Millipence,
}

/// Types of lines that consist of a fee only.
const FEE_KINDS: [&str; 4] = ["network_cost", "stripe_fee", "stripe_fx_fee", "tax_fee"];

impl BalanceTransaction {
    /// Returns the processor's fee in this line.
    pub(crate) fn processor_fee(&self) -> ProcessorFee {
        let charged_as_amount = match FEE_KINDS.contains(&self.kind.as_str()) {
            true => self.amount,
            false => Millipence::ZERO,
        };
        let amount = self.fee.checked_sub(charged_as_amount).unwrap_or(self.fee);
        ProcessorFee { transaction: self.id.clone(), amount }
    }
}
