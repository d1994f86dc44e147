//! This host as one of several that serve one ledger in PostgreSQL: it joins, sends
//! heartbeats, takes part in the leader election, and leaves.

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
use tollbridge_http::{HostRole, Peers};
use tollbridge_postgres::{Candidate, Compactor, Heartbeat, Leadership, Membership, PostgresSettings};
use tollbridge_store::{Db, HostId, Hosts, Store};
use zeroize::Zeroizing;

use super::engine::database;
use super::registry_mirror::RegistryMirror;
use crate::exit::Exit;

/// Interval between heartbeats.
const HEARTBEAT_INTERVAL: Duration = Duration::from_millis(250);
/// Interval between attempts to become leader.
const CAMPAIGN_INTERVAL: Duration = Duration::from_millis(100);
/// Delay after a database outage before this host tries to become leader. The current
/// leader can reconnect first, which avoids a needless takeover.
const AFTER_LOSS: Duration = Duration::from_secs(2);
/// Time without a heartbeat after which a host is declared dead. Only time in which the
/// leader can read heartbeats counts.
const SILENT_MAX: Duration = Duration::from_secs(3);
/// If no heartbeat names a leader for this long, the holder of the leader lock loses the
/// lock.
const LEADERLESS_MAX: Duration = Duration::from_secs(2);
/// Delay after joining. After it, every other host has either seen this host's row or can
/// no longer commit.
const KNOWN_AFTER: Duration = Duration::from_secs(1);
/// Maximum round-trip time of a database answer that may be used to set the clock.
const CLOCK_ANSWER_MAX: Duration = Duration::from_millis(100);

/// This host's membership in the cluster.
pub(super) struct Cluster {
    /// All hosts that serve, according to rows of the ledger.
    pub(super) hosts: Arc<Hosts>,
    /// The view of the cluster that requests use.
    pub(super) peers: Arc<Peers>,
    /// The listener for other hosts.
    pub(super) listener: Mutex<Option<TcpListener>>,
    /// Notified when another host publishes a plugin.
    pub(super) published: Arc<Notify>,
    settings: PostgresSettings,
    membership: Arc<Membership>,
    db: Db,
    /// Whether this host leads, or which host it follows.
    role: watch::Sender<HostRole>,
    /// Wakes the heartbeat task early, to check which host leads.
    leader_check: Arc<Notify>,
    /// Whether this host holds the leader lock; it may not have begun the leader's duties
    /// yet.
    leads: AtomicBool,
    leadership: Mutex<Option<Leadership>>,
    _compactor: Compactor,
}

