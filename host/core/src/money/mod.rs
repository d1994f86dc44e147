//! Money as exact integers, and the split of a price.
//!
//! Invariants:
//! 1. The unit is the millipenny (1/1000 of a penny, GBP), a signed 64-bit integer. This
//!    module uses no floats, and the ledger contains no rounding.
//! 2. Prices and settlements are whole pence, and percentages have at most one decimal.
//!    Every share of a price is therefore a whole number of millipence.
//! 3. The parts of a split always sum to the gross amount.

mod amount;
mod split;

pub use amount::{Millipence, ParseAmountError};
pub use split::{PolicyError, Share, Shares, SplitPolicy, whole_pence};
