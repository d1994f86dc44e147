//! `serve`: starts a server from a configuration, and drains it when a signal arrives.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tollbridge_agents::qualification::Qualifications;
use tollbridge_agents::{AgentService, DeployDeps, DeployService, PluginStatsIndexer};
use tollbridge_batches::Batches;
use tollbridge_connections::{Listener, Tls};
use tollbridge_core::config::{Config, Processor};
use tollbridge_core::egress::Egress;
use tollbridge_core::time::now_ms;
use tollbridge_core::vault::Vault;
use tollbridge_gateway::{Gateway, GatewayDeps};
use tollbridge_http::{AppState, BatchCallers, PublicRouter, Settings, peer_router, router_with, serve as serve_http};
use tollbridge_market::catalog::{Catalog, CatalogReconciler, CatalogReconcilerSettings, PluginHost};
use tollbridge_market::checkout::Checkout;
use tollbridge_market::earning::EarningService;
use tollbridge_market::reputation::Reputation;
use tollbridge_oci::{PluginRegistry, PluginRegistryDeps};
use tollbridge_payment::PaymentService;
use tollbridge_paywall::{ClaimSigner, OfferExtensions, Paywall};
use tollbridge_plugin::{Models, RuntimeLimits};
use tollbridge_registry::{RegistryWatch, WatchOptions};
use tollbridge_runtime::{ChildCompiler, CodeFolders, CodeTarget, Compiler, Runtime, RuntimeKeys};
use tollbridge_telemetry::Telemetry;
use zeroize::Zeroizing;

use super::admin_listener::start_admin;
use super::artifacts::artifact_follower;
use super::base::Base;
use super::cluster::{self, Cluster};
use super::duties::{self, Duties};
use super::engine::OpenPurpose;
use super::foreign_changes::CatalogFollower;
use super::gauges::HostGauges;
use super::local_engines::LocalEngines;
use super::money::{self, Money};
use super::recorder::install_recorder;
use super::restoring::seal_restore;
use super::services;
use super::signals::{Signals, wait_for_signal};
use super::tls;
use super::webhook_delivery;

/// Observes the start of a server.
pub trait Startup {
    /// Called once the server listens at this address. It already serves plugins as they
    /// load.
    fn listening(&self, url: &str);
    /// Called regularly while plugins load, with the numbers of serving and of loading
    /// plugins.
    fn loading(&self, live: usize, loading: usize);
    /// Called once loading is complete.
    fn ready(&self, shared: &AppState, url: &str);
}

/// Interval between progress reports during start-up.
pub(super) const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// Serves until a signal, drains, and returns.
pub async fn serve(config: Config, telemetry: Option<&Telemetry>, startup: impl Startup) -> Result<()> {
    let metrics = install_recorder(telemetry)?;
    let compiler = ChildCompiler::of_this_program().context("cannot find this program's own file")?;
    let compiler = Compiler::Child(compiler);
    let Running { base, money, listener, address, reconciler, shared, cluster, tls } =
        Running::start(config, compiler).await?;
    let engines = LocalEngines::start(shared.gateway.router())?;
    seal_restore(&base.notary, &base.config.data.dir).await?;
    let base = Arc::new(base);
    let (stop, stopped) = watch::channel(false);
    let admin =
        start_admin(&base, money.clone(), reconciler.clone(), &shared, metrics.clone(), stopped.clone()).await?;
    let gauges = HostGauges::new(&base, &money, &shared);
    let own = tokio::spawn(duties::keep_own(base.clone(), gauges, metrics));
    let registry = open_registry(&base, &shared, &reconciler)?;
    let routes = router_with(shared.clone(), tollbridge_oci::routes(registry));
    // Catch signals before announcing the address: a program that reads the address may
    // send a signal at once.
    let signals = Signals::listen();
    let (readiness, stopping) = (shared.readiness.clone(), shared.batches.clone());
    let until = async move {
        wait_for_signal(signals).await;
        tracing::info!("draining: finishing calls in flight; new calls go elsewhere");
        readiness.drain();
        stopping.stop();
    };
    if let Some(tls) = &tls {
        tls::keep_current(tls.clone());
    }
    let mut serving = tokio::spawn(serve_http(Listener::new(listener, tls), routes.clone(), until));
    let url = base.config.server.listener_url(address);
    startup.listening(&url);
    // The follower runs until `serve` returns; the start does not wait for remote
    // artifacts.
    let _artifacts = artifact_follower(&base.config, base.artifact_problems.clone()).start();
    let led = tokio::select! {
        led = lead(&base, &money, &shared, (&reconciler, cluster.as_ref()), routes, &startup) => Some(led?),
        // The server was stopped during start-up.
        _ = &mut serving => None,
    };
    if led.is_some() {
        shared.readiness.serve();
        startup.ready(&shared, &url);
        (&mut serving).await.context("the server failed")?;
    }
    own.abort();
    if let Some(led) = led {
        led.end().await;
    }
    finish(&base, &shared).await;
    engines.stop().await;
    if let Some(cluster) = &cluster {
        cluster.leave().await;
    }
    // The admin listener stops late, so that operator commands work while the server drains.
    let _ = stop.send(true);
    let _ = tokio::time::timeout(Duration::from_secs(5), admin.task).await;
    let _ = std::fs::remove_file(admin.file);
    let engine = base.engine.clone();
    tokio::task::spawn_blocking(move || engine.settle())
        .await?
        .context("cannot move the last writes from the journal to the database")
}

