//! The reconciler: keeps the live catalog in line with the plugin registry and the
//! operator's decisions.
//!
//! One pass inspects all plugins and acts on changes: scan the registry, choose versions,
//! seal the activation, swap the version in. Passes never overlap. A chosen version that
//! is not loaded yet is verified and compiled in the background (`loads.rs`), so no pass,
//! and hence no other plugin, waits for it. If any step fails, the old version continues
//! to serve and the failure is reported; failed versions are skipped until their bytes
//! change or the process restarts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, OnceCell};
use tokio::time::Instant;
use tollbridge_core::config::PluginsConfig;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry as LedgerEntry, Notary, PluginAct, PluginVerb};
use tollbridge_plugin::{Models, PluginLoader};
use tollbridge_registry::{
    Action, AutoActivate, Candidate, Decision, Digest, HoldReason, Manifest, PluginId, PluginState, PluginVersions,
    Publishers, RegistryWatch, Scan, ScanTime, Scanner, SelectionInput, StopReason, distrusted, select_version,
};
use tollbridge_store::{Collection, Expect, Put, Store, StoreError};

use super::aside::AsideLoader;
use super::deployers::tenant_of;
use super::load_order::LoadOrder;
use super::loads::{Asked, Loads, Patience};
use super::logs::PluginLogs;
use super::offer::{LoadedVersion, Offer};
use super::public_versions::public_versions;
use super::report::{PluginReport, Reports, TableReport};
use super::snapshot::{Catalog, CatalogEntry, LOADING};
use super::sweep::Sweep;
use super::trial_load::{TrialError, TrialLoad};
use super::trust::Trust;
use super::version_loader::{LoadError, Reason, VersionLoader};
use crate::limits::{ACCOUNTS_LOADING_MS, LOAD_TRIES_MAX};

/// The configuration of the reconciler.
pub struct CatalogReconcilerSettings {
    /// Folder of the plugin registry.
    pub registry: PathBuf,
    /// File of trusted publishers.
    pub publishers_file: PathBuf,
    /// The operator's settings for plugins.
    pub plugins: PluginsConfig,
}

/// The reconciler of the live catalog; see the module documentation.
pub struct CatalogReconciler {
    settings: CatalogReconcilerSettings,
    /// The catalog that the passes keep up to date.
    pub catalog: Arc<Catalog>,
    /// Loads versions that do not serve.
    pub aside: Arc<AsideLoader>,
    /// The logs of all plugins.
    pub logs: PluginLogs,
    /// Access to models, to find out whether offers that need a model can be answered.
    pub(super) models: Arc<dyn Models>,
    loader: Arc<VersionLoader>,
    /// Order in which plugins load, determined at start-up, when most versions are
    /// loaded.
    order: OnceCell<LoadOrder>,
    pub(super) loads: Loads,
    store: Arc<dyn Store>,
    pub(super) notary: Arc<Notary>,
    /// State of the passes; locked during a whole pass, so that passes never overlap.
    pass: tokio::sync::Mutex<Pass>,
    reports: Mutex<Reports>,
    pub(super) pass_requested: Arc<Notify>,
    pub(super) now_ms: fn() -> u64,
}

/// State that is carried from one pass to the next.
struct Pass {
    scanner: Arc<Mutex<Scanner>>,
    serving: BTreeMap<PluginId, Arc<Candidate>>,
    /// Versions that failed to load, by plugin, with the reason.
    failed: BTreeMap<PluginId, Vec<(Digest, String)>>,
    /// Number of attempts to load a version after transient errors.
    tried: BTreeMap<Digest, u32>,
    sweep: Sweep,
}

/// The reason a version was not activated in this pass.
enum NotActivated {
    /// The version is still loading; a later pass continues.
    Loading,
    /// The version failed to load or to be activated; it is skipped.
    Failed(LoadError),
}

impl From<LoadError> for NotActivated {
    fn from(error: LoadError) -> Self {
        Self::Failed(error)
    }
}

