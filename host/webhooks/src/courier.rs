//! One endpoint's courier: a task of its own that brings what is new and tries
//! again what failed, so that nobody waits for anybody else's receiver.
//!
//! Invariants:
//! 1. At least once: the place up to which an endpoint was served is written
//!    after the attempts, in one change with what must be tried again. What
//!    could not be written down is tried once more.
//! 2. What waits for an endpoint is bounded; beyond it nothing new is taken out
//!    of the outbox, where it is safe.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use futures_util::StreamExt;
use futures_util::stream;
use tokio::sync::{Mutex, Notify, Semaphore};
use tollbridge_core::egress::Egress;
use tollbridge_core::limits::{
    WEBHOOK_BATCH_MAX, WEBHOOK_CONCURRENCY_MAX, WEBHOOK_DEAD_KEPT_MAX, WEBHOOK_ERROR_BYTES_MAX, WEBHOOK_WAITING_MAX,
};
use tollbridge_ledger::events::{EventId, complete};
use tollbridge_store::{Change, Db, Expect, OutboxPosition, OutboxRow, Put, StoreError, SubmitError};

use super::attempt::{Outcome, Verdict, attempt};
use super::endpoint::Endpoint;
use super::error::WebhookError;
use super::listeners::Listeners;
use super::queue::{self, Tried, Waiting};
use super::standing::{Attempt, Kept, Standing};

/// After trouble of our own, how long until it is tried again.
const TROUBLE_WAIT: Duration = Duration::from_secs(5);
/// Deliveries taken at once from an endpoint that fails: each may take long.
const CAUTIOUS_BATCH: usize = 8;

/// What every courier works with.
pub(super) struct Depot {
    /// The data folder.
    pub(super) db: Db,
    pub(super) egress: Egress,
    pub(super) listeners: Arc<Listeners>,
    pub(super) signature_header: String,
    /// Waits between attempts.
    pub(super) retries: Vec<Duration>,
    pub(super) clock: fn() -> u64,
    /// Attempts at once on endpoints that work …
    pub(super) healthy: Semaphore,
    /// … and on those that fail, so that these never take the places of those.
    pub(super) failing: Semaphore,
    /// How late the latest of what is fresh was when it was taken up, since
    /// this was asked last.
    pub(super) lag_ms: AtomicU64,
    /// Whether couriers should end.
    pub(super) ending: AtomicBool,
}

/// An endpoint as its courier and the routes share it.
pub(super) struct Served {
    pub(super) endpoint: ArcSwap<Endpoint>,
    /// Held while deliveries are recorded.
    pub(super) standing: Mutex<Kept>,
    pub(super) waker: Arc<Notify>,
}

