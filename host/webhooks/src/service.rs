//! Webhooks as the rest of the host uses them: registered, delivered, replayed.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tollbridge_core::config::Webhooks as Settings;
use tollbridge_core::egress::Egress;
use tollbridge_core::limits::{WEBHOOK_ATTEMPTS_AT_ONCE_MAX, WEBHOOK_OVERLAP_MS_MAX, WEBHOOKS_PER_ACCOUNT_MAX};
use tollbridge_ledger::events;
use tollbridge_store::{Change, Db, Expect, OutboxPosition};

use crate::courier::{Depot, Served};
use crate::endpoint::{Endpoint, Registration, Signing};
use crate::error::WebhookError;
use crate::listeners::Listeners;
use crate::secret::verifies;
use crate::standing::{Kept, Standing};
use crate::{courier, endpoint, janitor, queue, secret, standing};

/// How long a rolled secret goes on signing, unless the owner says otherwise.
pub const OVERLAP_MS: u64 = 24 * 60 * 60 * 1000;

/// All endpoints, served.
pub struct Webhooks {
    pub(super) depot: Arc<Depot>,
    pub(super) served: Mutex<HashMap<String, Couriered>>,
    /// Where couriers run.
    pub(super) runtime: Handle,
    /// Held while an account's endpoints are counted and one is added.
    pub(super) registering: tokio::sync::Mutex<()>,
}

pub(super) struct Couriered {
    pub(super) served: Arc<Served>,
    pub(super) task: JoinHandle<()>,
}

/// An endpoint with how it stands.
pub struct Shown {
    pub endpoint: Arc<Endpoint>,
    pub standing: Standing,
    /// Events that its account missed because its endpoints did not keep up,
    /// since this server started.
    pub missed: u64,
}

impl Webhooks {
    /// Starts a courier on `runtime` for every endpoint that there is.
    pub fn start(
        db: Db,
        listeners: Arc<Listeners>,
        settings: &Settings,
        clock: fn() -> u64,
        runtime: Handle,
    ) -> Result<Self, WebhookError> {
        let depot = Depot {
            egress: Egress::new(settings.allow_networks.clone())?,
            db,
            listeners,
            signature_header: settings.signature_header.clone(),
            retries: settings.retries.clone(),
            clock,
            healthy: Semaphore::new(WEBHOOK_ATTEMPTS_AT_ONCE_MAX),
            failing: Semaphore::new(WEBHOOK_ATTEMPTS_AT_ONCE_MAX),
            lag_ms: AtomicU64::default(),
            ending: AtomicBool::default(),
        };
        let registering = tokio::sync::Mutex::default();
        let all = Self { depot: Arc::new(depot), served: Mutex::default(), runtime, registering };
        for endpoint in endpoint::load(all.depot.db.store(), None)? {
            let standing = Standing::load(all.depot.db.store(), &endpoint.id)?;
            let standing = standing.unwrap_or_else(|| Standing { cursor: endpoint.after, ..Standing::default() });
            all.send_courier(endpoint, standing);
        }
        all.runtime.spawn(janitor::work(all.depot.clone()));
        let listeners = all.depot.listeners.clone();
        all.runtime.spawn(async move { listeners.ring().await });
        Ok(all)
    }

    /// A new endpoint of an account, and its secret, which is shown this once.
    pub async fn register(&self, account: &str, wish: Registration) -> Result<(Endpoint, String), WebhookError> {
        let _turn = self.registering.lock().await;
        if self.of(account).len() >= WEBHOOKS_PER_ACCOUNT_MAX {
            return Err(WebhookError::TooMany);
        }
        let size = self.depot.db.head()?.size;
        let after = size.checked_sub(1).map(|seq| OutboxPosition { seq, index: u16::MAX });
        let endpoint = wish.endpoint(account, &self.depot.egress, after, (self.depot.clock)())?;
        let standing = Standing { cursor: after, ..Standing::default() };
        let puts = vec![endpoint.put(Expect::Absent)?, standing.put(&endpoint.id)?];
        self.depot.db.submit(Change { puts, ..Change::default() }).await?;
        self.send_courier(endpoint.clone(), standing);
        let secret = endpoint.secrets.first().map(|first| first.secret.clone()).unwrap_or_default();
        Ok((endpoint, secret))
    }

