//! `PluginSpec`: a plugin to load, and its limits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use semver::Version;
use tollbridge_core::config::{Grant, HostPattern, Secret};
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_core::limits::BODY_BYTES_MAX;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_registry::limits::OUTPUT_BYTES_MAX;
use tollbridge_registry::{Limits, Table};

use crate::runtime_limits::RuntimeLimits;

/// The limits of one plugin, capped by the operator's ceilings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallLimits {
    /// Maximum total size of all memories of one instance, in bytes.
    pub memory_bytes: usize,
    /// Maximum wall-clock time of one call, measured from the start of its instance.
    pub time: Duration,
    /// Maximum number of concurrent calls.
    pub concurrency: u32,
    /// Maximum size of an input, in bytes.
    pub input_bytes: usize,
    /// Maximum size of an output, in bytes.
    pub output_bytes: usize,
    /// Maximum total size of the keys and values in one bucket, in bytes.
    pub kv_bytes: usize,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            memory_bytes: 16 << 20,
            time: Duration::from_secs(2),
            concurrency: 16,
            input_bytes: 64 << 10,
            output_bytes: 256 << 10,
            kv_bytes: 1 << 20,
        }
    }
}

impl From<&Limits> for CallLimits {
    fn from(limits: &Limits) -> Self {
        let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        Self {
            memory_bytes: size(limits.memory_mib) << 20,
            time: Duration::from_millis(limits.time_ms),
            concurrency: u32::try_from(limits.concurrency).unwrap_or(u32::MAX),
            input_bytes: size(limits.input_bytes),
            output_bytes: size(limits.output_bytes),
            kv_bytes: size(limits.kv_bytes),
        }
    }
}

impl CallLimits {
    /// Returns these limits, capped by the operator's limits.
    #[must_use]
    pub fn within(mut self, limits: &RuntimeLimits) -> Self {
        self.memory_bytes = self.memory_bytes.min(limits.max_memory);
        self.time = self.time.min(limits.max_time);
        self.concurrency = self.concurrency.clamp(1, limits.share);
        self.input_bytes = self.input_bytes.min(BODY_BYTES_MAX);
        self.output_bytes = self.output_bytes.min(OUTPUT_BYTES_MAX);
        self
    }
}

/// A plugin to load. The registry has already verified its signature and digest.
#[derive(Clone, Debug)]
pub struct PluginSpec {
    /// Name of the plugin, `[a-z0-9_-]{1,64}`.
    pub name: String,
    /// Bridge or agent, which determines the world that the component must fit.
    pub kind: PluginKind,
    /// Version of the plugin, for logs and reports.
    pub version: Version,
    /// The account that deployed the plugin. All plugins of an account share call slots and compile
    /// slots. `None` for plugins that the operator trusts.
    pub tenant: Option<TenantName>,
    /// The component's bytes.
    pub wasm: Bytes,
    /// SHA-256 of `wasm`; the key of the compiled code in the cache.
    pub sha256: [u8; 32],
    /// Grants that the manifest requests.
    pub asked: BTreeSet<Grant>,
    /// Grants that the operator allows this plugin.
    pub allowed: BTreeSet<Grant>,
    /// Hosts that both the manifest and the operator allow.
    pub allow_hosts: Vec<HostPattern>,
    /// Plugins that this plugin may call, as its manifest names them.
    pub callees: BTreeSet<(PluginKind, String)>,
    /// The limits that the manifest sets.
    pub limits: CallLimits,
    /// An input schema that replaces the one in the component's description.
    pub input_schema: Option<String>,
    /// The configuration values that the plugin reads: the operator's, and those of a declared
    /// agent.
    pub config: BTreeMap<String, String>,
    /// Secrets that the plugin may use but not read.
    pub secrets: BTreeMap<String, Secret>,
    /// The tables that the plugin may open through its `tables` grant.
    pub tables: BTreeMap<String, Arc<Table>>,
}