impl CatalogReconciler {
    /// Creates the reconciler from its parts.
    pub fn new(
        settings: CatalogReconcilerSettings,
        catalog: Arc<Catalog>,
        plugins: Arc<dyn PluginLoader>,
        models: Arc<dyn Models>,
        store: Arc<dyn Store>,
        notary: Arc<Notary>,
        now_ms: fn() -> u64,
    ) -> Self {
        let scanner = Scanner::new(settings.registry.clone());
        let (table_cache, scanner) = (scanner.table_cache(), Arc::new(Mutex::new(scanner)));
        let policy = settings.plugins.clone();
        let loader = Arc::new(VersionLoader { policy, plugins, scanner: scanner.clone(), table_cache });
        let pass_requested = Arc::new(Notify::new());
        let (serving, failed, tried) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let pass = Pass { scanner, serving, failed, tried, sweep: Sweep::default() };
        let aside = AsideLoader {
            publishers_file: settings.publishers_file.clone(),
            store: store.clone(),
            loader: loader.clone(),
            models: models.clone(),
        };
        Self {
            settings,
            aside: Arc::new(aside),
            logs: PluginLogs::new(catalog.clone()),
            catalog,
            models,
            loads: Loads::new(loader.clone(), pass_requested.clone()),
            loader,
            order: OnceCell::new(),
            store,
            notary,
            pass: tokio::sync::Mutex::new(pass),
            reports: Mutex::default(),
            pass_requested,
            now_ms,
        }
    }

    /// Runs a pass whenever the registry or a decision changes, until the process ends.
    pub async fn run(&self, mut watch: RegistryWatch) {
        loop {
            tokio::select! {
                () = watch.changed() => {}
                () = self.pass_requested.notified() => {}
            }
            if self.pass().await {
                // Files are still being copied; scan again shortly.
                tokio::time::sleep(Duration::from_millis(250)).await;
                self.request_pass();
            }
        }
    }

    /// Requests a pass soon; for example after a decision of the operator.
    pub fn request_pass(&self) {
        self.pass_requested.notify_one();
    }

    /// Returns the report of every plugin, for the operator.
    pub fn reports(&self) -> Vec<PluginReport> {
        self.reports_by_id().into_iter().map(|(_, report)| report).collect()
    }

    /// Returns the report of every plugin, with the plugin's id.
    pub fn reports_by_id(&self) -> Vec<(PluginId, PluginReport)> {
        let snapshot = self.catalog.snapshot();
        let reports = self.reports.lock().plugins.clone();
        let current = reports.into_iter().map(|(id, mut report)| {
            if let Some(CatalogEntry::Live(offer)) = snapshot.entry(id.kind, id.name.as_str()) {
                report.canary = offer.canary().map(|canary| canary.trial.report()).or(report.canary);
                if let Some(unmet) = snapshot.unmet_need(offer) {
                    report.lack(&unmet);
                }
            }
            (id, report)
        });
        current.collect()
    }

    /// Returns whether a version waits for the operator's approval.
    pub fn waits(&self, id: &PluginId, version: &str) -> bool {
        let reports = self.reports.lock();
        reports.plugins.get(id).is_some_and(|report| report.waiting.as_deref() == Some(version))
    }

    /// Returns registry entries that are not plugins, with the reason.
    pub fn strays(&self) -> Vec<(String, String)> {
        self.reports.lock().strays.clone()
    }

    /// Runs the first pass: afterwards all plugins in the registry are known and their
    /// versions are loading.
    pub async fn begin(&self) {
        self.pass().await;
    }

    /// Returns the number of versions that are loading or waiting to be loaded.
    pub fn loading(&self) -> usize {
        self.loads.running()
    }

    /// Runs passes until all plugins of the operator are up to date; waits only briefly
    /// for plugins that accounts deployed.
    pub async fn refresh(&self) {
        let until = Instant::now().checked_add(Duration::from_millis(ACCOUNTS_LOADING_MS));
        let moment = || until.unwrap_or_else(Instant::now).saturating_duration_since(Instant::now());
        loop {
            self.pass().await;
            let own = self.loads.idle(Patience::Always).await;
            let accounts = tokio::time::timeout(moment(), self.loads.idle(Patience::Briefly)).await;
            if !own && !accounts.unwrap_or(false) {
                return;
            }
        }
    }

    /// Runs passes until one plugin is up to date, regardless of other plugins.
    pub async fn refresh_plugin(&self, id: &PluginId) {
        loop {
            self.pass().await;
            if !self.loads.settled(id).await {
                return;
            }
        }
    }

