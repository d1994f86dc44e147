//! The rules of risk: whether a payout goes out at once or waits for the operator.
//!
//! Invariants: every block names its reasons with figures, so that the operator
//! can judge and the user can be told; a rule that cannot be evaluated blocks
//! nothing; addresses of people are never written to the ledger.

mod address_score;
mod payout;
mod rules;
mod self_dealing;

#[cfg(test)]
mod tests;

pub use payout::{BlockReason, PayoutBlock, PayoutRequest, RiskDecision, RiskError, RiskLevel, RiskRule};
pub use rules::RiskEngine;
