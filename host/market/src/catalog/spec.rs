//! From a manifest and the operator's policy to what the runtime loads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tollbridge_core::config::{Grant, Plugins as PluginPolicy};
use tollbridge_runtime::plugins::{CallLimits, PluginSpec};
use tollbridge_runtime::registry::{Declaration, Kind, Limits, Manifest, Table};
use tollbridge_store::Hash;

/// What a version asks for and what of it the operator allows.
pub(super) fn of(
    manifest: &Manifest,
    sha256: Hash,
    wasm: Vec<u8>,
    tables: BTreeMap<String, Arc<Table>>,
    policy: &PluginPolicy,
) -> Result<PluginSpec, String> {
    let name = manifest.id.name.as_str();
    let own = policy.of(name);
    let allowed: BTreeSet<Grant> = Grant::ALL.into_iter().filter(|grant| policy.allows(name, *grant)).collect();
    let mut allow_hosts = Vec::new();
    for host in &manifest.allow_hosts {
        if !policy.allow_hosts.iter().any(|allowed| allowed.covers(host)) {
            return Err(format!(
                "it asks to reach {host}, which plugins.allow_hosts does not list; add \"{host}\" to allow it"
            ));
        }
        allow_hosts.push(host.clone());
    }
    // Of what both say, the operator's word counts.
    let declared = manifest.declaration.iter().flat_map(Declaration::config);
    let configured = own.map(|own| own.config.clone()).unwrap_or_default();
    Ok(PluginSpec {
        name: name.to_owned(),
        kind: manifest.id.kind,
        version: manifest.version.clone(),
        wasm: Arc::from(wasm),
        sha256,
        asked: manifest.grants.clone(),
        allowed,
        allow_hosts,
        callees: callees(manifest),
        limits: call_limits(&manifest.limits),
        input_schema: manifest.declaration.as_ref().and_then(|one| one.input_schema.clone()),
        config: declared.chain(configured).collect(),
        secrets: own.map(|own| own.secrets.clone()).unwrap_or_default(),
        tables,
    })
}

/// The plugins that a manifest names as those it calls.
pub fn callees(manifest: &Manifest) -> BTreeSet<(Kind, String)> {
    let bridges = manifest.bridges.iter().map(|name| (Kind::Bridge, name.to_string()));
    bridges.chain(manifest.agents.iter().map(|name| (Kind::Agent, name.to_string()))).collect()
}

/// A manifest's limits as the runtime counts them.
pub fn call_limits(limits: &Limits) -> CallLimits {
    let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    CallLimits {
        memory_bytes: size(limits.memory_mib) << 20,
        time: Duration::from_millis(limits.time_ms),
        concurrency: u32::try_from(limits.concurrency).unwrap_or(u32::MAX),
        input_bytes: size(limits.input_bytes),
        output_bytes: size(limits.output_bytes),
        kv_bytes: size(limits.kv_bytes),
    }
}
