//! Limits that several modules share, each with its reason.

/// Maximum size of a file with the form in which it is uploaded. The file is completely
/// in memory during the upload, and takes two thirds of a tenant's share of body memory.
pub(crate) const FILE_BYTES_MAX: usize = 32 << 20;
/// Maximum page size of a list of batches.
pub(crate) const BATCHES_PAGE_MAX: usize = 100;
/// Default page size of a list of batches.
pub(crate) const BATCHES_PAGE: usize = 20;
