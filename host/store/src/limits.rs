//! Limits that several modules share, each with its reason.

/// Maximum number of changes in one durable write; limits the latency and memory of a
/// batch.
pub(crate) const CHANGES_PER_COMMIT_MAX: usize = 1_024;
/// Maximum number of changes that wait for the writer. Further callers are asked to retry
/// later.
pub(crate) const CHANGES_QUEUED_MAX: usize = 8_192;
/// Maximum total size of answers and rows in one durable write; only the last change in a
/// write may exceed it. Without this limit, a write of a thousand maximum-size answers
/// would take two gibibytes of memory.
pub(crate) const BYTES_PER_COMMIT_MAX: usize = 16 << 20;
/// Minimum total size of the bucket values in a change for it to count as a bulk change.
pub(crate) const BULK_CHANGE_BYTES_MIN: usize = 32 << 10;
/// Maximum number of bytes of bulk changes in one durable write, so that other changes
/// wait for milliseconds at most.
pub(crate) const BULK_BYTES_PER_COMMIT_MAX: usize = 2 << 20;
/// Maximum number of bulk changes in the queue; further ones are refused as busy.
pub(crate) const BULK_CHANGES_QUEUED_MAX: usize = 64;
