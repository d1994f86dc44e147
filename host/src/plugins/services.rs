//! What host calls of plugins need from rooms above this one.

/// Supplied by the application over the store.
pub trait Services: Send + Sync {
    /// A durable value of a bucket.
    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ServiceError>;
    /// Durable keys of a bucket with `key > after`, in order, and the sizes of
    /// their values in bytes; at most `limit`.
    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, ServiceError>;
}

/// The service behind a host call failed. The text is for the operator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ServiceError(pub String);
