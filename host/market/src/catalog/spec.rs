//! Builds the specification from which the runtime loads a plugin.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tollbridge_core::config::{Grant, PluginsConfig};
use tollbridge_plugin::{CallLimits, PluginSpec};
use tollbridge_registry::{Declaration, Manifest, Table};
use tollbridge_store::Hash;

/// Combines the resources that a version requests in its manifest with the operator's
/// permissions.
pub(super) fn of(
    manifest: &Manifest,
    sha256: Hash,
    wasm: Vec<u8>,
    tables: BTreeMap<String, Arc<Table>>,
    policy: &PluginsConfig,
) -> Result<PluginSpec, String> {
    let name = manifest.id.name.as_str();
    let plugin_settings = policy.of(name);
    let allowed: BTreeSet<Grant> = Grant::ALL.into_iter().filter(|grant| policy.allows(name, *grant)).collect();
    let mut allow_hosts = Vec::new();
    for host in &manifest.allow_hosts {
        if !policy.allow_hosts.iter().any(|allowed| allowed.covers(host)) {
            return Err(format!(
                "it requests access to {host}, which plugins.allow_hosts does not list; add \"{host}\" to allow it"
            ));
        }
        allow_hosts.push(host.clone());
    }
    // If manifest and operator set the same value, the operator's value applies.
    let declared = manifest.declaration.iter().flat_map(Declaration::config);
    let configured = plugin_settings.map(|plugin_settings| plugin_settings.config.clone()).unwrap_or_default();
    Ok(PluginSpec {
        name: name.to_owned(),
        kind: manifest.id.kind,
        version: manifest.version.clone(),
        tenant: None,
        wasm: wasm.into(),
        sha256,
        asked: manifest.grants.clone(),
        allowed,
        allow_hosts,
        callees: manifest.callees(),
        limits: CallLimits::from(&manifest.limits),
        input_schema: manifest.declaration.as_ref().and_then(|one| one.input_schema.clone()),
        config: declared.chain(configured).collect(),
        secrets: plugin_settings.map(|plugin_settings| plugin_settings.secrets.clone()).unwrap_or_default(),
        tables,
    })
}