    /// Runs one pass. Returns whether part of the registry was still changing.
    async fn pass(&self) -> bool {
        let mut pass = self.pass.lock().await;
        let trust = match Trust::read(&self.settings.publishers_file, self.store.as_ref()) {
            Ok(trust) => trust,
            Err(reason) => {
                tracing::error!(%reason, "cannot read the trusted publishers; nothing is changed");
                return false;
            }
        };
        let Some(scan) = pass.scan(trust.publishers.clone()).await else { return true };
        if let Some(fault) = &scan.fault {
            tracing::error!(%fault, "cannot read the registry; nothing is changed");
            return true;
        }
        let mut settling = scan.settling;
        let none = PluginVersions::default();
        self.loads.begin_pass();
        let ids: BTreeSet<PluginId> = scan.plugins.keys().chain(pass.serving.keys()).cloned().collect();
        let order = self.order.get_or_init(|| LoadOrder::read(self.notary.clone())).await;
        for id in &order.sorted(&ids) {
            let versions = scan.plugins.get(id).unwrap_or(&none);
            match self.follow(&mut pass, id, versions, &trust).await {
                Ok(again) => settling |= again,
                Err(error) => tracing::error!(plugin = %id, %error, "the store failed while updating a plugin"),
            }
        }
        self.loads.end_pass();
        // While files are being copied, a component may be missing only for a moment, so
        // its compiled code must not be swept.
        if !settling {
            let Pass { sweep, serving, .. } = &mut *pass;
            sweep.run(&self.loader.plugins, &scan.plugins, serving, (self.now_ms)()).await;
        }
        let mut reports = self.reports.lock();
        reports.plugins.retain(|id, _| ids.contains(id));
        reports.strays = scan.strays;
        self.logs.retain(&ids);
        let (tables, bytes) = self.loader.table_cache.usage();
        metrics::gauge!("tollbridge_tables").set(tables as f64);
        metrics::gauge!("tollbridge_table_bytes").set(bytes as f64);
        settling
    }

    /// Brings one plugin up to date during a pass. Returns whether another pass should
    /// follow soon.
    async fn follow(
        &self,
        pass: &mut Pass,
        id: &PluginId,
        versions: &PluginVersions,
        trust: &Trust,
    ) -> Result<bool, StoreError> {
        let (mut state, mut row) = self.state(id)?;
        state.learn(&versions.candidates);
        // Versions to skip in this pass only, in addition to those in `pass.failed`.
        let mut passed_over: Vec<(Digest, Reason)> = Vec::new();
        let decision = loop {
            let failed: Vec<Digest> = pass.failures(id).chain(&passed_over).map(|(digest, _)| *digest).collect();
            let decision = select_version(&SelectionInput {
                state: &state,
                candidates: &versions.candidates,
                publishers: &trust.publishers,
                revoked: &trust.revoked,
                serving: pass.serving.get(id).map(Arc::as_ref),
                failed: &failed,
            });
            let Action::Activate(version) = &decision.action else { break decision };
            let Some(candidate) = versions.candidates.get(version).cloned() else { break decision };
            match self.activate(pass, id, &candidate, trust, (&mut state, &mut row)).await {
                // Choose again: once this version is active, a higher one may be
                // permitted.
                Ok(()) => {}
                Err(NotActivated::Loading) => {
                    // The serving version continues to serve, unless its publisher is no
                    // longer trusted.
                    let cause = pass.serving.get(id).and_then(|one| distrusted(&trust.publishers, &trust.revoked, one));
                    if let Some(cause) = cause {
                        self.stop(pass, id, versions, &cause, trust);
                    }
                    self.show_loading(id, &candidate);
                    break decision;
                }
                Err(NotActivated::Failed(LoadError::Transient(reason) | LoadError::Changing(reason))) => {
                    tracing::info!(plugin = %id, version = %version, %reason, "could not load a version yet");
                    passed_over.push((candidate.digest, reason));
                }
                Err(NotActivated::Failed(LoadError::Permanent(reason))) => {
                    tracing::warn!(plugin = %id, version = %version, %reason, "could not load a version; the previous version continues to serve");
                    pass.failed.entry(id.clone()).or_default().push((candidate.digest, reason));
                }
            }
        };
        if let Action::Stop(cause) = &decision.action {
            self.stop(pass, id, versions, cause, trust);
        }
        self.follow_canary(id, &versions.candidates, trust, (&mut state, &mut row)).await?;
        let failures: Vec<_> = pass.failures(id).chain(&passed_over).cloned().collect();
        self.report(pass, id, versions, &state, &decision, &failures);
        Ok(!passed_over.is_empty())
    }

