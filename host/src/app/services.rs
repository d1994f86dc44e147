//! What host calls of plugins read from the store.

use std::sync::Arc;

use crate::plugins::{ServiceError, Services};
use crate::store::{Store, StoreError};

/// The store, as plugins may see it.
pub(super) struct StoreServices(pub(super) Arc<dyn Store>);

impl Services for StoreServices {
    fn kv_get(&self, bucket: &str, key: &str) -> Result<Option<Vec<u8>>, ServiceError> {
        self.0.kv_get(bucket, key).map_err(failed)
    }

    fn kv_list(&self, bucket: &str, after: &str, limit: usize) -> Result<Vec<(String, usize)>, ServiceError> {
        self.0.kv_list(bucket, after, limit).map_err(failed)
    }
}

fn failed(error: StoreError) -> ServiceError {
    ServiceError(format!("{error}: {:?}", error.source))
}