/// Opens the artifact registry, whose routes have the same admission as all other routes.
fn open_registry(base: &Base, shared: &AppState, reconciler: &Arc<CatalogReconciler>) -> Result<Arc<PluginRegistry>> {
    let registry = PluginRegistry::open(PluginRegistryDeps {
        registry: base.config.registry.dir.clone(),
        publishers_file: base.config.registry.publishers.clone(),
        folder: base.config.data.dir.join("oci"),
        store: base.db.shared_store(),
        deployments: shared.deployments.clone(),
        reconciler: reconciler.clone(),
    });
    let registry = registry.context("cannot use the folder for pushed artifacts")?;
    registry.keep_clean();
    Ok(registry)
}

/// Writes buffered data at shutdown.
async fn finish(base: &Base, shared: &AppState) {
    shared.batches.close().await;
    shared.gateway.close().await;
    if let Err(error) = shared.gateway.meter().flush().await {
        tracing::warn!(%error, "cannot write the last seconds of usage");
    }
    if let Err(error) = base.kept_inputs.write(now_ms(), true).await {
        tracing::warn!(%error, "cannot write the last kept inputs");
    }
    if let Err(error) = shared.webhooks.close().await {
        tracing::warn!(%error, "cannot save webhook progress; events of the last second may be delivered twice");
    }
}

/// Loads all plugins, and then begins the duties of the leader. The order matters:
/// plugins that are not loaded yet would count as deleted, which triggers refunds.
async fn lead(
    base: &Arc<Base>,
    money: &Money,
    shared: &Arc<AppState>,
    (reconciler, cluster): (&CatalogReconciler, Option<&Arc<Cluster>>),
    routes: PublicRouter,
    startup: &impl Startup,
) -> Result<Lead> {
    let mut moments = tokio::time::interval(PROGRESS_INTERVAL);
    let loaded = reconciler.refresh();
    tokio::pin!(loaded);
    loop {
        tokio::select! {
            () = &mut loaded => break,
            _ = moments.tick() => startup.loading(shared.catalog.snapshot().counts().0, reconciler.loading()),
        }
    }
    match cluster {
        None => Lead::begin(base, money, shared).await,
        Some(cluster) => Lead::join_cluster(cluster, base, money, shared, routes).await,
    }
}

/// The duties of a host as leader, or its wait for election.
struct Lead {
    duties: tokio::task::JoinHandle<Option<Duties>>,
    /// Stops the listener for other hosts.
    stop_peers: watch::Sender<bool>,
    peers: Option<tokio::task::JoinHandle<()>>,
}

