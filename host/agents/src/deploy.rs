//! Deployment of accounts' plugins, signed with a key that the host holds for the
//! account: an agent serves at once; a bridge waits for the operator's approval.
//!
//! Invariants:
//! 1. All problems are found before anything is written: the component is loaded as for
//!    serving, then dropped. A refused deployment leaves no files, not even compiled
//!    code.
//! 2. An account's plugins are named `<handle>-<name>`; it cannot use other names.
//! 3. Deployments of one account run one after the other, independently of other
//!    accounts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use semver::Version;
use tollbridge_core::fair_limiter::{FairLimiter, FairPermit, FairShare, NoPermit};
use tollbridge_core::fair_queue::FairLimits;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::HOUR_MS;
use tollbridge_core::vault::SecretBytes;
use tollbridge_ledger::{Notary, events};
use tollbridge_market::catalog::{Catalog, CatalogReconciler, TrialError, handle_of};
use tollbridge_plugin::limits::COMPILE_WAIT_MS_MAX;
use tollbridge_registry::{Manifest, PluginId, PublisherKey, RegistryError, TableFiles, parse_version, publish};
use tollbridge_store::Db;

use super::declared_agent::complete_manifest;
use super::deploy_error::{DeployError, refused};
use super::deploy_request::{DeployRequest, PluginCode};
use super::ownership::OwnedPlugins;
use super::publisher::PublisherKeys;

/// Maximum number of agents, and of bridges, that one account may have on the
/// marketplace.
const PLUGINS_PER_ACCOUNT_MAX: usize = 50;
/// Maximum number of versions of one deployed plugin; each keeps its component on disk.
const VERSIONS_PER_DEPLOYED_MAX: usize = 100;
/// Maximum number of deployments of one account per hour: each compiles a component.
const DEPLOYS_PER_HOUR_MAX: u32 = 60;
/// Maximum number of concurrent deployments, each of a different account.
const DEPLOYS_MAX: usize = 16;
/// Maximum number of deployments that wait in memory.
const DEPLOYS_WAITING_MAX: usize = 64;
/// Maximum number of waiting deployments of one account.
const DEPLOYS_WAITING_PER_ACCOUNT_MAX: usize = 3;

const FIRST_VERSION: Version = Version::new(1, 0, 0);

/// The dependencies of the deployment service.
pub struct DeployDeps {
    /// The folder of the plugin registry.
    pub registry: PathBuf,
    /// The catalog of serving versions.
    pub catalog: Arc<Catalog>,
    /// Loads versions and reports their state.
    pub reconciler: Arc<CatalogReconciler>,
    /// The handle to the store and its writer.
    pub db: Db,
    /// Seals the actions of owners and publishers in the ledger.
    pub notary: Arc<Notary>,
    /// The secret from which the keys of all accounts are derived.
    pub secret: SecretBytes,
    /// Returns the current Unix time in milliseconds.
    pub now_ms: fn() -> u64,
}

/// Deploys accounts' plugins.
pub struct DeployService {
    /// Operations of owners on their plugins.
    pub owned: OwnedPlugins,
    keys: PublisherKeys,
    registry: PathBuf,
    catalog: Arc<Catalog>,
    reconciler: Arc<CatalogReconciler>,
    db: Db,
    notary: Arc<Notary>,
    now_ms: fn() -> u64,
    /// Limits each account to one deployment at a time; accounts do not wait for each
    /// other.
    turns: Arc<FairLimiter>,
    /// The current hour, and the number of deployments in it by account.
    recent: Mutex<(u64, HashMap<String, u32>)>,
}

/// A plugin version in the registry.
#[derive(Clone, Debug)]
pub struct DeployedVersion {
    /// The kind and full name of the plugin.
    pub id: PluginId,
    /// The version number, for example `1.0.3`.
    pub version: String,
    /// Whether this version is new in the registry.
    pub new: bool,
    /// Whether the version serves calls; if not, it waits for the operator's approval.
    pub serves: bool,
}

