//! The interface of this crate to the rest of the host: registers endpoints, and delivers
//! and replays events.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tollbridge_core::config::WebhooksConfig;
use tollbridge_core::egress::Egress;
use tollbridge_core::time::DAY_MS;
use tollbridge_ledger::events;
use tollbridge_store::{Change, Db, Expect, OutboxPosition};

use crate::delivery_progress::{BufferedProgress, DeliveryProgress};
use crate::delivery_worker::{DeliveryContext, EndpointState, attempt_places};
use crate::endpoint::{Registration, Signing, WebhookEndpoint};
use crate::endpoint_index::EndpointIndex;
use crate::endpoint_rows::EndpointRows;
use crate::error::WebhookError;
use crate::limits::{WEBHOOK_OVERLAP_MS_MAX, WEBHOOKS_PER_ACCOUNT_MAX};
use crate::secret::verifies;
use crate::{delivery_progress, delivery_worker, endpoint, janitor, queue, secret};

/// Default time for which the old secret stays valid after a new one was set.
pub const OVERLAP_MS: u64 = DAY_MS;

/// The webhook service: all endpoints and their delivery workers.
pub struct Webhooks {
    pub(super) context: Arc<DeliveryContext>,
    pub(super) served: Mutex<HashMap<String, DeliveryWorker>>,
    /// The runtime that runs the delivery workers.
    pub(super) runtime: Handle,
    /// Held while an endpoint is added, so that the limit per account cannot be exceeded.
    pub(super) registering: tokio::sync::Mutex<()>,
}

pub(super) struct DeliveryWorker {
    pub(super) served: Arc<EndpointState>,
    pub(super) task: JoinHandle<()>,
}

/// An endpoint with its progress.
pub struct EndpointView {
    /// The endpoint.
    pub endpoint: Arc<WebhookEndpoint>,
    /// Progress of its deliveries.
    pub progress: DeliveryProgress,
    /// Number of events that the account has missed since this server started, because
    /// its endpoints lagged.
    pub missed: u64,
}

impl Webhooks {
    /// Creates the service. It delivers nothing before [`Self::begin`], because another
    /// host may be delivering.
    pub fn idle(
        db: Db,
        endpoint_rows: Arc<EndpointRows>,
        endpoint_index: Arc<EndpointIndex>,
        settings: &WebhooksConfig,
        clock: fn() -> u64,
        runtime: Handle,
        egress: Egress,
    ) -> Self {
        let context = DeliveryContext {
            egress,
            db,
            endpoint_rows,
            endpoint_index,
            signature_header: settings.signature_header.clone(),
            retries: settings.retries.clone(),
            clock,
            healthy: attempt_places(),
            failing: attempt_places(),
            lag_ms: AtomicU64::default(),
            ending: AtomicBool::default(),
        };
        let registering = tokio::sync::Mutex::default();
        Self { context: Arc::new(context), served: Mutex::default(), runtime, registering }
    }

    /// Loads all endpoints and starts delivering.
    ///
    /// # Errors
    /// The endpoints cannot be read.
    pub fn begin(&self) -> Result<(), WebhookError> {
        for endpoint in self.context.endpoint_rows.load(self.context.db.store())? {
            let progress = DeliveryProgress::load(self.context.db.store(), &endpoint.id)?;
            let progress =
                progress.unwrap_or_else(|| DeliveryProgress { cursor: endpoint.after, ..DeliveryProgress::default() });
            self.start_worker(endpoint, progress);
        }
        self.runtime.spawn(janitor::work(self.context.clone()));
        let endpoint_index = self.context.endpoint_index.clone();
        self.runtime.spawn(async move { endpoint_index.wake_workers().await });
        Ok(())
    }

    /// Registers an endpoint of an account; returns the endpoint and its secret, which is
    /// never shown again.
    pub async fn register(&self, account: &str, wish: Registration) -> Result<(WebhookEndpoint, String), WebhookError> {
        let _turn = self.registering.lock().await;
        if self.of(account).len() >= WEBHOOKS_PER_ACCOUNT_MAX {
            return Err(WebhookError::TooMany);
        }
        let size = self.context.db.head()?.size;
        let after = size.checked_sub(1).map(|seq| OutboxPosition { seq, index: u16::MAX });
        let endpoint = wish.endpoint(account, &self.context.egress, after, (self.context.clock)())?;
        let progress = DeliveryProgress { cursor: after, ..DeliveryProgress::default() };
        let puts = vec![self.context.endpoint_rows.put(&endpoint, Expect::Absent)?, progress.put(&endpoint.id)?];
        self.context.db.submit(Change { puts, ..Change::default() }).await?;
        self.start_worker(endpoint.clone(), progress);
        let secret = endpoint.secrets.first().map(|first| first.secret.clone()).unwrap_or_default();
        Ok((endpoint, secret))
    }

