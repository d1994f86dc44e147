//! Durable values, to read. Writes leave a call in its output and are committed
//! with its record.

use super::error::ServiceError;

/// Reads durable key-value buckets. Not a future: a point read of the local
/// store is too short to be worth one.
pub trait KeyValueReader: Send + Sync {
    /// The value of a key, if there is one.
    fn get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ServiceError>;

    /// Keys greater than `after`, in order, each with the size of its value in
    /// bytes; at most `limit`.
    fn list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, ServiceError>;
}