impl DeployService {
    /// Creates the service. Create only one per registry folder, because it serializes
    /// the deployments of an account.
    pub fn new(deps: DeployDeps) -> Self {
        let turns = FairLimits {
            running: DEPLOYS_MAX,
            running_per_tenant: 1,
            waiting: DEPLOYS_WAITING_MAX,
            waiting_per_tenant: DEPLOYS_WAITING_PER_ACCOUNT_MAX,
        };
        let (turns, recent) = (FairLimiter::new(turns), Mutex::default());
        let DeployDeps { registry, catalog, reconciler, db, notary, secret, now_ms } = deps;
        let keys = PublisherKeys { db: db.clone(), notary: notary.clone(), secret, now_ms };
        let owned = OwnedPlugins {
            registry: registry.clone(),
            catalog: catalog.clone(),
            reconciler: reconciler.clone(),
            db: db.clone(),
            notary: notary.clone(),
            now_ms,
        };
        Self { owned, keys, registry, catalog, reconciler, db, notary, now_ms, turns, recent }
    }

    /// Deploys a plugin: an agent serves at once, a bridge waits for the operator's
    /// approval. A refused deployment leaves no files.
    pub async fn deploy(&self, account: &str, deployment: DeployRequest) -> Result<DeployedVersion, DeployError> {
        self.count(account)?;
        let _turn = self.turn(account).await?;
        if deployment.name.is_empty() {
            return Err(refused("/name", "the name is empty; name the plugin".to_owned()));
        }
        let (kind, handle) = (deployment.kind, handle_of(account));
        let slug = format!("{handle}-{}", deployment.name);
        let version = self.version(kind, &slug, deployment.version.as_deref())?;
        let mut table = deployment.manifest;
        let component = match deployment.code {
            PluginCode::Component(component) => component,
            PluginCode::Declared(declaration) => {
                complete_manifest(&self.catalog, &self.registry, &mut table, &declaration).await?
            }
        };
        for (name, value) in [
            ("name", slug.as_str()),
            ("publisher", handle.as_str()),
            ("version", version.to_string().as_str()),
            ("kind", kind.as_str()),
        ] {
            table.insert(name.to_owned(), toml::Value::String(value.to_owned()));
        }
        let text = toml::to_string(&table).map_err(|error| refused("", error.to_string()))?;
        let manifest =
            Manifest::parse(&text).map_err(|error| refused("", format!("`{}`: {}", error.field, error.problem)))?;
        self.check_quota(kind, &handle, &slug)?;
        let key = self.keys.derive(account, &handle)?;
        self.keys.check_not_revoked(&key)?;
        let tried = self.reconciler.trial_load(account, &manifest, component.clone()).await;
        let field = if manifest.declaration.is_some() { "/prompt" } else { "/component_base64" };
        let trial = tried.map_err(|error| match error {
            TrialError::Refused(reason) => refused(field, reason),
            TrialError::Busy(reason) => DeployError::Busy(reason),
        })?;
        self.keys.trust(account, &handle, &key).await?;
        let deployed = self.publish(&manifest.id, &text, component, key).await?;
        trial.pass();
        if kind == PluginKind::Agent && deployed.serves {
            self.announce(account, &slug, &deployment.name, &manifest).await;
        }
        Ok(deployed)
    }

    async fn publish(
        &self,
        id: &PluginId,
        text: &str,
        wasm: Vec<u8>,
        key: PublisherKey,
    ) -> Result<DeployedVersion, DeployError> {
        let (root, manifest) = (self.registry.clone(), text.to_owned());
        let publishing = move || publish(&root, &manifest, &wasm, &TableFiles::default(), &key);
        let published =
            tokio::task::spawn_blocking(publishing).await.map_err(|error| DeployError::Registry(error.to_string()))?;
        let published = published.map_err(|error| match error {
            RegistryError::Published { .. } => DeployError::Conflict(error.to_string()),
            error => DeployError::Registry(error.to_string()),
        })?;
        self.reconciler.refresh_plugin(id).await;
        let version = published.manifest.version.to_string();
        let serves = self.serves(id, &version);
        if serves.is_ok() || self.reconciler.waits(id, &version) {
            return Ok(DeployedVersion { id: id.clone(), version, new: published.new, serves: serves.is_ok() });
        }
        if published.new {
            let path = published.path.clone();
            let _ = tokio::task::spawn_blocking(move || remove_version(&path)).await;
            self.reconciler.refresh_plugin(id).await;
        }
        Err(DeployError::NotServing(serves.err().unwrap_or_default()))
    }

