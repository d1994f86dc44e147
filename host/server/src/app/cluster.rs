//! A host among those that serve one ledger in PostgreSQL: it joins, says that it
//! is alive, stands for the lead, and leaves.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tollbridge_core::config::{Config, RegistryConfig};
use tollbridge_core::time::follow_clock;
use tollbridge_http::{Peers, Standing};
use tollbridge_postgres::{Beat, Candidate, Compactor, Leadership, Membership, PostgresSettings};
use tollbridge_store::{Db, HostId, Hosts, Store};
use zeroize::Zeroizing;

use super::engine::database;
use super::registry_mirror::RegistryMirror;
use crate::exit::Exit;

/// How often a host says that it is alive.
const BEAT_EVERY: Duration = Duration::from_millis(250);
/// How often it asks whether it is its turn to lead.
const ASK_EVERY: Duration = Duration::from_millis(100);
/// How long it waits when the database is back: the host that leads then comes
/// first, and nothing is taken over without need.
const AFTER_LOSS: Duration = Duration::from_secs(2);
/// A host that says nothing for so long, while the one that leads hears others, is
/// taken for dead.
const SILENT_MAX: Duration = Duration::from_secs(3);
/// When no host says that it leads for so long, whoever has the lead loses it.
const LEADERLESS_MAX: Duration = Duration::from_secs(2);
/// How long a host that joins waits: every other one has seen its row by then, or
/// cannot commit.
const KNOWN_AFTER: Duration = Duration::from_secs(1);
/// Slower answers say nothing about the time.
const CLOCK_ANSWER_MAX: Duration = Duration::from_millis(100);

/// What a host is among the others.
pub(super) struct Cluster {
    /// All that serve, as rows of the ledger say.
    pub(super) hosts: Arc<Hosts>,
    /// What requests need to know of them.
    pub(super) peers: Arc<Peers>,
    /// Where other hosts are answered.
    pub(super) listener: Mutex<Option<TcpListener>>,
    /// Woken when another host has published something.
    pub(super) published: Arc<Notify>,
    settings: PostgresSettings,
    membership: Arc<Membership>,
    db: Db,
    standing: watch::Sender<Standing>,
    look: Arc<Notify>,
    /// Whether it has the lead; it may not do its duties yet.
    leads: AtomicBool,
    leadership: Mutex<Option<Leadership>>,
    _compactor: Compactor,
}

impl Cluster {
    /// The cluster of a ledger in PostgreSQL; none where the ledger is this host's.
    pub(super) async fn open(
        config: &Config,
        db: &Db,
        hosts: Option<&Arc<Hosts>>,
        secret: Zeroizing<[u8; 32]>,
    ) -> Result<Option<Arc<Self>>> {
        let (Some(settings), Some(hosts)) = (database(config), hosts) else { return Ok(None) };
        let listen = config.store.peer_listen.unwrap_or_else(|| SocketAddr::new(config.server.listen.ip(), 0));
        let listener = TcpListener::bind(listen)
            .await
            .with_context(|| format!("cannot listen on {listen} for other hosts; set store.peer_listen"))?;
        let membership = Arc::new(Membership::new(settings.clone(), hosts.own().as_str().to_owned()));
        let (standing, heard) = watch::channel(Standing::Unknown);
        let look = Arc::new(Notify::new());
        Ok(Some(Arc::new(Self {
            hosts: hosts.clone(),
            peers: Arc::new(Peers::new(hosts.clone(), secret, heard, look.clone())),
            listener: Mutex::new(Some(listener)),
            published: Arc::default(),
            membership,
            db: db.clone(),
            standing,
            look,
            leads: AtomicBool::default(),
            leadership: Mutex::default(),
            _compactor: Compactor::start(settings.clone())?,
            settings,
        })))
    }

