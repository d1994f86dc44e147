//! The reconciler: makes the live offer follow the registry and the operator.
//!
//! One pass looks at everything and acts on what changed: scan → choose →
//! seal the activation → swap. Passes never overlap. What is chosen and not
//! loaded yet is verified and compiled beside the passes (`loads.rs`): no pass,
//! and so no other plugin, waits for it. Any failure leaves the old version
//! serving and is reported; the versions that failed are passed over until their
//! bytes change or the process restarts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Notify, OnceCell};
use tollbridge_core::config::PluginsConfig;
use tollbridge_core::limits::{ACCOUNTS_LOADING_MS, LOAD_TRIES_MAX};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry as LedgerEntry, Notary, PluginAct, PluginVerb};
use tollbridge_runtime::plugins::{Models, Runtime};
use tollbridge_runtime::registry::{
    Action, AutoActivate, Candidate, Decision, Digest, HoldReason, Manifest, PluginId, PluginState, PluginVersions,
    Publishers, RegistryWatch, Revocation, Revocations, Scan, ScanTime, Scanner, SelectionInput, StopReason,
    distrusted, select_version,
};
use tollbridge_store::{Collection, Expect, Put, Rows, Store, StoreError};

use super::deployers::{publishers, tenant_of};
use super::kept_logs::KeptLogs;
use super::load_order::LoadOrder;
use super::loads::{Asked, Loads, Patience};
use super::offer::{LoadedVersion, Offer};
use super::public_versions::public_versions;
use super::report::{PluginReport, Reports, TableReport};
use super::snapshot::{Catalog, CatalogEntry, LOADING};
use super::sweep::Sweep;
use super::trial_load::{TrialError, TrialLoad};
use super::version_loader::{LoadError, Reason, VersionLoader};

/// What the reconciler needs to know of the configuration.
pub struct CatalogReconcilerSettings {
    /// Folder of the plugin registry.
    pub registry: PathBuf,
    /// File of trusted publishers.
    pub publishers_file: PathBuf,
    /// What the operator allows plugins.
    pub plugins: PluginsConfig,
}

/// See the module's documentation.
pub struct CatalogReconciler {
    settings: CatalogReconcilerSettings,
    pub(super) catalog: Arc<Catalog>,
    /// What offers that need models are asked for.
    pub(super) models: Arc<dyn Models>,
    pub(super) loader: Arc<VersionLoader>,
    /// As it was at the start, when most is loaded.
    order: OnceCell<LoadOrder>,
    pub(super) loads: Loads,
    store: Arc<dyn Store>,
    pub(super) notary: Arc<Notary>,
    /// Held for a whole pass, so that passes never overlap.
    pass: tokio::sync::Mutex<Pass>,
    reports: Mutex<Reports>,
    pub(super) kept_logs: KeptLogs,
    pub(super) pass_requested: Arc<Notify>,
    pub(super) now_ms: fn() -> u64,
}

/// What one pass leaves to the next.
struct Pass {
    scanner: Arc<Mutex<Scanner>>,
    serving: BTreeMap<PluginId, Arc<Candidate>>,
    /// Versions that did not load, by plugin, with the reason.
    failed: BTreeMap<PluginId, Vec<(Digest, String)>>,
    /// How often a version was tried that may load another time.
    tried: BTreeMap<Digest, u32>,
    sweep: Sweep,
}

/// What all plugins of one pass share.
pub(super) struct Trust {
    pub(super) publishers: Publishers,
    pub(super) revoked: Revocations,
}

/// Why a version was not activated in this pass.
enum NotActivated {
    /// It is being loaded; a later pass goes on.
    Loading,
    /// It is passed over.
    Failed(LoadError),
}

impl From<LoadError> for NotActivated {
    fn from(error: LoadError) -> Self {
        Self::Failed(error)
    }
}

impl CatalogReconciler {
    /// Builds it from its parts.
    pub fn new(
        settings: CatalogReconcilerSettings,
        catalog: Arc<Catalog>,
        runtime: Runtime,
        models: Arc<dyn Models>,
        store: Arc<dyn Store>,
        notary: Arc<Notary>,
        now_ms: fn() -> u64,
    ) -> Self {
        let scanner = Scanner::new(settings.registry.clone());
        let (table_cache, scanner) = (scanner.table_cache(), Arc::new(Mutex::new(scanner)));
        let policy = settings.plugins.clone();
        let loader = Arc::new(VersionLoader { policy, runtime, scanner: scanner.clone(), table_cache });
        let pass_requested = Arc::new(Notify::new());
        let (serving, failed, tried) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let pass = Pass { scanner, serving, failed, tried, sweep: Sweep::default() };
        Self {
            settings,
            catalog,
            models,
            loads: Loads::new(loader.clone(), pass_requested.clone()),
            loader,
            order: OnceCell::new(),
            store,
            notary,
            pass: tokio::sync::Mutex::new(pass),
            reports: Mutex::default(),
            kept_logs: KeptLogs::default(),
            pass_requested,
            now_ms,
        }
    }

