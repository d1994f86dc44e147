//! What is done once for all hosts of a ledger: by the host that leads, from the
//! moment it does. A host that is alone leads from its start.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::task::JoinSet;
use tollbridge_access::ShortLivedRows;
use tollbridge_agents::run_queue;
use tollbridge_core::limits::KEPT_INPUTS_WRITTEN_EVERY_MS;
use tollbridge_core::time::now_ms;
use tollbridge_gateway::{Batches, Gateway};
use tollbridge_http::AppState;
use tollbridge_market::checkout::{KeptInputs, Resources};
use tollbridge_store::{AnswerPrune, Change, Db};

use super::base::Base;
use super::call_slice_broker::CallSliceBroker;
use super::gauges::HostGauges;
use super::money::Money;
use super::{a2a, follow};

/// How often old answers are forgotten, and how many at a time.
const PRUNE_EVERY: Duration = Duration::from_secs(60);
const PRUNE_AT_ONCE: usize = 10_000;
/// How often the sums of usage are written.
const METER_EVERY: Duration = Duration::from_secs(5);

/// The duties of the host that leads; they end when this is dropped.
pub(super) struct Duties(#[expect(dead_code, reason = "aborts what runs when it is dropped")] JoinSet<()>);

impl Duties {
    /// Takes them up: what another host has left open is gone on with.
    pub(super) async fn begin(base: &Base, money: &Money, shared: &Arc<AppState>) -> Result<Self> {
        let earning = &shared.earning;
        earning.fund_configured(base.db.writer(), now_ms()).await.context("earn.budget_gbp cannot be put aside")?;
        shared.batches.recover().context("open batches cannot be read")?;
        shared.webhooks.begin()?;
        let mut duties = JoinSet::new();
        duties.spawn(run_queue(shared.agents.clone()));
        a2a::begin(base, &shared.a2a, &mut duties)?;
        duties.spawn(follow::records(base.accounts.clone()));
        duties.spawn(keep_tidy(base.db.clone(), shared.clone(), base.kept_inputs.clone(), base.slices.clone()));
        duties.spawn(keep_metered(shared.gateway.clone(), shared.batches.clone()));
        duties.spawn(money.clone().keep_following(shared.catalog.clone(), base.config.payments.follow_every));
        Ok(Self(duties))
    }
}

/// Writes what models were used, every few seconds, and now and then forgets
/// what is too old to be asked for.
async fn keep_metered(gateway: Arc<Gateway>, batches: Arc<Batches>) {
    let mut tidied = tokio::time::Instant::now();
    loop {
        tokio::time::sleep(METER_EVERY).await;
        if let Err(error) = gateway.meter().flush().await {
            tracing::warn!(%error, "usage was not written; it waits");
        }
        if tidied.elapsed() >= PRUNE_EVERY {
            tidied = tokio::time::Instant::now();
            if let Err(error) = gateway.meter().delete_expired(now_ms()).await {
                tracing::warn!(%error, "old usage was not forgotten");
            }
            if let Err(error) = gateway.responses().delete_expired(now_ms()).await {
                tracing::warn!(%error, "expired responses were not forgotten");
            }
            if let Err(error) = batches.delete_expired(now_ms()).await {
                tracing::warn!(%error, "expired files and batches were not forgotten");
            }
        }
    }
}

/// Deletes expired answers and resources, and what hosts left that are gone.
async fn keep_tidy(db: Db, shared: Arc<AppState>, kept_inputs: Arc<KeptInputs>, slices: Option<Arc<CallSliceBroker>>) {
    let (resources, short_lived) = (Resources::new(db.clone()), ShortLivedRows::default());
    loop {
        tokio::time::sleep(PRUNE_EVERY).await;
        let prune = Some(AnswerPrune { now_ms: now_ms(), limit: PRUNE_AT_ONCE });
        if let Err(error) = db.submit(Change { prune, ..Change::default() }).await {
            tracing::warn!(%error, "old answers were not forgotten");
        }
        match short_lived.ended(db.store(), now_ms()) {
            Ok(None) => {}
            Ok(Some(change)) => {
                if let Err(error) = db.submit(change).await {
                    tracing::warn!(%error, "sessions that are over were not forgotten");
                }
            }
            Err(error) => tracing::warn!(%error, "sessions that are over were not looked for"),
        }
        if let Err(error) = resources.tidy(now_ms()).await {
            tracing::warn!(%error, "expired resources were not forgotten");
        }
        if let Err(error) = kept_inputs.tidy(now_ms()).await {
            tracing::warn!(%error, "inputs that were kept long enough were not forgotten");
        }
        shared.payments.tidy_reservations().await;
        if let Some(slices) = &slices {
            slices.tidy(now_ms()).await;
        }
    }
}

/// What every host does for itself while it serves.
pub(super) async fn keep_own(base: Arc<Base>, gauges: HostGauges, metrics: PrometheusHandle) {
    let payments = base.payments.clone();
    tokio::spawn(async move {
        loop {
            payments.keep_reservations().await;
        }
    });
    let payments = base.payments.clone();
    tokio::spawn(async move {
        loop {
            payments.ask_facilitator().await;
            tokio::time::sleep(FACILITATOR_EVERY).await;
        }
    });
    tokio::spawn(keep_inputs(base.kept_inputs.clone()));
    gauges.measure_all();
    let (mut upkeep, mut measured) = (tokio::time::Instant::now(), tokio::time::Instant::now());
    loop {
        tokio::time::sleep(OWN_EVERY).await;
        base.payments.sweep_reservations();
        if measured.elapsed() >= MEASURE_EVERY {
            measured = tokio::time::Instant::now();
            // Times of requests wait in memory until then, some 24 bytes for each.
            metrics.run_upkeep();
            gauges.measure_providers(std::time::Instant::now());
        }
        if upkeep.elapsed() >= PRUNE_EVERY {
            upkeep = tokio::time::Instant::now();
            gauges.measure_all();
            if let Err(error) = base.listeners.recount_many(base.db.store()) {
                tracing::warn!(%error, "events that wait were not counted");
            }
        }
    }
}

/// Writes inputs that are kept, many at once; whoever ends the server writes the
/// last ones.
async fn keep_inputs(kept_inputs: Arc<KeptInputs>) {
    loop {
        tokio::time::sleep(Duration::from_millis(KEPT_INPUTS_WRITTEN_EVERY_MS)).await;
        if let Err(error) = kept_inputs.write(now_ms(), false).await {
            tracing::warn!(%error, "some inputs were not kept");
        }
    }
}

/// How often the facilitator is asked what it settles.
const FACILITATOR_EVERY: Duration = Duration::from_secs(300);
/// How often it looks which providers answer, and sums up how long requests took.
const MEASURE_EVERY: Duration = Duration::from_secs(5);
/// How often a host looks through what it has reserved in advance.
const OWN_EVERY: Duration = Duration::from_secs(1);