    /// Joins the hosts that serve, and stands for the lead. What it gets is the
    /// listener for other hosts, and what tells when this host is to lead.
    pub(super) async fn begin(self: &Arc<Self>, config: &Config) -> Result<(TcpListener, watch::Receiver<bool>)> {
        let listener = self.listener.lock().take().context("this host has joined already")?;
        let address = self.membership.join(config.store.peer_address.clone(), listener.local_addr()?).await?;
        // Nothing is written by a clock that is wrong.
        self.hear(&self.membership.beat(false).await?);
        self.hosts.join().await.context("this host cannot join the ledger")?;
        if self.hosts.has_others() {
            tokio::time::sleep(KNOWN_AFTER).await;
        }
        tracing::info!(host = self.hosts.own().as_str(), address, hosts = self.hosts.count(), "serves with others");
        let (elected, is_elected) = watch::channel(false);
        let candidate = Candidate::new(self.settings.clone())?;
        let cluster = self.clone();
        std::thread::Builder::new().name("candidate".to_owned()).spawn(move || cluster.stand(candidate, &elected))?;
        tokio::spawn(self.clone().say_alive());
        tokio::spawn(self.clone().follow_others());
        Ok((listener, is_elected))
    }

    /// Resolves when a host leads, this one or another.
    pub(super) async fn wait_for_leader(&self) -> Result<()> {
        self.standing.subscribe().wait_for(|standing| *standing != Standing::Unknown).await?;
        Ok(())
    }

    /// Shares versions of plugins with the other hosts: what they have now is here
    /// when this resolves, and what they publish later comes by itself.
    pub(super) async fn share_registry(&self, registry: &RegistryConfig, store: Arc<dyn Store>) {
        let (folder, publishers) = (registry.dir.clone(), registry.publishers.clone());
        let mirror = RegistryMirror::new(self.settings.clone(), folder, publishers, store);
        if let Err(error) = mirror.compare().await {
            tracing::warn!(error = format!("{error:#}"), "plugins of other hosts may be missing here");
        }
        tokio::spawn(mirror.run(self.published.clone()));
    }

    /// This host does what one does for all, and answers for the others.
    pub(super) fn lead(&self) {
        self.standing.send_replace(Standing::Leads);
    }

    /// Leaves the hosts that serve, and the lead.
    pub(super) async fn leave(&self) {
        if let Err(error) = self.hosts.remove(self.hosts.own()).await {
            tracing::warn!(%error, "others will take this host for dead in a moment");
        }
        if let Err(error) = self.membership.remove(self.hosts.own().as_str()).await {
            tracing::warn!(%error, "others will take this host for dead in a moment");
        }
        let leadership = self.leadership.lock().take();
        // It waits for its thread.
        let _ = tokio::task::spawn_blocking(move || drop(leadership)).await;
    }

    /// Waits for the lead, on a thread of its own.
    fn stand(&self, mut candidate: Candidate, elected: &watch::Sender<bool>) {
        let (mut answered, mut was_away) = (Instant::now(), false);
        loop {
            let asked = match was_away {
                true => candidate.sees_hosts().map(|_| false),
                false => candidate.ask(),
            };
            match asked {
                Ok(true) => break,
                Ok(false) => {
                    // The host that leads has lost the database, too, and asks first.
                    let back = std::mem::take(&mut was_away);
                    std::thread::sleep(if back { AFTER_LOSS } else { ASK_EVERY });
                    answered = Instant::now();
                }
                Err(error) if error.is_passing() && answered.elapsed() < self.settings.patience => {
                    tracing::warn!(%error, "the database is away");
                    was_away = true;
                    std::thread::sleep(ASK_EVERY);
                }
                Err(error) => ended(&format!("the database stayed away: {error}")),
            }
        }
        match candidate.lead(|why| ended(&why)) {
            Ok(leadership) => {
                *self.leadership.lock() = Some(leadership);
                tracing::info!("this host leads");
                self.leads.store(true, Ordering::SeqCst);
                self.look.notify_one();
                elected.send_replace(true);
            }
            Err(error) => ended(&format!("the lead cannot be kept: {error}")),
        }
    }

