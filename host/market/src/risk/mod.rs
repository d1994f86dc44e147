//! Risk rules: whether a payout goes out at once or waits for the operator.
//!
//! Invariants: every block names its reasons with figures, so that the operator
//! can judge and the user can be told; a rule that cannot be evaluated blocks
//! nothing; addresses of people are never written to the ledger.

mod dealing;
mod payout;
mod rules;
mod signal;

#[cfg(test)]
mod tests;

pub use payout::{Block, Judgement, Level, Payout, Reason, RiskError, Rule};
pub use rules::Risk;
