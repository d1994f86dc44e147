//! The services of a data folder that every command needs, without plugins.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result};
use tollbridge_access::oauth::TokenKey;
use tollbridge_access::{AccessControl, DailyQuota, EmailDigestKey, KeyMode, PrincipalCache};
use tollbridge_agents::ProofIssuer;
use tollbridge_core::artifact_problems::ArtifactProblems;
use tollbridge_core::config::{Config, Processor};
use tollbridge_core::money::Millipence;
use tollbridge_core::signing::Keyring;
use tollbridge_core::time::now_ms;
use tollbridge_core::vault::Vault;
use tollbridge_ledger::{Chain, Ledger, Mode, Notary, Parties, Policy};
use tollbridge_market::accounts::{Accounts, Delegations, EarningsIndexer, History};
use tollbridge_market::catalog::PluginHost;
use tollbridge_market::earning::{EarningDeps, EarningService};
use tollbridge_market::kept_inputs::KeptInputs;
use tollbridge_payment::{CallPayments, PaymentRails, QuotePolicy, QuoteSigner};
use tollbridge_store::{DATABASE, Db, DiscardedJournal, HostId, Hosts, RedbStore, Store, Writer};
use tollbridge_webhooks::{EndpointIndex, EndpointRows};

use super::call_slice_broker::CallSliceBroker;
use super::engine::{self, Engine, LedgerLock, OpenPurpose};
use super::foreign_changes::{CatalogFollower, RowFollower};
use super::mpp::mpp_rail;
use super::private_folder::open_private_folder;
use super::shared_keys;
use super::wallet::wallet_rail;
use crate::exit::Exit;

/// Maximum number of sign-ups from one client address per day.
const SIGNUPS_PER_ADDRESS_PER_DAY_MAX: u32 = 5;

/// Discards a journal that is lost or damaged, so that the server can start without it. Blocks.
pub fn discard_journal(data: &Path) -> Result<DiscardedJournal> {
    if data.exists() {
        open_private_folder(data)?;
    }
    Ok(tollbridge_store::discard_journal(&data.join(DATABASE))?)
}

/// The services of a data folder, without plugins: enough for every command.
pub struct Base {
    /// The configuration.
    pub config: Config,
    /// The vault of secrets.
    pub vault: Vault,
    /// The database of the data folder.
    pub db: Db,
    /// The engine behind `db`, for copying it.
    pub engine: Arc<RedbStore>,
    /// The exclusive lock on a ledger in PostgreSQL; held only while this process runs a
    /// command.
    pub tenure: Option<LedgerLock>,
    /// The notary, which seals records.
    pub notary: Arc<Notary>,
    /// Authentication, sessions and rate limits.
    pub access: Arc<AccessControl>,
    /// Accounts and keys.
    pub accounts: Arc<Accounts>,
    /// Quotes, intents and holds.
    pub payments: Arc<CallPayments>,
    /// The index of events that have a webhook.
    pub listeners: Arc<EndpointIndex>,
    /// The stored webhook endpoints.
    pub endpoint_rows: Arc<EndpointRows>,
    /// Inputs of calls, kept for replay.
    pub kept_inputs: Arc<KeptInputs>,
    /// The issuer of task proofs.
    pub proofs: Arc<ProofIssuer>,
    /// Signing keys.
    pub keys: Arc<Keyring>,
    /// The hosts of a ledger in PostgreSQL; `None` unless this process serves such a
    /// ledger.
    pub hosts: Option<Arc<Hosts>>,
    /// The broker that shares call limits among the hosts of the ledger.
    pub(super) slices: Option<Arc<CallSliceBroker>>,
    /// Problems with artifacts of other registries.
    pub artifact_problems: Arc<ArtifactProblems>,
    /// The follower of registry decisions, set once there is a catalog.
    pub(super) catalog_follower: Arc<OnceLock<CatalogFollower>>,
}

impl Base {
    /// Opens a configuration's data folder, or creates it. Blocks.
    pub fn open(config: Config, opened_for: OpenPurpose) -> Result<Self> {
        let dir = config.data.dir.clone();
        open_private_folder(&dir)?;
        let vault = Vault::open(&dir)?;
        let Engine { store: engine, tenure } = engine::open(&config, opened_for)?;
        let engine = Arc::new(engine);
        let store: Arc<dyn Store> = engine.clone();
        if store.is_shared() {
            shared_keys::check(store.as_ref(), &vault, &dir)?;
        }
        let is_new = store.head()?.size == 0;
        let chain = Chain::resume(store.as_ref()).context("the ledger cannot be read")?;
        let listeners = Arc::new(EndpointIndex::load(store.as_ref())?);
        let writer = Writer::start(store.clone(), Box::new(chain), Some(listeners.clone()), stop_at_once)?;
        let db = Db::new(store.clone(), Arc::new(writer));
        if store.is_shared() {
            shared_keys::note(&db, &vault)?;
        }
        let notary = Arc::new(notary(&config, &vault, &db, is_new)?);
        let mode = KeyMode::of(config.payments.processor);
        let tokens = TokenKey::new(*vault.secret("oauth")?);
        let (hosts, slices) = hosts_and_slices(&config, opened_for, &db)?;
        let directory = PrincipalCache::new(store.clone(), config.tiers.clone());
        let access = AccessControl::new(mode, directory).with_token_key(tokens.clone());
        let access = Arc::new(match &slices {
            Some(slices) => access.with_slices(slices.clone()),
            None => access,
        });
        let accounts = Arc::new(Accounts {
            db: db.clone(),
            notary: notary.clone(),
            access: access.clone(),
            email_key: EmailDigestKey::new(*vault.secret_if_new("emails", is_new)?),
            mode,
            starting_credit: starting_credit(&config),
            sign_ups: DailyQuota::new("signup", SIGNUPS_PER_ADDRESS_PER_DAY_MAX),
            notices: DailyQuota::new("notice", SIGNUPS_PER_ADDRESS_PER_DAY_MAX),
            earnings_indexer: EarningsIndexer::new(db.clone()),
            history: History { notary: notary.clone(), parties: Parties::new(db.clone()) },
            delegations: Delegations::new(db.clone(), tokens),
        });
        let payments = Arc::new(payments(&config, (&vault, is_new), &db, hosts.as_ref())?);
        let catalog_follower = Arc::default();
        if let Some(hosts) = hosts.clone() {
            let (store, access, endpoints) = (store.clone(), access.clone(), listeners.clone());
            let catalog = Arc::clone(&catalog_follower);
            engine.listen_to_foreign_changes(Arc::new(RowFollower { store, hosts, access, endpoints, catalog }));
        }
        let keys = Arc::new(Keyring::open(&dir)?);
        Ok(Self {
            proofs: Arc::new(ProofIssuer::new(keys.clone(), notary.clone(), store.clone())),
            endpoint_rows: Arc::new(EndpointRows::open(&vault, &db)?),
            kept_inputs: Arc::new(KeptInputs::new(&vault.secret("inputs")?, db.clone(), &config.plugins)?),
            config,
            vault,
            db,
            engine,
            tenure,
            notary,
            access,
            accounts,
            payments,
            listeners,
            keys,
            hosts,
            slices,
            artifact_problems: Arc::default(),
            catalog_follower,
        })
    }