/// An event on its way, and what was tried before.
struct Parcel {
    row: Option<OutboxRow>,
    waiting: Option<Waiting>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum CourierError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

impl From<CourierError> for WebhookError {
    fn from(error: CourierError) -> Self {
        match error {
            CourierError::Store(error) => Self::Store(error),
            CourierError::Submit(error) => Self::Submit(error),
        }
    }
}

/// Serves an endpoint until the server ends.
pub(super) async fn serve(depot: Arc<Depot>, served: Arc<Served>) {
    while !depot.ending.load(Ordering::SeqCst) {
        match round(&depot, &served).await {
            Ok(None) => {}
            Ok(Some(wait)) => {
                let _ = tokio::time::timeout(wait, served.waker.notified()).await;
            }
            Err(error) => {
                tracing::warn!(%error, endpoint = served.endpoint.load().id, "deliveries were put off");
                tokio::time::sleep(TROUBLE_WAIT).await;
            }
        }
    }
}

/// One batch; how long to wait when there was nothing to do.
async fn round(depot: &Depot, served: &Served) -> Result<Option<Duration>, CourierError> {
    const IDLE: Duration = Duration::from_secs(60);
    let endpoint = served.endpoint.load_full();
    if endpoint.disabled.is_some() {
        return Ok(Some(IDLE));
    }
    let now_ms = (depot.clock)();
    let (cursor, waiting, failing) = {
        let kept = served.standing.lock().await;
        let standing = kept.now();
        (standing.cursor, standing.waiting, standing.failing > 0)
    };
    let most = if failing { CAUTIOUS_BATCH } else { WEBHOOK_BATCH_MAX };
    let mut next_due = None;
    let mut parcels = Vec::new();
    for waiting in queue::waiting(depot.db.store(), &endpoint.id, most)? {
        if waiting.due_ms > now_ms {
            next_due = Some(waiting.due_ms);
            break;
        }
        let row = depot.db.outgoing(&endpoint.account, waiting.place)?;
        let row = row.map(|row| complete(depot.db.store(), row)).transpose()?;
        parcels.push(Parcel { row, waiting: Some(waiting) });
    }
    let room = most.saturating_sub(parcels.len());
    let fresh = match waiting < WEBHOOK_WAITING_MAX {
        true => depot.db.outbox(&endpoint.account, cursor, room)?,
        false => Vec::new(),
    };
    if let Some(oldest) = fresh.first().filter(|_| !failing) {
        depot.lag_ms.fetch_max(now_ms.saturating_sub(oldest.time_ms), Ordering::Relaxed);
    }
    let last = fresh.last().map(|row| row.place);
    for row in fresh.into_iter().filter(|row| endpoint.wants(&row.event)) {
        parcels.push(Parcel { row: Some(complete(depot.db.store(), row)?), waiting: None });
    }
    if parcels.is_empty() && last.is_none() {
        let wait = next_due.map_or(IDLE, |due| Duration::from_millis(due.saturating_sub(now_ms).saturating_add(1)));
        let lags = write_late(depot, served).await?.unwrap_or(IDLE);
        return Ok(Some(wait.min(lags).min(IDLE)));
    }
    // These may take long.
    write_late(depot, served).await?;
    let done = deliver(depot, &endpoint, parcels, failing).await;
    record(depot, served, last, done).await?;
    Ok(None)
}

/// Writes a standing whose row has lagged for long enough; else, in how long.
async fn write_late(depot: &Depot, served: &Served) -> Result<Option<Duration>, CourierError> {
    let mut kept = served.standing.lock().await;
    match kept.due() {
        Some(Duration::ZERO) => {
            let standing = kept.now().clone();
            write(depot, served, &mut kept, standing, Vec::new()).await?;
            Ok(None)
        }
        due => Ok(due),
    }
}

/// Writes a standing with what belongs to it.
pub(super) async fn write(
    depot: &Depot,
    served: &Served,
    kept: &mut Kept,
    standing: Standing,
    mut puts: Vec<Put>,
) -> Result<(), CourierError> {
    puts.push(standing.put(&served.endpoint.load().id)?);
    // In memory first: whoever is stopped in between has submitted all the same,
    // and nobody may write an older standing over it.
    let before = std::mem::replace(kept, Kept::written(standing));
    let submitted = depot.db.submit(Change { puts, ..Change::default() }).await;
    if submitted.is_err() {
        *kept = before;
    }
    submitted?;
    Ok(())
}

async fn deliver(
    depot: &Depot,
    endpoint: &Endpoint,
    parcels: Vec<Parcel>,
    failing: bool,
) -> Vec<(Parcel, Option<(u64, Outcome)>)> {
    let lane = if failing { &depot.failing } else { &depot.healthy };
    let sending = parcels.into_iter().map(|parcel| async {
        let outcome = match &parcel.row {
            Some(row) => {
                let _place = lane.acquire().await;
                let now_ms = (depot.clock)();
                Some((now_ms, attempt(&depot.egress, &depot.signature_header, endpoint, row, now_ms).await))
            }
            None => None,
        };
        (parcel, outcome)
    });
    stream::iter(sending).buffer_unordered(WEBHOOK_CONCURRENCY_MAX).collect().await
}

/// Notes what a batch came to, which ended at `last` in the outbox.
async fn record(
    depot: &Depot,
    served: &Served,
    last: Option<OutboxPosition>,
    done: Vec<(Parcel, Option<(u64, Outcome)>)>,
) -> Result<(), CourierError> {
    let mut kept = served.standing.lock().await;
    let mut standing = kept.now().clone();
    standing.cursor = last.or(standing.cursor);
    let endpoint = served.endpoint.load_full();
    let (mut puts, mut gone) = (Vec::new(), false);
    for (parcel, outcome) in done {
        if let Some(waiting) = &parcel.waiting {
            puts.push(waiting.remove_waiting(&endpoint.id));
            standing.waiting = standing.waiting.saturating_sub(1);
        }
        // Its event is no longer kept: there is nothing left to try.
        let (Some(row), Some((time_ms, outcome))) = (&parcel.row, outcome) else { continue };
        let before = parcel.waiting.as_ref().map_or(0, |waiting| waiting.tried.attempts);
        let (error, next) = settle(depot, &outcome, before, time_ms);
        gone |= outcome.verdict == Verdict::Gone;
        count(&outcome);
        match (&error, next) {
            (None, _) => standing.delivered = standing.delivered.saturating_add(1),
            (Some(_), next_ms) => {
                let dead_ms = next_ms.is_none().then_some(time_ms);
                let tried = Tried { attempts: before + 1, status: outcome.status, error: error.clone(), dead_ms };
                let left = Waiting { place: row.place, due_ms: next_ms.unwrap_or(time_ms), tried };
                puts.extend(keep(depot, &endpoint, &mut standing, &left)?);
            }
        }
        standing.remember(Attempt {
            event_id: EventId::of(row).to_string(),
            event: row.event.clone(),
            number: before + 1,
            time_ms,
            duration_ms: outcome.duration_ms,
            status: outcome.status,
            error,
            next_ms: next,
        });
    }
    let disabled = gone.then(|| Endpoint {
        disabled: Some("the receiver answered 410 Gone".to_owned()),
        ..Endpoint::clone(&endpoint)
    });
    if let Some(disabled) = &disabled {
        puts.push(disabled.put(Expect::Any)?);
    }
    if puts.is_empty() && kept.due() != Some(Duration::ZERO) {
        kept.ahead(standing);
        return Ok(());
    }
    write(depot, served, &mut kept, standing, puts).await?;
    if let Some(disabled) = disabled {
        depot.listeners.add(&disabled);
        served.endpoint.store(Arc::new(disabled));
    }
    Ok(())
}

/// What went wrong, if anything, and when to try again.
fn settle(depot: &Depot, outcome: &Outcome, before: u32, now_ms: u64) -> (Option<String>, Option<u64>) {
    match &outcome.verdict {
        Verdict::Delivered => (None, None),
        Verdict::Gone => (Some("HTTP 410: the endpoint is disabled".to_owned()), None),
        Verdict::Hopeless { why } => (Some(cut(why)), None),
        Verdict::Failed { why, wait } => {
            let planned = usize::try_from(before).ok().and_then(|number| depot.retries.get(number));
            let next = planned.map(|planned| {
                let wait = jittered(*planned).max(wait.unwrap_or_default());
                now_ms.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
            });
            (Some(cut(why)), next)
        }
    }
}

/// Keeps a delivery that failed; the oldest dead ones are forgotten beyond the
/// bound.
fn keep(depot: &Depot, endpoint: &Endpoint, standing: &mut Standing, left: &Waiting) -> Result<Vec<Put>, StoreError> {
    if left.tried.dead_ms.is_none() {
        standing.waiting = standing.waiting.saturating_add(1);
        return Ok(vec![left.put_waiting(&endpoint.id)?]);
    }
    let mut puts = vec![left.put_dead(&endpoint.id)?];
    standing.dead = standing.dead.saturating_add(1);
    if standing.dead > WEBHOOK_DEAD_KEPT_MAX {
        for oldest in queue::dead(depot.db.store(), &endpoint.id, None, 1)? {
            puts.push(oldest.remove_dead(&endpoint.id));
            standing.dead = standing.dead.saturating_sub(1);
        }
    }
    Ok(puts)
}

fn count(outcome: &Outcome) {
    let name = if outcome.verdict == Verdict::Delivered { "delivered" } else { "failed" };
    metrics::counter!("tollbridge_webhook_attempts_total", "outcome" => name).increment(1);
}

fn cut(text: &str) -> String {
    let end = text.floor_char_boundary(WEBHOOK_ERROR_BYTES_MAX.min(text.len()));
    text.get(..end).unwrap_or_default().to_owned()
}

/// A wait, a fifth longer or shorter, so that what failed together does not
/// come back together.
fn jittered(wait: Duration) -> Duration {
    let mut random = [0_u8; 2];
    // Without randomness there is no jitter, which is no fault.
    let permille = getrandom::fill(&mut random).map_or(1_000, |()| 800 + u32::from(u16::from_le_bytes(random)) % 401);
    wait.saturating_mul(permille) / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_is_a_fifth() {
        let waits: Vec<_> = (0..200).map(|_| jittered(Duration::from_secs(10)).as_millis()).collect();
        assert!(waits.iter().all(|wait| (8_000..=12_000).contains(wait)), "{waits:?}");
        assert!(waits.iter().any(|wait| *wait != waits[0]));
    }

    #[test]
    fn errors_are_cut_between_characters() {
        assert_eq!(cut("é".repeat(1_000).as_str()).len(), WEBHOOK_ERROR_BYTES_MAX / 2 * 2);
        assert_eq!(cut("short"), "short");
    }
}
