//! API keys as their account sees them.

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_core::money::Millipence;
use tollbridge_core::timestamp::Timestamp;

use crate::keyring::ListedKey;
use crate::scope::Scope;

/// An API key, without its secret.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Key")]
pub struct KeyView {
    id: String,
    label: String,
    #[schemars(extend("items" = { "enum": ["call", "manage"] }))]
    scopes: Vec<&'static str>,
    created_at: Timestamp,
    expires_at: Option<Timestamp>,
    /// The daily spending limit.
    max_spend_gbp: Option<String>,
    revoked: bool,
}

impl KeyView {
    /// Creates the view of a key.
    pub fn new(key: ListedKey) -> Self {
        let scopes = [Scope::Call, Scope::Manage].into_iter().filter(|scope| key.row.scopes.allow(*scope));
        Self {
            scopes: scopes.map(Scope::as_str).collect(),
            id: key.id,
            label: key.row.label,
            created_at: Timestamp::from_ms(key.row.created_ms),
            expires_at: key.row.expires_ms.map(Timestamp::from_ms),
            max_spend_gbp: key.row.max_spend_per_day.map(Millipence::pounds),
            revoked: key.row.revoked,
        }
    }
}