    /// Checks that a version serves calls; the error is the reason why it does not.
    fn serves(&self, id: &PluginId, version: &str) -> Result<(), String> {
        match self.catalog.offer(id.kind, id.name.as_str()) {
            Ok(offer) if offer.version_text == version => Ok(()),
            Ok(offer) => Err(format!("version {} serves", offer.version_text)),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Returns the requested version, or the next one after the newest if none is
    /// requested.
    fn version(&self, kind: PluginKind, slug: &str, asked: Option<&str>) -> Result<Version, DeployError> {
        if let Some(text) = asked {
            return parse_version(text).map_err(|error| refused("/version", error.to_string()));
        }
        let newest = self.versions(kind, slug).into_iter().next_back();
        Ok(newest.map_or(FIRST_VERSION, |newest| Version::new(newest.major, newest.minor, newest.patch + 1)))
    }

    /// Returns the published versions of a plugin, lowest first.
    pub fn versions(&self, kind: PluginKind, slug: &str) -> Vec<Version> {
        let folder = self.registry.join(kind.folder()).join(slug);
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| parse_version(entry.file_name().to_str()?).ok());
        let mut versions: Vec<Version> = names.collect();
        versions.sort();
        versions
    }

    fn check_quota(&self, kind: PluginKind, handle: &str, slug: &str) -> Result<(), DeployError> {
        let deployed_names = self.deployed_names(kind, handle);
        if !deployed_names.iter().any(|name| name == slug) && deployed_names.len() >= PLUGINS_PER_ACCOUNT_MAX {
            return Err(DeployError::QuotaExceeded(format!(
                "your account has {PLUGINS_PER_ACCOUNT_MAX} {}",
                kind.folder()
            )));
        }
        if self.versions(kind, slug).len() >= VERSIONS_PER_DEPLOYED_MAX {
            return Err(DeployError::QuotaExceeded(format!("`{slug}` has {VERSIONS_PER_DEPLOYED_MAX} versions")));
        }
        Ok(())
    }

    /// Returns the names of an account's plugins of one kind.
    fn deployed_names(&self, kind: PluginKind, handle: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.registry.join(kind.folder())) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| name.strip_prefix(handle).is_some_and(|rest| rest.starts_with('-'))).collect()
    }

    /// Waits for the account's deployment slot, until no other deployment of the account
    /// is running.
    async fn turn(&self, account: &str) -> Result<FairPermit, DeployError> {
        let wait = Duration::from_millis(COMPILE_WAIT_MS_MAX);
        let turn = self.turns.acquire(&FairShare::single(account), wait).await;
        turn.map_err(|no_permit| match no_permit {
            NoPermit::TenantFull => DeployError::QuotaExceeded(format!(
                "{DEPLOYS_WAITING_PER_ACCOUNT_MAX} deployments of your account are already waiting"
            )),
            NoPermit::Full | NoPermit::TimedOut => {
                DeployError::Busy("too many deployments are in progress; try again in a few minutes".to_owned())
            }
        })
    }

    fn count(&self, account: &str) -> Result<(), DeployError> {
        let hour = (self.now_ms)() / HOUR_MS;
        let mut recent = self.recent.lock();
        if recent.0 != hour {
            *recent = (hour, HashMap::new());
        }
        let count = recent.1.entry(account.to_owned()).or_default();
        if *count >= DEPLOYS_PER_HOUR_MAX {
            return Err(DeployError::QuotaExceeded(format!(
                "your account deployed {DEPLOYS_PER_HOUR_MAX} times in this hour"
            )));
        }
        *count += 1;
        Ok(())
    }

    async fn announce(&self, account: &str, slug: &str, name: &str, manifest: &Manifest) {
        let deployed = events::Deployed {
            owner: account,
            agent_id: slug,
            name,
            price: manifest.price,
            policy: self.notary.policy(),
            constitution: self.notary.policy_seal(),
        };
        let notice = events::agent_deployed(&deployed, (self.now_ms)());
        if let Err(error) = events::announce(self.db.writer(), vec![notice]).await {
            tracing::warn!(%error, agent = slug, "the event of a deployment was not written");
        }
    }
}

/// Removes the folder of a version, and the plugin's folder if it is then empty.
fn remove_version(version: &Path) {
    let _ = std::fs::remove_dir_all(version);
    if let Some(plugin) = version.parent() {
        // Fails, as intended, if the folder still has other versions.
        let _ = std::fs::remove_dir(plugin);
    }
}
