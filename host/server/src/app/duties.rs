//! The leader's duties: background work that only one host of a ledger does. A single
//! host is its own leader from the start.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::task::JoinSet;
use tollbridge_access::ShortLivedRows;
use tollbridge_agents::run_queue;
use tollbridge_batches::Batches;
use tollbridge_core::time::now_ms;
use tollbridge_gateway::Gateway;
use tollbridge_http::AppState;
use tollbridge_market::kept_inputs::KeptInputs;
use tollbridge_market::resources::Resources;
use tollbridge_store::{AnswerPrune, Change, Db};

use super::base::Base;
use super::call_slice_broker::CallSliceBroker;
use super::gauges::HostGauges;
use super::money::Money;
use super::{a2a, follow};

/// Interval between writes of kept inputs to disk. A crash loses at most the inputs of
/// one interval.
const KEPT_INPUTS_WRITTEN_EVERY_MS: u64 = 5_000;

/// Interval between deletions of expired answers, and the maximum number deleted at once.
const PRUNE_EVERY: Duration = Duration::from_secs(60);
const PRUNE_AT_ONCE: usize = 10_000;
/// Interval between writes of usage sums.
const METER_EVERY: Duration = Duration::from_secs(5);

/// The leader's duties; they end when this is dropped.
pub(super) struct Duties(#[expect(dead_code, reason = "aborts the tasks on drop")] JoinSet<()>);

impl Duties {
    /// Begins the duties, and continues work that an earlier leader did not finish.
    pub(super) async fn begin(base: &Base, money: &Money, shared: &Arc<AppState>) -> Result<Self> {
        let budget = &shared.earning.budget;
        budget.fund_configured(base.db.writer(), now_ms()).await.context("cannot reserve earn.budget_gbp")?;
        shared.batches.recover().context("cannot read open batches")?;
        shared.webhooks.begin()?;
        let mut duties = JoinSet::new();
        duties.spawn(run_queue(shared.agents.clone()));
        a2a::begin(base, &shared.a2a, &mut duties)?;
        duties.spawn(follow::records(base.accounts.clone()));
        duties.spawn(run_cleanup(base.db.clone(), shared.clone(), base.kept_inputs.clone(), base.slices.clone()));
        duties.spawn(keep_metered(shared.gateway.clone(), shared.batches.clone()));
        duties.spawn(money.clone().keep_following(shared.catalog.clone(), base.config.payments.follow_every));
        Ok(Self(duties))
    }
}

/// Writes model usage every few seconds, and regularly deletes expired usage, responses, files and
/// batches.
async fn keep_metered(gateway: Arc<Gateway>, batches: Arc<Batches>) {
    let mut tidied = tokio::time::Instant::now();
    loop {
        tokio::time::sleep(METER_EVERY).await;
        if let Err(error) = gateway.meter().flush().await {
            tracing::warn!(%error, "cannot write usage; will retry");
        }
        if tidied.elapsed() >= PRUNE_EVERY {
            tidied = tokio::time::Instant::now();
            if let Err(error) = gateway.meter().delete_expired(now_ms()).await {
                tracing::warn!(%error, "cannot delete old usage");
            }
            if let Err(error) = gateway.responses().delete_expired(now_ms()).await {
                tracing::warn!(%error, "cannot delete expired responses");
            }
            if let Err(error) = batches.delete_expired(now_ms()).await {
                tracing::warn!(%error, "cannot delete expired files and batches");
            }
        }
    }
}

/// Deletes expired answers, sessions, resources and inputs, and reservations and limit
/// windows that are no longer needed.
async fn run_cleanup(
    db: Db,
    shared: Arc<AppState>,
    kept_inputs: Arc<KeptInputs>,
    slices: Option<Arc<CallSliceBroker>>,
) {
    let (resources, short_lived) = (Resources::new(db.clone()), ShortLivedRows::default());
    loop {
        tokio::time::sleep(PRUNE_EVERY).await;
        let prune = Some(AnswerPrune { now_ms: now_ms(), limit: PRUNE_AT_ONCE });
        if let Err(error) = db.submit(Change { prune, ..Change::default() }).await {
            tracing::warn!(%error, "cannot delete expired answers");
        }
        match short_lived.ended(db.store(), now_ms()) {
            Ok(None) => {}
            Ok(Some(change)) => {
                if let Err(error) = db.submit(change).await {
                    tracing::warn!(%error, "cannot delete expired sessions");
                }
            }
            Err(error) => tracing::warn!(%error, "cannot find expired sessions"),
        }
        if let Err(error) = resources.clean_up(now_ms()).await {
            tracing::warn!(%error, "cannot delete expired resources");
        }
        if let Err(error) = kept_inputs.clean_up(now_ms()).await {
            tracing::warn!(%error, "cannot delete expired inputs");
        }
        shared.payments.shares.clean_up().await;
        if let Some(slices) = &slices {
            slices.clean_up(now_ms()).await;
        }
    }
}

/// Runs the background work of every host while it serves.
pub(super) async fn keep_own(base: Arc<Base>, gauges: HostGauges, metrics: PrometheusHandle) {
    let payments = base.payments.clone();
    tokio::spawn(async move {
        loop {
            payments.shares.keep().await;
        }
    });
    if let Some(rail) = base.payments.wallet_rail.clone() {
        tokio::spawn(async move {
            loop {
                rail.ask_facilitator().await;
                tokio::time::sleep(FACILITATOR_EVERY).await;
            }
        });
    }
    tokio::spawn(keep_inputs(base.kept_inputs.clone()));
    gauges.measure_all();
    let (mut upkeep, mut measured) = (tokio::time::Instant::now(), tokio::time::Instant::now());
    loop {
        tokio::time::sleep(RESERVATION_CHECK_INTERVAL).await;
        base.payments.shares.sweep();
        if measured.elapsed() >= MEASURE_EVERY {
            measured = tokio::time::Instant::now();
            // The recorder buffers request durations until upkeep runs, at some 24 bytes
            // each.
            metrics.run_upkeep();
            gauges.measure_providers(tokio::time::Instant::now());
        }
        if upkeep.elapsed() >= PRUNE_EVERY {
            upkeep = tokio::time::Instant::now();
            gauges.measure_all();
            if let Err(error) = base.listeners.recount_many(base.db.store()) {
                tracing::warn!(%error, "cannot count waiting events");
            }
        }
    }
}

/// Writes kept inputs to disk in batches. Inputs that arrive after the last batch are
/// written at shutdown.
async fn keep_inputs(kept_inputs: Arc<KeptInputs>) {
    loop {
        tokio::time::sleep(Duration::from_millis(KEPT_INPUTS_WRITTEN_EVERY_MS)).await;
        if let Err(error) = kept_inputs.write(now_ms(), false).await {
            tracing::warn!(%error, "cannot keep some inputs");
        }
    }
}

/// Interval between checks whether the facilitator settles `upto` payments.
const FACILITATOR_EVERY: Duration = Duration::from_secs(300);
/// Interval between checks of the providers, and between summaries of request durations.
const MEASURE_EVERY: Duration = Duration::from_secs(5);
/// Interval between a host's checks of its reservations.
const RESERVATION_CHECK_INTERVAL: Duration = Duration::from_secs(1);
