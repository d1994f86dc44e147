//! Loading of plugins, as the crates above the engine see it.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::future::BoxFuture;

use crate::plugin::Plugin;
use crate::spec::PluginSpec;

/// Loads plugins and manages their compiled code.
pub trait PluginLoader: Send + Sync {
    /// Checks, compiles and describes a plugin. Compiling takes seconds for large components;
    /// accounts share the compiler fairly.
    fn load(&self, spec: PluginSpec) -> BoxFuture<'_, Result<Arc<Plugin>, LoadFailure>>;

    /// Returns whether the cache contains compiled code of a component.
    fn has_compiled_code(&self, sha256: &[u8; 32]) -> bool;

    /// Removes the compiled code of a component from the cache. Loaded plugins keep running.
    fn remove_compiled_code(&self, sha256: &[u8; 32]);

    /// Removes cached code that is older than `before` and belongs to none of the components in
    /// `keep`; returns the number of removed entries. Loaded plugins keep running. Blocks.
    fn sweep_compiled_code(&self, keep: &HashSet<[u8; 32]>, before: SystemTime) -> io::Result<usize>;
}

/// The reason why a plugin could not be loaded.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct LoadFailure {
    /// The plugin and the reason, for its owner and the operator.
    pub reason: String,
    /// Whether loading the same bytes may succeed later.
    pub is_transient: bool,
    /// Whether the machine was too busy to examine the plugin.
    pub is_busy: bool,
}
