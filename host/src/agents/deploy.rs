//! The marketplace's workshop: an account's component becomes an agent that
//! serves, signed with a key that the host holds for that account.
//!
//! Invariants:
//! 1. Everything that can be wrong is found before anything is written: the
//!    component is loaded as it would serve, then let go.
//! 2. An account's agents are called `<handle>-<name>`; it has no other names.
//! 3. What the operator switched off its owner cannot switch on.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use semver::Version;
use sha2::Sha256;

use crate::catalog::{Catalog, Deployer, Keeper, handle_of};
use crate::events::{self, Deployed};
use crate::ledger::{Entry, Notary, NotaryError, PluginAct, PluginKind, PluginVerb, PublisherAct, PublisherVerb};
use crate::limits::{AGENTS_PER_ACCOUNT_MAX, DEPLOYS_PER_HOUR_MAX, VERSIONS_PER_AGENT_MAX};
use crate::plugins::LogLine;
use crate::registry::{
    Kind, Manifest, PluginId, PluginState, PublisherKey, RegistryError, TableFiles, parse_version, publish,
};
use crate::store::{Collection, Expect, Put, Store, StoreError, Writer};
use crate::vault::SecretBytes;

const HOUR_MS: u64 = 60 * 60 * 1000;
const FIRST_VERSION: Version = Version::new(1, 0, 0);

/// What the workshop works with.
pub struct Tools {
    pub registry: PathBuf,
    pub catalog: Arc<Catalog>,
    pub keeper: Arc<Keeper>,
    pub store: Arc<dyn Store>,
    pub writer: Arc<Writer>,
    pub notary: Arc<Notary>,
    /// Makes the keys of all accounts.
    pub secret: SecretBytes,
    pub now_ms: fn() -> u64,
}

/// See the module's documentation.
pub struct Workshop {
    tools: Tools,
    /// One deployment at a time: each compiles a component.
    turn: tokio::sync::Mutex<()>,
    /// Deployments of this hour, by account.
    recent: Mutex<(u64, HashMap<String, u32>)>,
}

/// An agent as its author sends it.
pub struct Deployment {
    /// What follows the handle in its name.
    pub name: String,
    /// The next one unless given.
    pub version: Option<String>,
    /// The other members of the manifest, as TOML.
    pub manifest: toml::Table,
    pub component: Vec<u8>,
}