    pub(super) fn start_worker(&self, endpoint: WebhookEndpoint, progress: DeliveryProgress) {
        let waker = self.context.endpoint_index.add(&endpoint);
        let id = endpoint.id.clone();
        let progress = tokio::sync::Mutex::new(BufferedProgress::written(progress));
        let served = Arc::new(EndpointState { endpoint: ArcSwap::from_pointee(endpoint), progress, waker });
        let task = self.runtime.spawn(delivery_worker::serve(self.context.clone(), served.clone()));
        self.served.lock().insert(id, DeliveryWorker { served, task });
    }

    /// Returns the endpoints of an account, oldest first.
    pub fn of(&self, account: &str) -> Vec<Arc<WebhookEndpoint>> {
        let served = self.served.lock();
        let all = served.values().map(|one| one.served.endpoint.load_full());
        let mut of_account: Vec<_> = all.filter(|endpoint| endpoint.account == account).collect();
        of_account.sort_by(|a, b| (a.created_ms, &a.id).cmp(&(b.created_ms, &b.id)));
        of_account
    }

    /// Returns every endpoint with its progress, sorted by account and then oldest first.
    pub async fn all(&self) -> Vec<EndpointView> {
        let served: Vec<Arc<EndpointState>> = self.served.lock().values().map(|one| one.served.clone()).collect();
        let mut views = Vec::with_capacity(served.len());
        for state in served {
            views.push(self.view(&state).await);
        }
        let order =
            |view: &EndpointView| (view.endpoint.account.clone(), view.endpoint.created_ms, view.endpoint.id.clone());
        views.sort_by_cached_key(order);
        views
    }

    /// Returns the account that owns an endpoint. For the operator, who has only the
    /// endpoint's id.
    pub fn owner_of(&self, id: &str) -> Option<String> {
        self.served.lock().get(id).map(|one| one.served.endpoint.load().account.clone())
    }

    async fn view(&self, state: &EndpointState) -> EndpointView {
        let (endpoint, progress) = (state.endpoint.load_full(), state.progress.lock().await.now().clone());
        let missed = self.context.endpoint_index.account(&endpoint.account).map_or(0, |account| account.missed());
        EndpointView { endpoint, progress, missed }
    }

    /// Returns one endpoint of an account. Another account's endpoint is reported as not
    /// found.
    pub async fn show(&self, account: &str, id: &str) -> Result<EndpointView, WebhookError> {
        let served = self.find(account, id)?;
        Ok(self.view(&served).await)
    }

    pub(super) fn find(&self, account: &str, id: &str) -> Result<Arc<EndpointState>, WebhookError> {
        let served = self.served.lock().get(id).map(|one| one.served.clone());
        let served = served.filter(|served| served.endpoint.load().account == account);
        served.ok_or_else(|| WebhookError::NoWebhook(id.chars().take(64).collect()))
    }

    /// Deletes an endpoint and its queue.
    pub async fn delete(&self, account: &str, id: &str) -> Result<(), WebhookError> {
        let served = self.find(account, id)?;
        let endpoint = served.endpoint.load_full();
        let Some(worker) = self.served.lock().remove(id) else {
            return Err(WebhookError::NoWebhook(id.to_owned()));
        };
        worker.task.abort();
        // Wait until the delivery worker's last write is queued, so that the deletion
        // comes after it.
        let _turn = served.progress.lock().await;
        self.context.endpoint_index.remove(&endpoint.account, &endpoint.id);
        let puts = [endpoint.key(), delivery_progress::key(id)].map(|key| endpoint::row(key, None, Expect::Any));
        self.context.db.submit(Change { puts: puts.into(), ..Change::default() }).await?;
        loop {
            let keys = queue::keys(self.context.db.store(), id, 1_000)?;
            if keys.is_empty() {
                return Ok(());
            }
            let puts = keys.into_iter().map(|key| endpoint::row(key, None, Expect::Any)).collect();
            self.context.db.submit(Change { puts, ..Change::default() }).await?;
        }
    }

