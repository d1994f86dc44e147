//! Read access to the durable key-value store. A call's writes are part of its output and committed
//! with its record.

use super::error::ServiceError;

/// Reads durable key-value buckets. Not async, because a point read of the local store is short.
pub trait KeyValueReader: Send + Sync {
    /// Returns the value of a key, if there is one.
    fn get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ServiceError>;

    /// Lists at most `limit` keys greater than `after`, in order, each with the size of its value
    /// in bytes.
    fn list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, ServiceError>;
}