    /// Activates a loaded version: seals a record of the activation, and only then swaps
    /// the version in.
    async fn activate(
        &self,
        pass: &mut Pass,
        id: &PluginId,
        candidate: &Arc<Candidate>,
        trust: &Trust,
        (state, row): (&mut PluginState, &mut Option<Vec<u8>>),
    ) -> Result<(), NotActivated> {
        let publisher = trust.publishers.find(&candidate.manifest.publisher);
        let publisher = publisher.ok_or_else(|| LoadError::Transient("its publisher is not trusted".to_owned()))?;
        let (began, loaded) = match self.loads.take(candidate, tenant_of(publisher)) {
            Asked::Loading => return Err(NotActivated::Loading),
            Asked::Ended(began, loaded) => (began, loaded),
        };
        let (plugin, needs) = loaded.map_err(|trouble| pass.judge(candidate.digest, trouble))?;
        let owner = publisher.account.clone();
        let mut next = state.clone();
        next.activate_at(candidate, (self.now_ms)());
        let put = Put {
            collection: Collection::Plugins,
            key: id.row_key(),
            value: Some(next.to_row().map_err(|error| LoadError::Permanent(error.to_string()))?),
            expect: row.clone().map_or(Expect::Absent, Expect::Exactly),
        };
        let act = PluginAct {
            act: PluginVerb::Activate,
            plugin: id.name.to_string(),
            plugin_kind: id.kind,
            version: Some(candidate.version().to_string()),
            component_sha256: Some(candidate.component.sha256.bytes()),
            publisher: Some(candidate.manifest.publisher.to_string()),
            by: "publisher".to_owned(),
        };
        // After a restart the version is already recorded as active; do not seal that again.
        if next != *state || row.is_none() {
            let value = put.value.clone();
            let sealed = self.notary.note(&LedgerEntry::Plugin(act), vec![put], (self.now_ms)()).await;
            sealed.map_err(|error| LoadError::Transient(format!("sealing its activation failed: {error}")))?;
            *row = value;
        }
        *state = next;
        let plugin = LoadedVersion { plugin, needs, models: self.models.clone() };
        let offer = Offer::of(candidate, owner, plugin, state.was_sold());
        self.logs.keep(id);
        self.catalog.set(id.kind, id.name.as_str(), Some(CatalogEntry::Live(Arc::new(offer))));
        pass.serving.insert(id.clone(), candidate.clone());
        metrics::histogram!("tollbridge_swap_seconds").record(began.elapsed().as_secs_f64());
        tracing::info!(plugin = %id, version = %candidate.version(), took = ?began.elapsed(), "version serves");
        Ok(())
    }

    /// Loads an account's component as if it were published with this manifest, then
    /// unloads it. An error explains to the component's author why it cannot serve.
    pub async fn trial_load(&self, account: &str, manifest: &Manifest, wasm: Vec<u8>) -> Result<TrialLoad, TrialError> {
        self.loader.trial(account, manifest, wasm).await
    }

    /// Lists a plugin as loading, unless a version of it serves.
    fn show_loading(&self, id: &PluginId, candidate: &Candidate) {
        if !matches!(self.catalog.snapshot().entry(id.kind, id.name.as_str()), Some(CatalogEntry::Live(_))) {
            let (purpose, price) = (candidate.manifest.purpose.clone(), Some(candidate.manifest.price));
            let entry = CatalogEntry::Down { purpose, price, reason: LOADING.to_owned(), disabled: false };
            self.catalog.set(id.kind, id.name.as_str(), Some(entry));
        }
    }