impl Lead {
    /// Begins the duties of a single host, which leads at once.
    async fn begin(base: &Base, money: &Money, shared: &Arc<AppState>) -> Result<Self> {
        let duties = Duties::begin(base, money, shared).await?;
        Ok(Self { duties: tokio::spawn(async { Some(duties) }), stop_peers: watch::Sender::new(false), peers: None })
    }

    /// Joins a cluster of hosts and competes for leadership. Returns once any host leads.
    async fn join_cluster(
        cluster: &Arc<Cluster>,
        base: &Arc<Base>,
        money: &Money,
        shared: &Arc<AppState>,
        routes: PublicRouter,
    ) -> Result<Self> {
        let (listener, mut elected) = cluster.begin(&base.config).await?;
        let (stop_peers, mut stopped) = watch::channel(false);
        let peers = serve_http(listener, peer_router(shared.clone(), routes), async move {
            let _ = stopped.wait_for(|stopped| *stopped).await;
        });
        let peers = Some(tokio::spawn(peers));
        let (base, money, shared, leading) = (base.clone(), money.clone(), shared.clone(), cluster.clone());
        let duties = tokio::spawn(async move {
            elected.wait_for(|elected| *elected).await.ok()?;
            // Read everything that the previous leader wrote first.
            let begun = async {
                base.db.writer().catch_up().await?;
                Duties::begin(&base, &money, &shared).await
            };
            match begun.await {
                Ok(duties) => {
                    leading.lead();
                    Some(duties)
                }
                Err(error) => cluster::ended(&format!("this host cannot become leader: {error:#}")),
            }
        });
        cluster.wait_for_leader().await?;
        Ok(Self { duties, stop_peers, peers })
    }

    /// Ends the leader's duties, then finishes the requests that other hosts forwarded.
    async fn end(self) {
        self.duties.abort();
        // If the duties had begun, the task is complete and returns them; dropping them stops
        // them.
        if let Ok(duties) = self.duties.await {
            drop(duties);
        }
        self.stop_peers.send_replace(true);
        if let Some(peers) = self.peers {
            let _ = peers.await;
        }
    }
}

/// All parts of a server, listening but not answering yet.
pub struct Running {
    /// The data folder, and services that need no plugins.
    pub base: Base,
    /// Payment services.
    pub money: Money,
    /// The public listener, not accepting yet.
    pub listener: TcpListener,
    /// Address of the listener.
    pub address: SocketAddr,
    /// Keeps the catalog in line with the registry.
    pub reconciler: Arc<CatalogReconciler>,
    /// State of the routes.
    pub shared: Arc<AppState>,
    /// This host's cluster, if the ledger can have several hosts.
    pub(super) cluster: Option<Arc<Cluster>>,
    /// TLS settings of the listener, if configured.
    pub tls: Option<Arc<Tls>>,
}

impl Running {
    /// Opens the data folder, starts loading every plugin and follows the registry.
    pub async fn start(config: Config, compiler: Compiler) -> Result<Self> {
        let tls = tls::open(&config.server)?;
        let base = tokio::task::spawn_blocking(move || Base::open(config, OpenPurpose::Serving)).await??;
        let listener = TcpListener::bind(base.config.server.listen)
            .await
            .with_context(|| format!("cannot listen on {}; choose another with --listen", base.config.server.listen))?;
        let address = listener.local_addr()?;
        let gateway = Arc::new(start_gateway(&base)?);
        let services = services::services(&base, gateway.clone());
        let secret = Zeroizing::new(*base.vault.secret("deploy")?);
        let cluster = Cluster::open(&base.config, &base.db, base.hosts.as_ref(), secret).await?;
        let runtime = start_runtime(&base.config, &base.vault, compiler)?;
        let plugins = start_plugins(&base, services.models.clone(), runtime, cluster.as_ref()).await?;
        let host = PluginHost { catalog: plugins.catalog.clone(), services };
        let earning = base.earning(Some(host.clone()));
        let base_url = base.config.server.public_url(address).to_string();
        let processor = money::processor(&base)?;
        let agents = agents(&base, &host, money::payment_service(&base, processor.clone(), base_url.clone()));
        let payment_service = agents.checkout.payment_service.clone();
        let money = Money::new(&base, payment_service, processor, base_url, Some(host));
        let mut shared = shared(&base, &plugins, &money, (gateway, earning, agents), address)?;
        shared.peers = cluster.as_ref().map(|cluster| cluster.peers.clone());
        index_plugin_stats(shared.plugin_stats.clone());
        let reconciler = plugins.reconciler;
        Ok(Self { base, money, listener, address, reconciler, shared: Arc::new(shared), cluster, tls })
    }
}

