//! Money as exact integers, and the split of a price.
//!
//! Invariants:
//! 1. The unit is the millipence (1/1000 of a penny, GBP), a signed 64-bit
//!    integer. There are no floats in this module and no rounding in the books.
//! 2. Prices and settlements are whole pence and percentages have at most one
//!    decimal, so every share of every price is a whole number of millipence.
//! 3. The parts of a split always sum to its gross.

mod amount;
mod split;

pub use amount::{Millipence, ParseAmountError};
pub use split::{PolicyError, Share, Shares, SplitPolicy, whole_pence};