    fn stop(&self, pass: &mut Pass, id: &PluginId, versions: &PluginVersions, cause: &StopReason, trust: &Trust) {
        let was = pass.serving.remove(id);
        self.logs.keep(id);
        let newest = versions.candidates.values().next_back();
        // Do not list an account's first version before it is approved.
        let unapproved = matches!(cause, StopReason::Held { obstacle: HoldReason::Waiting(_), .. });
        let deployed = newest.and_then(|one| trust.publishers.find(&one.manifest.publisher));
        if unapproved && was.is_none() && deployed.is_some_and(|by| by.auto_activate == AutoActivate::Agents) {
            return self.catalog.set(id.kind, id.name.as_str(), None);
        }
        let (purpose, price) = match newest.or(was.as_ref()).map(|one| &one.manifest) {
            Some(manifest) => (manifest.purpose.clone(), Some(manifest.price)),
            None => self.listed(id),
        };
        if was.is_some() {
            tracing::warn!(plugin = %id, %cause, "plugin stopped");
        }
        let disabled = matches!(cause, StopReason::Disabled);
        let entry = CatalogEntry::Down { purpose, price, reason: cause.to_string(), disabled };
        self.catalog.set(id.kind, id.name.as_str(), Some(entry));
    }

    /// Returns the purpose and price currently in the catalog, for a plugin that has no
    /// versions.
    fn listed(&self, id: &PluginId) -> (String, Option<Millipence>) {
        match self.catalog.snapshot().entry(id.kind, id.name.as_str()) {
            Some(CatalogEntry::Live(offer)) => (offer.purpose.clone(), Some(offer.price)),
            Some(CatalogEntry::Down { purpose, price, .. }) => (purpose.clone(), *price),
            None => (String::new(), None),
        }
    }

    fn report(
        &self,
        pass: &Pass,
        id: &PluginId,
        versions: &PluginVersions,
        state: &PluginState,
        decision: &Decision,
        failures: &[(Digest, Reason)],
    ) {
        let serving = pass.serving.get(id).map(Arc::as_ref);
        let mut report = PluginReport::new(id, versions, state, decision, serving, failures);
        if let Some(CatalogEntry::Live(offer)) = self.catalog.snapshot().entry(id.kind, id.name.as_str()) {
            report.tables = offer.plugin.tables().map(|(name, table)| TableReport::new(name, table)).collect();
            report.canary = offer.canary().map(|canary| canary.trial.report()).or(report.canary);
        }
        let on_trial = report.canary.as_ref().filter(|canary| canary.serves).map(|canary| canary.version.as_str());
        self.catalog.list_versions(id, public_versions(versions, state, serving, on_trial));
        self.reports.lock().plugins.insert(id.clone(), report);
    }

    /// Returns the operator's decisions about a plugin, and the row in which they are
    /// stored.
    fn state(&self, id: &PluginId) -> Result<(PluginState, Option<Vec<u8>>), StoreError> {
        let row = self.store.get(Collection::Plugins, &id.row_key())?;
        let state = match &row {
            Some(bytes) => PluginState::from_row(bytes)
                .map_err(|error| StoreError { doing: "reading a plugin's state", source: Box::new(error) })?,
            None => PluginState::default(),
        };
        Ok((state, row))
    }
}

impl Pass {
    /// Reads the registry on a blocking thread.
    async fn scan(&self, publishers: Publishers) -> Option<Scan> {
        let scanner = self.scanner.clone();
        let scan = tokio::task::spawn_blocking(move || scanner.lock().scan(&publishers, ScanTime::now())).await;
        scan.inspect_err(|error| tracing::error!(%error, "could not scan the registry")).ok()
    }

    /// Converts a transient error into a permanent one after too many attempts. Errors
    /// because files are still changing are exempt, because copying may take any time.
    fn judge(&mut self, digest: Digest, trouble: LoadError) -> LoadError {
        let LoadError::Transient(reason) = trouble else { return trouble };
        let tried = self.tried.entry(digest).or_default();
        *tried += 1;
        if *tried < LOAD_TRIES_MAX {
            return LoadError::Transient(reason);
        }
        self.tried.remove(&digest);
        LoadError::Permanent(format!("{reason} (tried {LOAD_TRIES_MAX} times)"))
    }

    fn failures(&self, id: &PluginId) -> impl Iterator<Item = &(Digest, Reason)> {
        self.failed.get(id).into_iter().flatten()
    }
}