    /// Sets a new secret for an endpoint; the old one also signs until the overlap ends.
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
        let now_ms = (self.context.clock)();
        self.change(account, id, |endpoint| {
            endpoint.secrets.retain(|one| one.until_ms.is_none());
            let until = now_ms.saturating_add(overlap_ms);
            endpoint.secrets.iter_mut().for_each(|one| one.until_ms = Some(until));
            endpoint.secrets.insert(0, Signing { secret: secret.clone(), until_ms: None });
        })
        .await?;
        Ok(secret)
    }

    /// Enables an endpoint that was disabled because its receiver answered 410.
    pub async fn enable(&self, account: &str, id: &str) -> Result<(), WebhookError> {
        self.change(account, id, |endpoint| endpoint.disabled = None).await
    }

    pub(super) async fn change(
        &self,
        account: &str,
        id: &str,
        change: impl FnOnce(&mut WebhookEndpoint),
    ) -> Result<(), WebhookError> {
        let served = self.find(account, id)?;
        // The endpoint's row is changed only while this lock is held.
        let _turn = served.progress.lock().await;
        let mut endpoint = WebhookEndpoint::clone(&served.endpoint.load());
        change(&mut endpoint);
        let puts = vec![self.context.endpoint_rows.put(&endpoint, Expect::Any)?];
        self.context.db.submit(Change { puts, ..Change::default() }).await?;
        self.context.endpoint_index.add(&endpoint);
        served.endpoint.store(Arc::new(endpoint));
        served.waker.notify_one();
        Ok(())
    }

    /// Stops deliveries and writes their progress, so that after a restart only the
    /// deliveries that did not finish in time are repeated.
    pub async fn close(&self) -> Result<(), WebhookError> {
        self.context.ending.store(true, Ordering::SeqCst);
        let mut all: Vec<_> = self.served.lock().drain().map(|(_, worker)| worker).collect();
        all.iter().for_each(|one| one.served.waker.notify_one());
        let ended = futures_util::future::join_all(all.iter_mut().map(|one| &mut one.task));
        if tokio::time::timeout(CLOSE_WAIT, ended).await.is_err() {
            all.iter().for_each(|one| one.task.abort());
        }
        let mut puts = Vec::new();
        for one in &all {
            let buffered = one.served.progress.lock().await;
            if buffered.due().is_some() {
                puts.push(buffered.now().put(&one.served.endpoint.load().id)?);
            }
        }
        if !puts.is_empty() {
            self.context.db.submit(Change { puts, ..Change::default() }).await?;
        }
        Ok(())
    }

    /// Returns the longest delay between an event and its first attempt since the last
    /// call of this function. Failing endpoints do not count.
    pub fn lag(&self) -> Duration {
        Duration::from_millis(self.context.lag_ms.swap(0, Ordering::Relaxed))
    }

    /// Returns whether `given` is the signature of a body under a valid secret of the
    /// endpoint.
    pub fn verifies(&self, account: &str, id: &str, body: &[u8], given: &str) -> Result<bool, WebhookError> {
        let endpoint = self.find(account, id)?.endpoint.load_full();
        Ok(endpoint.signing((self.context.clock)()).any(|secret| verifies(secret, body, given)))
    }

    /// Sends a test event to every endpoint of an account; returns the event's id and the
    /// ids of the enabled endpoints.
    pub async fn test(&self, account: &str) -> Result<(String, Vec<String>), WebhookError> {
        let endpoints: Vec<String> =
            self.of(account).iter().filter(|one| one.disabled.is_none()).map(|one| one.id.clone()).collect();
        let test_event = vec![events::webhook_test(account, (self.context.clock)())];
        let receipt = events::announce(self.context.db.writer(), test_event).await?;
        let (seq, _) = receipt.and_then(|receipt| receipt.sealed).ok_or(WebhookError::NoneRegistered)?;
        let row = self.context.db.outgoing(account, OutboxPosition { seq, index: 0 })?;
        let id = row.map(|row| events::EventId::of(&row).to_string()).ok_or(WebhookError::NoneRegistered)?;
        Ok((id, endpoints))
    }
}

impl Drop for Webhooks {
    fn drop(&mut self) {
        self.served.lock().values().for_each(|one| one.task.abort());
    }
}

/// Longest time that a shutdown waits for running deliveries.
pub(super) const CLOSE_WAIT: Duration = Duration::from_secs(5);