/// The plugins of a server.
pub(super) struct Plugins {
    pub(super) catalog: Arc<Catalog>,
    pub(super) reconciler: Arc<CatalogReconciler>,
}

/// Starts loading all plugins, and follows the registry.
pub(super) async fn start_plugins(
    base: &Base,
    models: Arc<dyn Models>,
    runtime: Runtime,
    cluster: Option<&Arc<Cluster>>,
) -> Result<Plugins> {
    let config = &base.config;
    std::fs::create_dir_all(&config.registry.dir)
        .with_context(|| format!("cannot create the registry {}", config.registry.dir.display()))?;
    let catalog = Arc::new(Catalog::default());
    let settings = CatalogReconcilerSettings {
        registry: config.registry.dir.clone(),
        publishers_file: config.registry.publishers.clone(),
        plugins: config.plugins.clone(),
    };
    let watch = RegistryWatch::start(config.registry.dir.clone(), WatchOptions::default());
    let (store, notary) = (base.db.shared_store(), base.notary.clone());
    let reconciler =
        CatalogReconciler::new(settings, catalog.clone(), Arc::new(runtime), models, store, notary, now_ms);
    let reconciler = Arc::new(reconciler);
    if let Some(cluster) = cluster {
        let (peers, reconciler) = (cluster.peers.clone(), reconciler.clone());
        let _ = base.catalog_follower.set(CatalogFollower { peers, reconciler });
        // Fetch the versions of other hosts before the first pass, so that the pass finds them.
        cluster.share_registry(&config.registry, base.db.shared_store()).await;
    }
    reconciler.begin().await;
    let follower = reconciler.clone();
    tokio::spawn(async move { follower.run(watch).await });
    Ok(Plugins { catalog, reconciler })
}

/// Returns the operator's limits for plugins.
pub(super) fn runtime_limits(config: &Config) -> RuntimeLimits {
    RuntimeLimits {
        max_memory: config.plugins.max_memory.as_usize(),
        max_time: config.plugins.max_time,
        max_component: config.plugins.max_component.as_usize(),
        ..RuntimeLimits::default()
    }
}

/// Starts the plugin runtime, with the operator's limits and its code cache in the data folder.
pub fn start_runtime(config: &Config, vault: &Vault, compiler: Compiler) -> Result<Runtime> {
    let limits = runtime_limits(config);
    let keys = RuntimeKeys { code_cache: vault.secret("compiled")?, pseudonyms: vault.secret("pseudonyms")? };
    let egress = Arc::new(Egress::new(Vec::new())?);
    let cache = config.data.dir.join("compiled");
    let installed = config.plugins.precompiled.as_deref();
    let target = if config.plugins.source_lines { CodeTarget::Author } else { CodeTarget::ThisProcessor };
    let code = CodeFolders { cache: Some(&cache), installed, target };
    Ok(Runtime::start_with_compiler(compiler, limits, keys, code, egress)?)
}

/// Builds the gateway, with provider keys from this process's environment.
pub(super) fn start_gateway(base: &Base) -> Result<Gateway> {
    let deps = GatewayDeps { payments: base.payments.clone(), notary: base.notary.clone(), db: base.db.clone() };
    let environment = |name: &str| std::env::var(name).ok();
    Gateway::new(base.config.inference.clone(), deps, &environment).context("cannot set up requests to providers")
}

