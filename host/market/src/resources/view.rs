//! Stored resources as the API shows them.

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_core::timestamp::Timestamp;

use super::service::StoredResource;

/// A stored resource.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Resource")]
pub struct ResourceView {
    resource_id: String,
    content_type: String,
    size: usize,
    sha256: String,
    created_at: Timestamp,
    expires_at: Timestamp,
}

impl ResourceView {
    /// Creates the view of a resource.
    pub fn new(stored: StoredResource) -> Self {
        Self {
            resource_id: stored.id,
            content_type: stored.content_type,
            size: stored.size,
            sha256: hex::encode(stored.sha256),
            created_at: Timestamp::from_ms(stored.created_ms),
            expires_at: Timestamp::from_ms(stored.expires_ms),
        }
    }
}