    /// Says that this host is alive and hears of the others, until the process ends.
    async fn say_alive(self: Arc<Self>) {
        let mut silent = Silence::default();
        let (mut registry, mut leaderless) = (0, Instant::now());
        loop {
            // Hosts that join say first that they are alive.
            let known = self.hosts.live();
            match self.membership.beat(self.leads.load(Ordering::SeqCst)).await {
                Ok(beat) => {
                    if !beat.is_known && self.hosts.is_live(self.hosts.own().as_str()) {
                        ended("others have taken this host for dead");
                    }
                    if beat.registry != registry {
                        registry = beat.registry;
                        self.published.notify_one();
                    }
                    self.hear(&beat);
                    let dead = silent.observe(known, &beat);
                    if self.leads.load(Ordering::SeqCst) {
                        self.remove(dead).await;
                    } else if beat.leader.is_some() {
                        leaderless = Instant::now();
                    } else if leaderless.elapsed() >= LEADERLESS_MAX {
                        leaderless = Instant::now();
                        self.depose().await;
                    }
                }
                Err(error) => {
                    (silent, leaderless) = (Silence::default(), Instant::now());
                    tracing::warn!(%error, "the database does not hear that this host is alive");
                }
            }
            let _ = tokio::time::timeout(BEAT_EVERY, self.look.notified()).await;
        }
    }

    /// Takes in what others write though nobody asks for it.
    async fn follow_others(self: Arc<Self>) {
        loop {
            tokio::time::sleep(BEAT_EVERY).await;
            if let Err(error) = self.db.writer().catch_up().await {
                tracing::warn!(%error, "what other hosts have written is not known here");
            }
        }
    }

    fn hear(&self, beat: &Beat) {
        if beat.round_trip <= CLOCK_ANSWER_MAX {
            let half_ms = u64::try_from(beat.round_trip.as_millis() / 2).unwrap_or(0);
            if let Some(difference_ms) = follow_clock(beat.database_ms.saturating_add(half_ms)) {
                tracing::warn!(difference_ms, "this machine's clock is wrong; the database's is used");
            }
        }
        let leader = beat.leader.clone().map_or(Standing::Unknown, Standing::Follows);
        self.standing.send_if_modified(|standing| {
            let changes = *standing != Standing::Leads && *standing != leader;
            if changes {
                *standing = leader;
            }
            changes
        });
    }

    /// The lock of the lead is free when its host dies, but not when it is frozen.
    async fn depose(&self) {
        tracing::warn!("no host leads; whoever has the lead and says nothing loses it");
        if let Err(error) = self.membership.depose().await {
            tracing::error!(%error, "the lead cannot be taken from a host that says nothing");
        }
    }

    /// What hosts had that are dead is free again.
    async fn remove(&self, dead: Vec<HostId>) {
        for host in dead.into_iter().filter(|host| host != self.hosts.own()) {
            tracing::warn!(host = host.as_str(), "a host is dead");
            if let Err(error) = self.hosts.remove(&host).await {
                tracing::warn!(%error, "a dead host is still among those that serve");
            } else if let Err(error) = self.membership.remove(host.as_str()).await {
                tracing::debug!(%error, "a dead host is still known to the database");
            }
        }
    }
}

/// Since when hosts have said nothing, without a gap in hearing others: after the
/// database was away nobody is dead.
#[derive(Default)]
struct Silence(HashMap<HostId, Instant>);

impl Silence {
    /// Those of the known hosts that have been silent for too long.
    fn observe(&mut self, known: Vec<HostId>, beat: &Beat) -> Vec<HostId> {
        let is_silent = |host: &HostId| !beat.alive.iter().any(|alive| alive == host.as_str());
        let silent: Vec<HostId> = known.into_iter().filter(is_silent).collect();
        self.0.retain(|host, _| silent.contains(host));
        let now = Instant::now();
        let since = silent.into_iter().map(|host| (*self.0.entry(host.clone()).or_insert(now), host));
        since.filter(|(since, _)| now.duration_since(*since) >= SILENT_MAX).map(|(_, host)| host).collect()
    }
}

/// What this host has begun is not charged; it starts again as a new one.
pub(super) fn ended(why: &str) -> ! {
    tracing::error!(why, "this host serves no more; stopping at once");
    Exit::Replaced.now()
}