    pub(super) fn send_courier(&self, endpoint: Endpoint, standing: Standing) {
        let waker = self.depot.listeners.add(&endpoint);
        let id = endpoint.id.clone();
        let standing = tokio::sync::Mutex::new(Kept::written(standing));
        let served = Arc::new(Served { endpoint: ArcSwap::from_pointee(endpoint), standing, waker });
        let task = self.runtime.spawn(courier::serve(self.depot.clone(), served.clone()));
        self.served.lock().insert(id, Couriered { served, task });
    }

    /// Endpoints of an account, the oldest first.
    pub fn of(&self, account: &str) -> Vec<Arc<Endpoint>> {
        let served = self.served.lock();
        let all = served.values().map(|one| one.served.endpoint.load_full());
        let mut own: Vec<_> = all.filter(|endpoint| endpoint.account == account).collect();
        own.sort_by(|a, b| (a.created_ms, &a.id).cmp(&(b.created_ms, &b.id)));
        own
    }

    /// One endpoint of an account. That of another is as if it were not there.
    pub async fn show(&self, account: &str, id: &str) -> Result<Shown, WebhookError> {
        let served = self.find(account, id)?;
        let standing = served.standing.lock().await.now().clone();
        let missed = self.depot.listeners.account(account).map_or(0, |account| account.missed());
        Ok(Shown { endpoint: served.endpoint.load_full(), standing, missed })
    }

    pub(super) fn find(&self, account: &str, id: &str) -> Result<Arc<Served>, WebhookError> {
        let served = self.served.lock().get(id).map(|one| one.served.clone());
        let served = served.filter(|served| served.endpoint.load().account == account);
        served.ok_or_else(|| WebhookError::NoWebhook(id.chars().take(64).collect()))
    }

    /// Deletes an endpoint with all that waits for it.
    pub async fn delete(&self, account: &str, id: &str) -> Result<(), WebhookError> {
        let served = self.find(account, id)?;
        let endpoint = served.endpoint.load_full();
        let Some(couriered) = self.served.lock().remove(id) else {
            return Err(WebhookError::NoWebhook(id.to_owned()));
        };
        couriered.task.abort();
        // What the courier was about to write is in the writer's queue before what follows.
        let _turn = served.standing.lock().await;
        self.depot.listeners.remove(&endpoint);
        let puts = [endpoint.key(), standing::key(id)].map(|key| endpoint::row(key, None, Expect::Any));
        self.depot.db.submit(Change { puts: puts.into(), ..Change::default() }).await?;
        loop {
            let keys = queue::keys(self.depot.db.store(), id, 1_000)?;
            if keys.is_empty() {
                return Ok(());
            }
            let puts = keys.into_iter().map(|key| endpoint::row(key, None, Expect::Any)).collect();
            self.depot.db.submit(Change { puts, ..Change::default() }).await?;
        }
    }

    /// Gives an endpoint a new secret; the old one signs beside it for a while.
    pub async fn roll(
        &self,
        account: &str,
        id: &str,
        secret: Option<String>,
        overlap_ms: u64,
    ) -> Result<String, WebhookError> {
        if overlap_ms > WEBHOOK_OVERLAP_MS_MAX {
            return Err(WebhookError::Overlap);
        }
        let secret = secret.map_or_else(secret::new, secret::check)?;
        let now_ms = (self.depot.clock)();
        self.change(account, id, |endpoint| {
            endpoint.secrets.retain(|one| one.until_ms.is_none());
            let until = now_ms.saturating_add(overlap_ms);
            endpoint.secrets.iter_mut().for_each(|one| one.until_ms = Some(until));
            endpoint.secrets.insert(0, Signing { secret: secret.clone(), until_ms: None });
        })
        .await?;
        Ok(secret)
    }