    /// Follows the registry until the process ends.
    pub async fn run(&self, mut watch: RegistryWatch) {
        loop {
            tokio::select! {
                () = watch.changed() => {}
                () = self.pass_requested.notified() => {}
            }
            if self.pass().await {
                // Something is still being copied: it has to be looked at again.
                tokio::time::sleep(Duration::from_millis(250)).await;
                self.request_pass();
            }
        }
    }

    /// Asks for a pass soon: the operator has decided something.
    pub fn request_pass(&self) {
        self.pass_requested.notify_one();
    }

    /// What is known of every plugin, for the operator.
    pub fn reports(&self) -> Vec<PluginReport> {
        self.reports_by_id().into_iter().map(|(_, report)| report).collect()
    }

    /// Likewise, by their names.
    pub fn reports_by_id(&self) -> Vec<(PluginId, PluginReport)> {
        let snapshot = self.catalog.snapshot();
        let reports = self.reports.lock().plugins.clone();
        let current = reports.into_iter().map(|(id, mut report)| {
            if let Some(CatalogEntry::Live(offer)) = snapshot.entry(id.kind, id.name.as_str()) {
                report.canary = offer.canary().map(|canary| canary.report()).or(report.canary);
                if let Some(unmet) = snapshot.unmet_need(offer) {
                    report.lack(&unmet);
                }
            }
            (id, report)
        });
        current.collect()
    }

    /// Whether a version waits for the operator's approval.
    pub fn waits(&self, id: &PluginId, version: &str) -> bool {
        let reports = self.reports.lock();
        reports.plugins.get(id).is_some_and(|report| report.waiting.as_deref() == Some(version))
    }

    /// What is in the registry that is no plugin.
    pub fn strays(&self) -> Vec<(String, String)> {
        self.reports.lock().strays.clone()
    }

    /// Looks at the registry for the first time: from now on it is known what there
    /// is, and all of it is being loaded.
    pub async fn begin(&self) {
        self.pass().await;
    }

    /// How many versions are being loaded, or wait for it.
    pub fn loading(&self) -> usize {
        self.loads.running()
    }

    /// Follows registry and operator until all of the operator's plugins are what
    /// they should be, and those of accounts as far as that takes a moment only.
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

    /// Likewise, until one plugin is what it should be, whatever others wait for.
    pub async fn refresh_plugin(&self, id: &PluginId) {
        loop {
            self.pass().await;
            if !self.loads.settled(id).await {
                return;
            }
        }
    }

