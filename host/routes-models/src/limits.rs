//! Limits that several modules share, each with its reason.

/// Maximum size of an uploaded file, including the form around it. During the upload, the
/// file is completely in memory and takes two thirds of a tenant's share of body memory
/// (48 MiB).
pub(crate) const FILE_BYTES_MAX: usize = 32 << 20;
/// Maximum page size of a list of batches.
pub(crate) const BATCHES_PAGE_MAX: usize = 100;
/// Default page size of a list of batches.
pub(crate) const BATCHES_PAGE: usize = 20;