    /// Creates the service for earnings that do not come from calls; `plugins` is `None`
    /// on a stopped server. Create only one per process.
    pub fn earning(&self, plugins: Option<PluginHost>) -> Arc<EarningService> {
        let config = &self.config;
        Arc::new(EarningService::new(EarningDeps {
            store: self.db.shared_store(),
            notary: self.notary.clone(),
            payments: self.payments.clone(),
            plugins,
            budget: config.earn.budget,
            memory_price: config.memory.price,
            sandbox: config.payments.processor == Processor::Sandbox,
            hold_days: config.payments.hold_days,
        }))
    }
}

/// Returns this ledger's hosts and the broker of shared call limits; `None` unless this
/// process serves a ledger in PostgreSQL.
fn hosts_and_slices(config: &Config, opened_for: OpenPurpose, db: &Db) -> Result<HostsAndSlices> {
    let Some(settings) = engine::database(config).filter(|_| opened_for == OpenPurpose::Serving) else {
        return Ok((None, None));
    };
    let hosts = Arc::new(Hosts::load(db.clone(), HostId::random()?)?);
    let slices = Arc::new(CallSliceBroker::new(settings, hosts.clone()));
    Ok((Some(hosts), Some(slices)))
}

/// The result of [`hosts_and_slices`].
type HostsAndSlices = (Option<Arc<Hosts>>, Option<Arc<CallSliceBroker>>);

fn payments(
    config: &Config,
    (vault, is_new): (&Vault, bool),
    db: &Db,
    hosts: Option<&Arc<Hosts>>,
) -> Result<CallPayments> {
    let quoting =
        QuotePolicy { ttl_s: config.payments.quote_ttl.as_secs(), minimum_charge: config.payments.minimum_charge };
    let signer = QuoteSigner::new(vault.secret_if_new("quotes", is_new)?);
    let rails = PaymentRails { mpp: mpp_rail(config, &signer)?, wallet: wallet_rail(config)? };
    let payments = CallPayments::new(signer, db.shared_store(), quoting, rails);
    Ok(match hosts {
        Some(hosts) => payments.with_hosts(hosts.clone(), db.clone()),
        None => payments,
    })
}

/// Opens the notary. If the ledger has records, the key that signs its checkpoints must
/// exist; a missing key is not replaced by a new one.
fn notary(config: &Config, vault: &Vault, db: &Db, is_new: bool) -> Result<Notary> {
    let seed = vault.secret_if_new("checkpoints", is_new)?;
    let ledger = Ledger::open(db.shared_store(), &seed, &ledger_host(config)).context("cannot open the ledger")?;
    let policy = Policy {
        mode: match config.payments.processor {
            Processor::Sandbox => Mode::Sandbox,
            Processor::Stripe => Mode::Live,
        },
        display_name: config.server.display_name.clone(),
        split: config.split,
    };
    let outside = config.data.dir.join("checkpoints.jsonl");
    Ok(Notary::open(ledger, db.clone(), &outside, policy, now_ms())?)
}

/// Returns the name of this ledger: the host name that clients use.
pub(super) fn ledger_host(config: &Config) -> String {
    let url = config.server.base_url.as_ref().map(ToString::to_string);
    let host = url.as_deref().and_then(|url| url.split("://").nth(1)).unwrap_or("localhost");
    host.split(['/', ':']).next().unwrap_or("localhost").to_owned()
}

fn starting_credit(config: &Config) -> Millipence {
    match config.payments.processor {
        Processor::Sandbox => config.payments.sandbox_credit,
        Processor::Stripe => Millipence::ZERO,
    }
}

/// Logs a failed commit and ends the process; the writer's last action.
fn stop_at_once(error: String) {
    tracing::error!(%error, "the store failed; stopping, because what is on disk is unknown until it is read again");
    Exit::DiskFailed.now()
}

/// Returns the path of the file with a running server's address and token.
pub fn admin_file(data: &Path) -> PathBuf {
    data.join("admin.json")
}
