//! The services behind one call.

use std::sync::Arc;

use super::key_value::KeyValueReader;
use super::ledger::LedgerReader;
use super::models::Models;
use super::none::Nothing;
use super::plugin_calls::PluginCaller;

/// The services behind one call. Cheap to clone.
#[derive(Clone)]
pub struct Services {
    /// Durable values of the plugin's buckets.
    pub key_value: Arc<dyn KeyValueReader>,
    /// Sealed records and their proofs.
    pub ledger: Arc<dyn LedgerReader>,
    /// Completions and embeddings.
    pub models: Arc<dyn Models>,
    /// Other plugins of this host.
    pub plugins: Arc<dyn PluginCaller>,
}

impl Services {
    /// Returns empty buckets, no ledger, no models and no other plugins: for a plugin that only
    /// describes itself, or is measured or tested alone.
    pub fn none() -> Self {
        let nothing = Arc::new(Nothing);
        Self { key_value: nothing.clone(), ledger: nothing.clone(), models: nothing.clone(), plugins: nothing }
    }
}
