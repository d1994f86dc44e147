//! How sure answers of each kind are.

/// Confidence of an estimate from enough periods that is settled, and of sums of what was sold.
pub const CLEAR: f64 = 0.9;
/// Confidence of a comparison of few periods.
pub const FEW: f64 = 0.8;
/// Confidence where the estimate is not settled.
pub const UNSURE: f64 = 0.65;