/// An agent that serves.
#[derive(Clone, Debug)]
pub struct Live {
    pub slug: String,
    pub version: String,
    /// Whether this version was not there before.
    pub new: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum DeployError {
    /// What was sent cannot be an agent; names what and the fix.
    #[error("{message}")]
    Refused { field: &'static str, message: String },
    #[error("{0}; that is the most")]
    Quota(String),
    #[error("you have no agent {0}")]
    NoAgent(String),
    #[error("{0}")]
    Conflict(String),
    #[error("the agent was published and does not serve: {0}")]
    NotServing(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Notary(#[from] NotaryError),
    #[error("the registry: {0}")]
    Registry(String),
}

impl Workshop {
    pub fn new(tools: Tools) -> Self {
        Self { tools, turn: tokio::sync::Mutex::default(), recent: Mutex::default() }
    }

    /// Makes an agent serve, or refuses it and leaves nothing behind.
    pub async fn deploy(&self, account: &str, deployment: Deployment) -> Result<Live, DeployError> {
        self.count(account)?;
        let _turn = self.turn.lock().await;
        if deployment.name.is_empty() {
            return Err(refused("/name", "the name is empty; write what the agent is called".to_owned()));
        }
        let handle = handle_of(account);
        let slug = format!("{handle}-{}", deployment.name);
        let version = self.version(&slug, deployment.version.as_deref())?;
        let mut table = deployment.manifest;
        for (name, value) in [("name", &slug), ("publisher", &handle), ("version", &version.to_string())] {
            table.insert(name.to_owned(), toml::Value::String(value.clone()));
        }
        table.insert("kind".to_owned(), toml::Value::String("agent".to_owned()));
        let text = toml::to_string(&table).map_err(|error| refused("", error.to_string()))?;
        let manifest =
            Manifest::parse(&text).map_err(|error| refused("", format!("`{}`: {}", error.field, error.problem)))?;
        self.check_room(&handle, &slug)?;
        let key = self.key(account, &handle)?;
        let tried = self.tools.keeper.try_out(&manifest, deployment.component.clone()).await;
        tried.map_err(|reason| refused("/component_base64", reason))?;
        self.trust(account, &handle, &key).await?;
        let live = self.publish(&slug, &text, deployment.component, key).await?;
        self.tell(account, &slug, &manifest).await;
        Ok(live)
    }

    async fn publish(&self, slug: &str, text: &str, wasm: Vec<u8>, key: PublisherKey) -> Result<Live, DeployError> {
        let (root, manifest) = (self.tools.registry.clone(), text.to_owned());
        let publishing = move || publish(&root, &manifest, &wasm, &TableFiles::default(), &key);
        let published =
            tokio::task::spawn_blocking(publishing).await.map_err(|error| DeployError::Registry(error.to_string()))?;
        let published = published.map_err(|error| match error {
            RegistryError::Published { .. } => DeployError::Conflict(error.to_string()),
            error => DeployError::Registry(error.to_string()),
        })?;
        self.tools.keeper.refresh().await;
        let version = published.manifest.version.to_string();
        let offer = self.tools.catalog.offer(Kind::Agent, slug);
        match offer {
            Ok(offer) if offer.version_text == version => {
                Ok(Live { slug: slug.to_owned(), version, new: published.new })
            }
            other => {
                if published.new {
                    let path = published.path.clone();
                    let _ = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(path)).await;
                }
                let why = other
                    .map_or_else(|error| error.to_string(), |offer| format!("version {} serves", offer.version_text));
                Err(DeployError::NotServing(why))
            }
        }
    }

    /// The version that is asked for, or the one after the newest.
    fn version(&self, slug: &str, asked: Option<&str>) -> Result<Version, DeployError> {
        if let Some(text) = asked {
            return parse_version(text).map_err(|error| refused("/version", error.to_string()));
        }
        let newest = self.versions(slug).into_iter().next_back();
        Ok(newest.map_or(FIRST_VERSION, |newest| Version::new(newest.major, newest.minor, newest.patch + 1)))
    }

    /// Published versions of an agent, lowest first.
    pub fn versions(&self, slug: &str) -> Vec<Version> {
        let folder = self.tools.registry.join(Kind::Agent.folder()).join(slug);
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| parse_version(entry.file_name().to_str()?).ok());
        let mut versions: Vec<Version> = names.collect();
        versions.sort();
        versions
    }

    fn check_room(&self, handle: &str, slug: &str) -> Result<(), DeployError> {
        let own = self.own(handle);
        if !own.iter().any(|name| name == slug) && own.len() >= AGENTS_PER_ACCOUNT_MAX {
            return Err(DeployError::Quota(format!("your account has {AGENTS_PER_ACCOUNT_MAX} agents")));
        }
        if self.versions(slug).len() >= VERSIONS_PER_AGENT_MAX {
            return Err(DeployError::Quota(format!("`{slug}` has {VERSIONS_PER_AGENT_MAX} versions")));
        }
        Ok(())
    }

    /// Names of an account's agents.
    fn own(&self, handle: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.tools.registry.join(Kind::Agent.folder())) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| name.strip_prefix(handle).is_some_and(|rest| rest.starts_with('-'))).collect()
    }

    fn count(&self, account: &str) -> Result<(), DeployError> {
        let hour = (self.tools.now_ms)() / HOUR_MS;
        let mut recent = self.recent.lock();
        if recent.0 != hour {
            *recent = (hour, HashMap::new());
        }
        let count = recent.1.entry(account.to_owned()).or_default();
        if *count >= DEPLOYS_PER_HOUR_MAX {
            return Err(DeployError::Quota(format!("your account deployed {DEPLOYS_PER_HOUR_MAX} times in this hour")));
        }
        *count += 1;
        Ok(())
    }

    /// The key of an account: it follows from the host's secret and the account.
    fn key(&self, account: &str, handle: &str) -> Result<PublisherKey, DeployError> {
        let name = handle.parse().map_err(|error| refused("/name", format!("{error}")))?;
        let mac = Hmac::<Sha256>::new_from_slice(self.tools.secret.as_slice());
        let mac = mac.map_err(|error| DeployError::Registry(error.to_string()))?;
        let seed: [u8; 32] =
            mac.chain_update(b"tollbridge deploy v1").chain_update(account).finalize().into_bytes().into();
        Ok(PublisherKey::from_seed(name, &seed))
    }

    /// Makes an account a publisher, once.
    async fn trust(&self, account: &str, handle: &str, key: &PublisherKey) -> Result<(), DeployError> {
        let deployer = Deployer { account: account.to_owned(), public_key: key.public() };
        let row = serde_json::to_vec(&deployer).map_err(|error| DeployError::Registry(error.to_string()))?;
        match self.tools.store.get(Collection::Deployers, handle)? {
            Some(known) if known == row => return Ok(()),
            Some(_) => return Err(DeployError::Conflict(format!("the handle {handle} belongs to another account"))),
            None => {}
        }
        let act = PublisherAct {
            act: PublisherVerb::Trust,
            publisher: handle.to_owned(),
            public_key: Some(key.public().bytes()),
            by: account.to_owned(),
        };
        let put =
            Put { collection: Collection::Deployers, key: handle.to_owned(), value: Some(row), expect: Expect::Absent };
        self.tools.notary.note(&Entry::Publisher(act), vec![put], (self.tools.now_ms)()).await?;
        Ok(())
    }

