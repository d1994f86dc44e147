//! `PluginSpec`: a plugin to be loaded, and its limits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use semver::Version;
use tollbridge_core::config::{Grant, HostPattern, Secret};
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_core::limits::{BODY_BYTES_MAX, OUTPUT_BYTES_MAX};
use tollbridge_core::plugin_kind::PluginKind;

use super::engine::RuntimeLimits;
use crate::registry::{Limits, Table};

/// The limits of one plugin. They are capped by the operator's ceilings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallLimits {
    /// All memories of one instance, bytes.
    pub memory_bytes: usize,
    /// Wall-clock time of one call, from the start of its instance.
    pub time: Duration,
    /// Concurrent calls.
    pub concurrency: u32,
    /// The largest input, bytes.
    pub input_bytes: usize,
    /// The largest output, bytes.
    pub output_bytes: usize,
    /// Keys and values of one bucket, bytes.
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
    pub(super) fn within(mut self, limits: &RuntimeLimits) -> Self {
        self.memory_bytes = self.memory_bytes.min(limits.max_memory);
        self.time = self.time.min(limits.max_time);
        self.concurrency = self.concurrency.clamp(1, limits.share);
        self.input_bytes = self.input_bytes.min(BODY_BYTES_MAX);
        self.output_bytes = self.output_bytes.min(OUTPUT_BYTES_MAX);
        self
    }
}

/// A plugin to be loaded. Signature and digest were checked by the registry.
#[derive(Clone, Debug)]
pub struct PluginSpec {
    /// `[a-z0-9_-]{1,64}`
    pub name: String,
    /// The world that the component must fit.
    pub kind: PluginKind,
    /// The version, for logs and reports.
    pub version: Version,
    /// The account that deployed it: its plugins share places, and take turns at being compiled.
    /// `None` for plugins that the operator trusts.
    pub tenant: Option<TenantName>,
    /// The component.
    pub wasm: Bytes,
    /// Digest of `wasm`; names its compiled code in the cache.
    pub sha256: [u8; 32],
    /// Grants that the manifest requests.
    pub asked: BTreeSet<Grant>,
    /// Grants that the operator allows this plugin.
    pub allowed: BTreeSet<Grant>,
    /// Hosts that both the manifest and the operator name.
    pub allow_hosts: Vec<HostPattern>,
    /// Plugins that it may call, as its manifest names them.
    pub callees: BTreeSet<(PluginKind, String)>,
    /// The limits in the manifest.
    pub limits: CallLimits,
    /// Replaces the input schema that the component describes.
    pub input_schema: Option<String>,
    /// The operator's configuration of this plugin, and its declaration.
    pub config: BTreeMap<String, String>,
    /// Secrets that it may use but not read.
    pub secrets: BTreeMap<String, Secret>,
    /// The tables that it may open through its `tables` grant.
    pub tables: BTreeMap<String, Arc<Table>>,
}
