//! Risk rules, which decide whether a payout is sent at once or waits for the operator.
//!
//! Invariants: every block states its reasons with figures, so that the operator can
//! judge it and the user can be informed; a rule that cannot be evaluated blocks nothing;
//! people's IP addresses are never written to the ledger.

mod address_score;
mod payout;
mod rules;
mod self_dealing;

#[cfg(test)]
mod tests;

pub use payout::{BlockReason, PayoutBlock, PayoutRequest, RiskDecision, RiskError, RiskLevel, RiskRule};
pub use rules::RiskEngine;