    async fn tell(&self, account: &str, slug: &str, manifest: &Manifest) {
        let deployed = Deployed {
            owner: account,
            agent_id: slug,
            name: slug,
            price: manifest.price,
            policy: self.tools.notary.policy(),
            constitution: self.tools.notary.policy_seal(),
        };
        let told = events::agent_deployed(&deployed, (self.tools.now_ms)());
        if let Err(error) = events::announce(&self.tools.writer, vec![told]).await {
            tracing::warn!(%error, agent = slug, "that an agent was deployed could not be told");
        }
    }

    /// Switches an agent of an account's off, or on again.
    pub async fn switch(&self, account: &str, slug: &str, on: bool) -> Result<(), DeployError> {
        let id = self.own_id(account, slug)?;
        let row = self.tools.store.get(Collection::Plugins, &id.row_key())?;
        let mine = self.tools.store.get(Collection::Switches, slug)?;
        let damaged = |error: serde_json::Error| DeployError::Registry(error.to_string());
        let mut state =
            row.as_deref().map_or_else(|| Ok(PluginState::default()), PluginState::from_row).map_err(damaged)?;
        if on && state.is_disabled() && mine.is_none() {
            return Err(DeployError::Conflict(format!("`{slug}` was switched off by the operator")));
        }
        if !state.set_disabled(!on) {
            return Err(DeployError::Conflict(format!("`{slug}` is {} already", if on { "on" } else { "off" })));
        }
        let act = PluginAct {
            act: if on { PluginVerb::Enable } else { PluginVerb::Disable },
            plugin: slug.to_owned(),
            plugin_kind: PluginKind::Agent,
            version: None,
            component_sha256: None,
            publisher: None,
            by: account.to_owned(),
        };
        let value = Some(state.to_row().map_err(damaged)?);
        let expect = row.map_or(Expect::Absent, Expect::Exactly);
        let (collection, key) = (Collection::Switches, slug.to_owned());
        let puts = vec![
            Put { collection: Collection::Plugins, key: id.row_key(), value, expect },
            Put { collection, key, value: (!on).then(|| b"{}".to_vec()), expect: Expect::Any },
        ];
        self.tools.notary.note(&Entry::Plugin(act), puts, (self.tools.now_ms)()).await?;
        self.tools.keeper.refresh().await;
        Ok(())
    }

    /// The last lines of an agent's log, for its owner.
    pub fn logs(&self, account: &str, slug: &str) -> Result<Vec<LogLine>, DeployError> {
        let id = self.own_id(account, slug)?;
        Ok(self.tools.keeper.logs(&id).unwrap_or_default())
    }

    /// Whether an account owns an agent: by its name, or because it earns.
    pub fn owns(&self, account: &str, slug: &str) -> bool {
        let prefix = format!("{}-", handle_of(account));
        slug.starts_with(&prefix)
            || self.tools.catalog.offer(Kind::Agent, slug).is_ok_and(|offer| offer.owner == account)
    }

    fn own_id(&self, account: &str, slug: &str) -> Result<PluginId, DeployError> {
        let missing = || DeployError::NoAgent(slug.chars().take(64).collect());
        let id = PluginId { kind: Kind::Agent, name: slug.parse().map_err(|_| missing())? };
        let known = self.owns(account, slug) && self.tools.store.get(Collection::Plugins, &id.row_key())?.is_some();
        if known { Ok(id) } else { Err(missing()) }
    }
}

fn refused(field: &'static str, message: String) -> DeployError {
    DeployError::Refused { field, message }
}

/// Members of a manifest that an author may send, by their JSON names.
pub const MANIFEST_MEMBERS: [&str; 6] = ["grants", "allow_hosts", "bridges", "agents", "limits", "skills"];

/// A manifest's members out of JSON; what TOML cannot say is refused.
pub fn members(members: BTreeMap<&'static str, serde_json::Value>) -> Result<toml::Table, DeployError> {
    let mut table = toml::Table::new();
    for (name, value) in members {
        let value = toml::Value::try_from(&value).map_err(|error| refused("", format!("`{name}`: {error}")))?;
        table.insert(name.to_owned(), value);
    }
    Ok(table)
}
