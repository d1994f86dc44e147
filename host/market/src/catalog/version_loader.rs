//! Loads a version from the registry as a callable plugin.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tollbridge_core::config::PluginsConfig;
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_plugin::{Plugin, PluginLoader};
use tollbridge_registry::{
    Candidate, Digest, Limits, Manifest, ScanTime, Scanner, TableCache, VersionFiles, with_operator_tables,
};

use super::needs::Needs;
use super::trial_load::{TrialError, TrialLoad};

/// A reason why a version does not serve, as text for the operator.
pub(super) type Reason = String;

/// The reason a version was not loaded.
pub(super) enum LoadError {
    /// The version cannot work; it is skipped until its bytes change.
    Permanent(Reason),
    /// A temporary obstacle; the following passes try again, up to a limit.
    Transient(Reason),
    /// The version's files are still changing; the next pass tries again.
    Changing(Reason),
}

/// The loader that reads, compiles and checks versions within the operator's limits.
pub(super) struct VersionLoader {
    pub(super) policy: PluginsConfig,
    pub(super) plugins: Arc<dyn PluginLoader>,
    pub(super) scanner: Arc<Mutex<Scanner>>,
    /// Cache of tables, shared by all plugins.
    pub(super) table_cache: Arc<TableCache>,
}

impl VersionLoader {
    /// Loads an account's component as if it were published with this manifest, then
    /// unloads it. An error explains to the component's author why it cannot serve.
    pub(super) async fn trial(
        &self,
        account: &str,
        manifest: &Manifest,
        wasm: Vec<u8>,
    ) -> Result<TrialLoad, TrialError> {
        self.check(manifest).map_err(TrialError::Refused)?;
        let sha256 = Digest::of(&wasm).bytes();
        let spec = super::spec::of(manifest, sha256, wasm, BTreeMap::new(), &self.policy);
        let mut spec = spec.map_err(TrialError::Refused)?;
        Needs::of(manifest, &spec).map_err(TrialError::Refused)?;
        spec.tenant = Some(account.into());
        let trial = TrialLoad::begin(&self.plugins, sha256);
        self.plugins.load(spec).await.map_err(TrialError::from)?;
        Ok(trial)
    }

    /// Loads a version from the registry. At most one version of each account is compiled
    /// at a time.
    pub(super) async fn load(
        &self,
        candidate: Arc<Candidate>,
        tenant: Option<TenantName>,
    ) -> Result<(Arc<Plugin>, Needs), LoadError> {
        let manifest = &candidate.manifest;
        self.check(manifest).map_err(LoadError::Permanent)?;
        let VersionFiles { wasm, tables } = self.read(candidate.clone()).await.map_err(LoadError::Changing)?;
        let settings = self.policy.of(manifest.id.name.as_str());
        let operators = settings.map(|settings_of_plugin| settings_of_plugin.tables.clone()).unwrap_or_default();
        let table_cache = self.table_cache.clone();
        let tables = tokio::task::spawn_blocking(move || with_operator_tables(tables, &operators, &table_cache));
        let tables =
            tables.await.map_err(|error| LoadError::Transient(error.to_string()))?.map_err(LoadError::Permanent)?;
        let sha256 = candidate.component.sha256.bytes();
        let mut spec = super::spec::of(manifest, sha256, wasm, tables, &self.policy).map_err(LoadError::Permanent)?;
        if tenant.is_some() && settings.is_some_and(|settings_of_plugin| settings_of_plugin.keep_inputs > 0) {
            let name = &manifest.id.name;
            tracing::warn!(plugin = %manifest.id, "deployed by an account: plugins.{name}.keep_inputs does not apply");
        }
        spec.tenant = tenant;
        let needs = Needs::of(manifest, &spec).map_err(LoadError::Permanent)?;
        let plugin = self.plugins.load(spec).await.map_err(|error| {
            let reason = error.to_string();
            if error.is_transient { LoadError::Transient(reason) } else { LoadError::Permanent(reason) }
        })?;
        Ok((plugin, needs))
    }

    /// Returns whether a version can be loaded without compiling.
    pub(super) fn has_compiled_code(&self, candidate: &Candidate) -> bool {
        self.plugins.has_compiled_code(&candidate.component.sha256.bytes())
    }

    async fn read(&self, candidate: Arc<Candidate>) -> Result<VersionFiles, Reason> {
        let scanner = self.scanner.clone();
        let read = tokio::task::spawn_blocking(move || scanner.lock().load(&candidate, ScanTime::now())).await;
        read.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
    }

    /// Checks a manifest against the operator's configuration, before any file of the
    /// version is read.
    fn check(&self, manifest: &Manifest) -> Result<(), Reason> {
        let name = &manifest.id.name;
        if self.policy.of(name.as_str()).is_some_and(|settings_of_plugin| !settings_of_plugin.enabled) {
            return Err(format!("plugins.{name}.enabled is false in the operator's configuration"));
        }
        manifest.limits.within(&ceilings(&self.policy)).map_err(|error| error.to_string())
    }
}

/// Returns the operator's upper bounds for the limits that manifests set.
fn ceilings(policy: &PluginsConfig) -> Limits {
    Limits {
        memory_mib: u64::try_from(policy.max_memory.as_usize() >> 20).unwrap_or(0),
        time_ms: u64::try_from(policy.max_time.as_millis()).unwrap_or(u64::MAX),
        ..Limits::MAX
    }
}