impl Cluster {
    /// Opens the cluster of a ledger in PostgreSQL; `None` if the ledger is in this
    /// host's own files.
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
        let (role, role_changes) = watch::channel(HostRole::Unknown);
        let leader_check = Arc::new(Notify::new());
        Ok(Some(Arc::new(Self {
            hosts: hosts.clone(),
            peers: Arc::new(Peers::new(hosts.clone(), secret, role_changes, leader_check.clone())),
            listener: Mutex::new(Some(listener)),
            published: Arc::default(),
            membership,
            db: db.clone(),
            role,
            leader_check,
            leads: AtomicBool::default(),
            leadership: Mutex::default(),
            _compactor: Compactor::start(settings.clone())?,
            settings,
        })))
    }

    /// Joins the hosts that serve, and starts to compete for leadership. Returns the
    /// listener for other hosts, and a watch that reports when this host is elected.
    pub(super) async fn begin(self: &Arc<Self>, config: &Config) -> Result<(TcpListener, watch::Receiver<bool>)> {
        let listener = self.listener.lock().take().context("this host has already joined")?;
        let address = self.membership.join(config.store.peer_address.clone(), listener.local_addr()?).await?;
        // Correct the clock before anything is written.
        self.observe_heartbeat(&self.membership.heartbeat(false).await?);
        self.hosts.join().await.context("this host cannot join the ledger")?;
        if self.hosts.has_others() {
            tokio::time::sleep(KNOWN_AFTER).await;
        }
        tracing::info!(host = self.hosts.own().as_str(), address, hosts = self.hosts.count(), "serves with others");
        let (elected, is_elected) = watch::channel(false);
        let candidate = Candidate::new(self.settings.clone())?;
        let cluster = self.clone();
        std::thread::Builder::new()
            .name("candidate".to_owned())
            .spawn(move || cluster.campaign(candidate, &elected))?;
        tokio::spawn(self.clone().send_heartbeats());
        tokio::spawn(self.clone().read_other_hosts());
        Ok((listener, is_elected))
    }

    /// Waits until this host or another leads.
    pub(super) async fn wait_for_leader(&self) -> Result<()> {
        self.role.subscribe().wait_for(|role| *role != HostRole::Unknown).await?;
        Ok(())
    }

    /// Shares plugin versions with the other hosts: fetches their current ones, then follows later
    /// ones in the background.
    pub(super) async fn share_registry(&self, registry: &RegistryConfig, store: Arc<dyn Store>) {
        let (folder, publishers) = (registry.dir.clone(), registry.publishers.clone());
        let mirror = RegistryMirror::new(self.settings.clone(), folder, publishers, store);
        if let Err(error) = mirror.compare().await {
            tracing::warn!(error = format!("{error:#}"), "cannot fetch the plugins of other hosts");
        }
        tokio::spawn(mirror.run(self.published.clone()));
    }

    /// Marks this host as the leader.
    pub(super) fn lead(&self) {
        self.role.send_replace(HostRole::Leader);
    }

    /// Removes this host from the hosts that serve, and releases the leader lock.
    pub(super) async fn leave(&self) {
        if let Err(error) = self.hosts.remove(self.hosts.own()).await {
            tracing::warn!(%error, "cannot leave the ledger's hosts; the others will soon declare this host dead");
        }
        if let Err(error) = self.membership.remove(self.hosts.own().as_str()).await {
            tracing::warn!(%error, "cannot leave the membership; the others will soon declare this host dead");
        }
        let leadership = self.leadership.lock().take();
        // Dropping the leadership joins its thread, which blocks.
        let _ = tokio::task::spawn_blocking(move || drop(leadership)).await;
    }

    /// Competes for the leader lock until this host is elected. Blocks, so it runs on its
    /// own thread.
    fn campaign(&self, mut candidate: Candidate, elected: &watch::Sender<bool>) {
        let (mut answered, mut was_unreachable) = (Instant::now(), false);
        loop {
            // After an outage, only test the connection; `ask` would take a free lock at once,
            // without the delay.
            let asked = match was_unreachable {
                true => candidate.any_host_alive().map(|_| false),
                false => candidate.ask(),
            };
            match asked {
                Ok(true) => break,
                Ok(false) => {
                    // The current leader may have lost the database too; let it reconnect
                    // first.
                    let back = std::mem::take(&mut was_unreachable);
                    std::thread::sleep(if back { AFTER_LOSS } else { CAMPAIGN_INTERVAL });
                    answered = Instant::now();
                }
                Err(error) if error.is_transient() && answered.elapsed() < self.settings.patience => {
                    tracing::warn!(%error, "the database is unreachable");
                    was_unreachable = true;
                    std::thread::sleep(CAMPAIGN_INTERVAL);
                }
                Err(error) => ended(&format!("the database remained unreachable: {error}")),
            }
        }
        match candidate.lead(|why| ended(&why)) {
            Ok(leadership) => {
                *self.leadership.lock() = Some(leadership);
                tracing::info!("this host leads");
                self.leads.store(true, Ordering::SeqCst);
                self.leader_check.notify_one();
                elected.send_replace(true);
            }
            Err(error) => ended(&format!("cannot keep the leader lock: {error}")),
        }
    }

    /// Sends heartbeats and observes those of other hosts, until the process ends.
    async fn send_heartbeats(self: Arc<Self>) {
        let mut silent = Silence::default();
        let (mut registry, mut leaderless) = (0, Instant::now());
        loop {
            // A host sends its first heartbeat before it joins. Read the list first, so
            // that every host in it has already sent a heartbeat.
            let known = self.hosts.live();
            match self.membership.heartbeat(self.leads.load(Ordering::SeqCst)).await {
                Ok(beat) => {
                    // The second condition excludes a planned exit: `leave` removes this
                    // host from the list before it removes the membership.
                    if !beat.is_known && self.hosts.is_live(self.hosts.own().as_str()) {
                        ended("the other hosts declared this host dead");
                    }
                    if beat.registry != registry {
                        registry = beat.registry;
                        self.published.notify_one();
                    }
                    self.observe_heartbeat(&beat);
                    let dead = silent.observe(known, &beat);
                    if self.leads.load(Ordering::SeqCst) {
                        self.remove(dead).await;
                    } else if beat.leader.is_some() {
                        leaderless = Instant::now();
                    } else if leaderless.elapsed() >= LEADERLESS_MAX {
                        leaderless = Instant::now();
                        self.remove_silent_leader().await;
                    }
                }
                Err(error) => {
                    (silent, leaderless) = (Silence::default(), Instant::now());
                    tracing::warn!(%error, "cannot send a heartbeat to the database");
                }
            }
            let _ = tokio::time::timeout(HEARTBEAT_INTERVAL, self.leader_check.notified()).await;
        }
    }

    /// Reads the writes of other hosts regularly, even while this host gets no requests.
    async fn read_other_hosts(self: Arc<Self>) {
        loop {
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
            if let Err(error) = self.db.writer().catch_up().await {
                tracing::warn!(%error, "cannot read the latest writes of other hosts");
            }
        }
    }

    fn observe_heartbeat(&self, beat: &Heartbeat) {
        if beat.round_trip <= CLOCK_ANSWER_MAX {
            // The database read its clock about halfway through the round trip.
            let half_ms = u64::try_from(beat.round_trip.as_millis() / 2).unwrap_or(0);
            if let Some(difference_ms) = follow_clock(beat.database_ms.saturating_add(half_ms)) {
                tracing::warn!(difference_ms, "this machine's clock is wrong; using the database's");
            }
        }
        let leader = beat.leader.clone().map_or(HostRole::Unknown, HostRole::Follower);
        self.role.send_if_modified(|role| {
            let changes = *role != HostRole::Leader && *role != leader;
            if changes {
                *role = leader;
            }
            changes
        });
    }

    /// Removes a leader that has stopped reporting. The database releases the leader lock
    /// when its holder dies, but not when it hangs.
    async fn remove_silent_leader(&self) {
        tracing::warn!(
            "no host reports that it leads; ending the session of the silent host that holds the leader lock"
        );
        if let Err(error) = self.membership.remove_silent_leader().await {
            tracing::error!(%error, "cannot take the leader lock from a silent host");
        }
    }

    /// Removes dead hosts from the ledger, which releases their reservations.
    async fn remove(&self, dead: Vec<HostId>) {
        for host in dead.into_iter().filter(|host| host != self.hosts.own()) {
            tracing::warn!(host = host.as_str(), "a host is dead");
            if let Err(error) = self.hosts.remove(&host).await {
                tracing::warn!(%error, "cannot remove a dead host from the ledger's hosts");
            } else if let Err(error) = self.membership.remove(host.as_str()).await {
                tracing::debug!(%error, "cannot remove a dead host from the membership");
            }
        }
    }
}

/// The time since which each silent host has sent no heartbeat. Reset whenever this host
/// cannot read heartbeats, so that an outage of the database makes no host count as dead.
#[derive(Default)]
struct Silence(HashMap<HostId, Instant>);

impl Silence {
    /// Returns the known hosts that have been silent for too long.
    fn observe(&mut self, known: Vec<HostId>, beat: &Heartbeat) -> Vec<HostId> {
        let is_silent = |host: &HostId| !beat.alive.iter().any(|alive| alive == host.as_str());
        let silent: Vec<HostId> = known.into_iter().filter(is_silent).collect();
        self.0.retain(|host, _| silent.contains(host));
        let now = Instant::now();
        let since = silent.into_iter().map(|host| (*self.0.entry(host.clone()).or_insert(now), host));
        since.filter(|(since, _)| now.duration_since(*since) >= SILENT_MAX).map(|(_, host)| host).collect()
    }
}

/// Ends the process. Calls in flight are not charged; a restart joins as a new host.
pub(super) fn ended(why: &str) -> ! {
    tracing::error!(why, "this host can no longer serve; stopping at once");
    Exit::Replaced.now()
}
