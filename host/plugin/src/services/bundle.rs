//! The host services that a plugin can use during a call.

use std::sync::Arc;

use super::key_value::KeyValueReader;
use super::ledger::LedgerReader;
use super::models::Models;
use super::none::Nothing;
use super::plugin_calls::PluginCaller;

/// The host services that a plugin can use during one call. Cheap to clone.
#[derive(Clone)]
pub struct Services {
    /// Reads stored values of the plugin's buckets.
    pub key_value: Arc<dyn KeyValueReader>,
    /// Reads sealed records and their proofs.
    pub ledger: Arc<dyn LedgerReader>,
    /// Requests completions and embeddings.
    pub models: Arc<dyn Models>,
    /// Calls other plugins of this host.
    pub plugins: Arc<dyn PluginCaller>,
}

impl Services {
    /// Returns services that provide nothing: empty buckets, no ledger, no models and no other
    /// plugins. Used when a plugin describes itself or is measured or tested alone.
    pub fn none() -> Self {
        let nothing = Arc::new(Nothing);
        Self { key_value: nothing.clone(), ledger: nothing.clone(), models: nothing.clone(), plugins: nothing }
    }
}