    /// One pass. Tells whether something in the registry was still unsettled.
    async fn pass(&self) -> bool {
        let mut pass = self.pass.lock().await;
        let trust = match self.trust() {
            Ok(trust) => trust,
            Err(reason) => {
                tracing::error!(%reason, "cannot tell whom to trust; everything stays as it is");
                return false;
            }
        };
        let Some(scan) = pass.scan(trust.publishers.clone()).await else { return true };
        if let Some(fault) = &scan.fault {
            tracing::error!(%fault, "cannot read the registry; everything stays as it is");
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
                Err(error) => tracing::error!(plugin = %id, %error, "the store failed while following the registry"),
            }
        }
        self.loads.end_pass();
        if !settling {
            let Pass { sweep, serving, .. } = &mut *pass;
            sweep.run(&self.loader.runtime, &scan.plugins, serving, (self.now_ms)()).await;
        }
        let mut reports = self.reports.lock();
        reports.plugins.retain(|id, _| ids.contains(id));
        reports.strays = scan.strays;
        self.kept_logs.retain(&ids);
        let (tables, bytes) = self.loader.table_cache.usage();
        metrics::gauge!("tollbridge_tables").set(tables as f64);
        metrics::gauge!("tollbridge_table_bytes").set(bytes as f64);
        settling
    }

    pub(super) fn trust(&self) -> Result<Trust, Reason> {
        let publishers = publishers(&self.settings.publishers_file, self.store.as_ref())?;
        let mut revoked = Revocations::default();
        for row in Rows::of(self.store.as_ref(), Collection::Publishers) {
            let (_, row) = row.map_err(|error| error.to_string())?;
            revoked.insert(&Revocation::from_row(&row).map_err(|error| error.to_string())?);
        }
        Ok(Trust { publishers, revoked })
    }

    /// Brings one plugin to what it should be. Tells whether another pass is
    /// worth it soon.
    async fn follow(
        &self,
        pass: &mut Pass,
        id: &PluginId,
        versions: &PluginVersions,
        trust: &Trust,
    ) -> Result<bool, StoreError> {
        let (mut state, mut row) = self.state(id)?;
        state.learn(&versions.candidates);
        // As `pass.failed`, but for this pass only.
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
                // An approved version may be all that a higher one waited for.
                Ok(()) => {}
                Err(NotActivated::Loading) => {
                    // What serves does so on, unless nobody stands for it any more.
                    let cause = pass.serving.get(id).and_then(|one| distrusted(&trust.publishers, &trust.revoked, one));
                    if let Some(cause) = cause {
                        self.stop(pass, id, versions, &cause, trust);
                    }
                    self.show_loading(id, &candidate);
                    break decision;
                }
                Err(NotActivated::Failed(LoadError::Transient(reason) | LoadError::Changing(reason))) => {
                    tracing::info!(plugin = %id, version = %version, %reason, "a version does not load yet");
                    passed_over.push((candidate.digest, reason));
                }
                Err(NotActivated::Failed(LoadError::Permanent(reason))) => {
                    tracing::warn!(plugin = %id, version = %version, %reason, "a version does not load; what served before serves on");
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

    /// Takes a version that is loaded, seals that it is active, and only then swaps
    /// it in.
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
        if next != *state || row.is_none() {
            let value = put.value.clone();
            let sealed = self.notary.note(&LedgerEntry::Plugin(act), vec![put], (self.now_ms)()).await;
            sealed.map_err(|error| LoadError::Transient(format!("its activation could not be sealed: {error}")))?;
            *row = value;
        }
        *state = next;
        let plugin = LoadedVersion { plugin, needs, models: self.models.clone() };
        let offer = Offer::of(candidate, owner, plugin, state.was_sold());
        self.keep_log(id);
        self.catalog.set(id.kind, id.name.as_str(), Some(CatalogEntry::Live(Arc::new(offer))));
        pass.serving.insert(id.clone(), candidate.clone());
        metrics::histogram!("tollbridge_swap_seconds").record(began.elapsed().as_secs_f64());
        tracing::info!(plugin = %id, version = %candidate.version(), took = ?began.elapsed(), "serves");
        Ok(())
    }

    /// Loads a component of an account as if it were published with this manifest,
    /// and lets go of it. The reason why it could not serve is for its author.
    pub async fn trial_load(&self, account: &str, manifest: &Manifest, wasm: Vec<u8>) -> Result<TrialLoad, TrialError> {
        self.loader.trial(account, manifest, wasm).await
    }

    /// Says that there is something under a name before it can be called.
    fn show_loading(&self, id: &PluginId, candidate: &Candidate) {
        if !matches!(self.catalog.snapshot().entry(id.kind, id.name.as_str()), Some(CatalogEntry::Live(_))) {
            let (purpose, price) = (candidate.manifest.purpose.clone(), Some(candidate.manifest.price));
            let entry = CatalogEntry::Down { purpose, price, reason: LOADING.to_owned(), disabled: false };
            self.catalog.set(id.kind, id.name.as_str(), Some(entry));
        }
    }

    fn stop(&self, pass: &mut Pass, id: &PluginId, versions: &PluginVersions, cause: &StopReason, trust: &Trust) {
        let was = pass.serving.remove(id);
        self.keep_log(id);
        let newest = versions.candidates.values().next_back();
        // What an account put up and nobody approved is nobody's business yet.
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
            tracing::warn!(plugin = %id, %cause, "stopped");
        }
        let disabled = matches!(cause, StopReason::Disabled);
        let entry = CatalogEntry::Down { purpose, price, reason: cause.to_string(), disabled };
        self.catalog.set(id.kind, id.name.as_str(), Some(entry));
    }

    /// Purpose and price as they are listed, for what has no version left.
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
            report.canary = offer.canary().map(|canary| canary.report()).or(report.canary);
        }
        let on_trial = report.canary.as_ref().filter(|canary| canary.serves).map(|canary| canary.version.as_str());
        self.catalog.list_versions(id, public_versions(versions, state, serving, on_trial));
        self.reports.lock().plugins.insert(id.clone(), report);
    }

    /// The operator's decisions about a plugin, and the row they stand in.
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
    /// Reads the registry on a thread where blocking does no harm.
    async fn scan(&self, publishers: Publishers) -> Option<Scan> {
        let scanner = self.scanner.clone();
        let scan = tokio::task::spawn_blocking(move || scanner.lock().scan(&publishers, ScanTime::now())).await;
        scan.inspect_err(|error| tracing::error!(%error, "the registry could not be scanned")).ok()
    }

    /// A passing error that comes back each time is lasting; files may change for
    /// as long as somebody copies them.
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