fn shared(
    base: &Base,
    plugins: &Plugins,
    money: &Money,
    (gateway, earning, agents): (Arc<Gateway>, Arc<EarningService>, Arc<AgentService>),
    address: SocketAddr,
) -> Result<AppState> {
    let config = &base.config;
    let a2a = super::a2a::open(base, address, &agents)?;
    Ok(AppState {
        settings: Settings {
            base_url: config.server.public_url(address).to_string(),
            display_name: config.server.display_name.clone(),
            require_key: config.bridges.require_key,
            sandbox: config.payments.processor == Processor::Sandbox,
            body_limit: config.server.body_limit.as_usize(),
            trusted_proxies: config.server.trusted_proxies.clone(),
            logged_requests: config.telemetry.requests,
            connections: super::open_files::connection_limits(&config.server),
            signature_header: config.webhooks.signature_header.clone(),
        },
        access: base.access.clone(),
        accounts: base.accounts.clone(),
        email_links: Arc::new(super::email::links(base, config.server.public_url(address).to_string())?),
        catalog: plugins.catalog.clone(),
        checkout: agents.checkout.clone(),
        batches: batches(base, &gateway),
        gateway,
        agents,
        deployments: deploy_service(base, plugins)?,
        qualifications: Qualifications::new(base.db.shared_store()),
        plugin_stats: Arc::new(PluginStatsIndexer::new(base.notary.clone())),
        paywall: Paywall {
            payments: base.payments.clone(),
            catalog: plugins.catalog.clone(),
            claims: ClaimSigner::new(base.keys.clone(), &config.server.public_url(address).to_string()),
            base_url: config.server.public_url(address).to_string(),
            display_name: config.server.display_name.clone(),
            offer_extensions: OfferExtensions::default(),
        },
        payments: base.payments.clone(),
        payment_service: money.payment_service.clone(),
        payouts: money.payouts.clone(),
        withdrawals: money.withdrawals.clone(),
        event_secret: money.event_secret.clone(),
        pro_price: config.tiers.pro_price,
        notary: base.notary.clone(),
        writer: base.db.shared_writer(),
        readiness: Arc::default(),
        requests: Arc::default(),
        a2a,
        keys: base.keys.clone(),
        webhooks: webhook_delivery::start(base)?,
        earning,
        reputation: Reputation::new(base.db.clone(), base.notary.clone()),
        peers: None,
    })
}

/// Builds the service for batches; each line of a batch is handled like a direct call.
fn batches(base: &Base, gateway: &Arc<Gateway>) -> Arc<Batches> {
    let callers = Arc::new(BatchCallers::new(base.access.clone()));
    Batches::new(gateway.clone(), base.db.clone(), callers, now_ms)
}

/// Reads the ledger once in the background, so that no request has to wait for it.
fn index_plugin_stats(stats: Arc<PluginStatsIndexer>) {
    tokio::task::spawn_blocking(move || {
        if let Err(error) = stats.catch_up() {
            tracing::error!(%error, "cannot count the tasks of agents");
        }
    });
}

fn deploy_service(base: &Base, plugins: &Plugins) -> Result<Arc<DeployService>> {
    let deps = DeployDeps {
        registry: base.config.registry.dir.clone(),
        catalog: plugins.catalog.clone(),
        reconciler: plugins.reconciler.clone(),
        db: base.db.clone(),
        notary: base.notary.clone(),
        secret: base.vault.secret("deploy")?,
        now_ms,
    };
    Ok(Arc::new(DeployService::new(deps)))
}

/// Builds the agents, the checkout that they use and the payment service that the
/// checkout uses. The dependency is a cycle, because a dispute revokes tasks in the
/// agents' queue; a `Weak` reference breaks the cycle.
fn agents(base: &Base, host: &PluginHost, payment_service: PaymentService) -> Arc<AgentService> {
    AgentService::new(base.proofs.clone(), now_ms, |queue| {
        Arc::new(
            Checkout::new(
                host.catalog.clone(),
                Arc::new(payment_service.with_tasks(queue)),
                base.db.clone(),
                base.notary.clone(),
                host.services.clone(),
                base.config.payments.hold_days,
            )
            .with_kept_inputs(base.kept_inputs.clone()),
        )
    })
}
