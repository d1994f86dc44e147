//! Removes compiled code of components that are no longer in the registry.
//!
//! Invariants: compiled code of registered or serving components is never removed. If
//! code is removed wrongly because files were temporarily missing, the only cost is
//! compiling it again.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tollbridge_core::time::DAY_MS;
use tollbridge_plugin::PluginLoader;
use tollbridge_registry::{Candidate, PluginId, PluginVersions};

/// Retention of compiled code that no version in the registry uses. Thanks to it, a
/// deployment or briefly missing files cause no recompilation.
const COMPILED_UNUSED_MS: u64 = DAY_MS;
/// Interval between deletions of unused compiled code from the cache.
const SWEEP_EVERY_MS: u64 = 60 * 60 * 1000;

/// The periodic removal of unused compiled code.
#[derive(Default)]
pub(super) struct Sweep {
    next_ms: u64,
}

impl Sweep {
    /// Removes unused compiled code, if the last removal was long enough ago. Does
    /// nothing if the registry is empty, because its disk may not be mounted.
    pub(super) async fn run(
        &mut self,
        loader: &Arc<dyn PluginLoader>,
        plugins: &BTreeMap<PluginId, PluginVersions>,
        serving: &BTreeMap<PluginId, Arc<Candidate>>,
        now_ms: u64,
    ) {
        if now_ms < self.next_ms || plugins.is_empty() {
            return;
        }
        self.next_ms = now_ms.saturating_add(SWEEP_EVERY_MS);
        let published = plugins.values().flat_map(|versions| versions.candidates.values()).chain(serving.values());
        let in_use: HashSet<[u8; 32]> = published.map(|candidate| candidate.component.sha256.bytes()).collect();
        let before = SystemTime::UNIX_EPOCH + Duration::from_millis(now_ms.saturating_sub(COMPILED_UNUSED_MS));
        let loader = loader.clone();
        match tokio::task::spawn_blocking(move || loader.sweep_compiled_code(&in_use, before)).await {
            Ok(Ok(0)) | Err(_) => {}
            Ok(Ok(swept)) => tracing::info!(swept, "removed unused compiled code"),
            Ok(Err(error)) => tracing::warn!(%error, "could not remove unused compiled code"),
        }
    }
}