    /// Serves an endpoint again that was disabled because its receiver was gone.
    pub async fn enable(&self, account: &str, id: &str) -> Result<(), WebhookError> {
        self.change(account, id, |endpoint| endpoint.disabled = None).await
    }

    pub(super) async fn change(
        &self,
        account: &str,
        id: &str,
        change: impl FnOnce(&mut Endpoint),
    ) -> Result<(), WebhookError> {
        let served = self.find(account, id)?;
        // Nobody else changes the row while this is held.
        let _turn = served.standing.lock().await;
        let mut endpoint = Endpoint::clone(&served.endpoint.load());
        change(&mut endpoint);
        let puts = vec![endpoint.put(Expect::Any)?];
        self.depot.db.submit(Change { puts, ..Change::default() }).await?;
        self.depot.listeners.add(&endpoint);
        served.endpoint.store(Arc::new(endpoint));
        served.waker.notify_one();
        Ok(())
    }

    /// Ends deliveries and writes down how far they came, so that the next start
    /// repeats only what a receiver took too long for.
    pub async fn close(&self) -> Result<(), WebhookError> {
        self.depot.ending.store(true, Ordering::SeqCst);
        let mut all: Vec<_> = self.served.lock().drain().map(|(_, couriered)| couriered).collect();
        all.iter().for_each(|one| one.served.waker.notify_one());
        let ended = futures_util::future::join_all(all.iter_mut().map(|one| &mut one.task));
        if tokio::time::timeout(CLOSE_WAIT, ended).await.is_err() {
            all.iter().for_each(|one| one.task.abort());
        }
        let mut puts = Vec::new();
        for one in &all {
            let kept = one.served.standing.lock().await;
            if kept.due().is_some() {
                puts.push(kept.now().put(&one.served.endpoint.load().id)?);
            }
        }
        if !puts.is_empty() {
            self.depot.db.submit(Change { puts, ..Change::default() }).await?;
        }
        Ok(())
    }

    /// How late events were when their couriers came to them, at most, since
    /// this was asked last. Endpoints that fail do not count.
    pub fn lag(&self) -> Duration {
        Duration::from_millis(self.depot.lag_ms.swap(0, Ordering::Relaxed))
    }

    /// Whether a signature is that of a body under a secret of the endpoint.
    pub fn verifies(&self, account: &str, id: &str, body: &[u8], given: &str) -> Result<bool, WebhookError> {
        let endpoint = self.find(account, id)?.endpoint.load_full();
        Ok(endpoint.signing((self.depot.clock)()).any(|secret| verifies(secret, body, given)))
    }

    /// Sends a test event to every endpoint of an account; its id, and theirs.
    pub async fn test(&self, account: &str) -> Result<(String, Vec<String>), WebhookError> {
        let endpoints: Vec<String> =
            self.of(account).iter().filter(|one| one.disabled.is_none()).map(|one| one.id.clone()).collect();
        let told = vec![events::webhook_test(account, (self.depot.clock)())];
        let receipt = events::announce(self.depot.db.writer(), told).await?;
        let (seq, _) = receipt.and_then(|receipt| receipt.sealed).ok_or(WebhookError::NoneRegistered)?;
        let row = self.depot.db.outgoing(account, OutboxPosition { seq, index: 0 })?;
        let id = row.map(|row| events::EventId::of(&row).to_string()).ok_or(WebhookError::NoneRegistered)?;
        Ok((id, endpoints))
    }
}

impl Drop for Webhooks {
    fn drop(&mut self) {
        self.served.lock().values().for_each(|one| one.task.abort());
    }
}

/// How long the end of a server waits for deliveries under way.
pub(super) const CLOSE_WAIT: Duration = Duration::from_secs(5);

/// How often what was delivered is looked through for what can be forgotten.
pub(super) const TIDY_EVERY: Duration = Duration::from_secs(60);
