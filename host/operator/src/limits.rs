//! Limits that several modules share, each with its reason.

/// Maximum number of records that one list of the operator reads: some seconds of
/// reading. The list reports where it stopped.
pub(crate) const OPERATOR_RECORDS_PER_LIST_MAX: u64 = 200_000;
