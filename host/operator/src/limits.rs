//! Limits that several modules share, each with its reason.

/// Maximum number of records that one of the operator's lists reads, which takes some
/// seconds. The list reports where it stopped.
pub(crate) const OPERATOR_RECORDS_PER_LIST_MAX: u64 = 200_000;
