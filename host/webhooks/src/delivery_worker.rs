//! The delivery worker of one endpoint: a separate task that delivers new events and
//! retries failed deliveries, so that a slow receiver delays no other endpoint.
//!
//! Invariants:
//! 1. Events are delivered at least once: the progress of an endpoint is written after
//!    the attempts, in one change with the deliveries to retry. If that write fails, the
//!    attempts are repeated.
//! 2. The queue of an endpoint is bounded. When it is full, new events stay in the
//!    outbox, where they are safe.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use futures_util::StreamExt;
use futures_util::stream;
use tokio::sync::{Mutex, Notify};
use tollbridge_core::egress::Egress;
use tollbridge_core::fair_limiter::{FairLimiter, FairShare};
use tollbridge_core::fair_queue::FairLimits;
use tollbridge_core::planted::Defect;
use tollbridge_ledger::events::{EventId, complete};
use tollbridge_store::{Change, Db, Expect, OutboxPosition, OutboxRow, Put, StoreError, SubmitError};

use super::attempt::{Outcome, Verdict, attempt};
use super::delivery_progress::{Attempt, BufferedProgress, DeliveryProgress};
use super::endpoint::WebhookEndpoint;
use super::endpoint_index::EndpointIndex;
use super::endpoint_rows::EndpointRows;
use super::error::WebhookError;
use super::queue::{self, AttemptHistory, PendingDelivery};
use crate::limits::WEBHOOK_WAITING_MAX;

/// Maximum length of an error text shown to the endpoint's owner.
const WEBHOOK_ERROR_BYTES_MAX: usize = 200;
/// Maximum number of an endpoint's deliveries whose results are recorded in one write.
const WEBHOOK_BATCH_MAX: usize = 128;
/// Maximum number of concurrent attempts on one endpoint.
const WEBHOOK_CONCURRENCY_MAX: usize = 8;
/// Maximum number of concurrent attempts on all healthy endpoints together, and on all
/// failing endpoints together.
const WEBHOOK_ATTEMPTS_AT_ONCE_MAX: usize = 256;
/// Maximum number of concurrent attempts on the endpoints of one account.
const WEBHOOK_ATTEMPTS_PER_ACCOUNT_MAX: usize = 64;
/// Maximum number of dead deliveries of one endpoint that are kept for replay.
const WEBHOOK_DEAD_KEPT_MAX: u64 = 10_000;

/// Delay after an internal error before the next batch.
const TROUBLE_WAIT: Duration = Duration::from_secs(5);
/// Batch size for a failing endpoint; small, because each of its deliveries may take
/// long.
const CAUTIOUS_BATCH: usize = 8;

/// The context shared by all delivery workers.
pub(super) struct DeliveryContext {
    /// The database.
    pub(super) db: Db,
    pub(super) egress: Egress,
    pub(super) endpoint_rows: Arc<EndpointRows>,
    pub(super) endpoint_index: Arc<EndpointIndex>,
    pub(super) signature_header: String,
    /// Delays between attempts.
    pub(super) retries: Vec<Duration>,
    pub(super) clock: fn() -> u64,
    /// Slots for attempts on healthy endpoints.
    pub(super) healthy: Arc<FairLimiter>,
    /// Slots for attempts on failing endpoints; separate, so that failing endpoints never
    /// delay healthy ones. Both kinds of slots are shared fairly between accounts, so a
    /// slow receiver delays only its own account.
    pub(super) failing: Arc<FairLimiter>,
    /// Longest delay so far between an event and its first attempt; reset when it is
    /// read.
    pub(super) lag_ms: AtomicU64,
    /// Set when delivery workers must end.
    pub(super) ending: AtomicBool,
}

/// An endpoint as shared by its delivery worker and the routes.
pub(super) struct EndpointState {
    pub(super) endpoint: ArcSwap<WebhookEndpoint>,
    /// Progress of the deliveries; locked while results are recorded.
    pub(super) progress: Mutex<BufferedProgress>,
    pub(super) waker: Arc<Notify>,
}

/// An event to deliver, and its earlier attempts if this is a retry.
struct Delivery {
    row: Option<OutboxRow>,
    waiting: Option<PendingDelivery>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum DeliveryError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Submit(#[from] SubmitError),
}

impl From<DeliveryError> for WebhookError {
    fn from(error: DeliveryError) -> Self {
        match error {
            DeliveryError::Store(error) => Self::Store(error),
            DeliveryError::Submit(error) => Self::Submit(error),
        }
    }
}

/// Creates the slots for attempts. The number of attempts that wait for a slot needs no
/// limit here: it is bounded by the endpoints per account and the concurrent attempts per
/// endpoint.
pub(super) fn attempt_places() -> Arc<FairLimiter> {
    FairLimiter::new(FairLimits {
        running: WEBHOOK_ATTEMPTS_AT_ONCE_MAX,
        running_per_tenant: WEBHOOK_ATTEMPTS_PER_ACCOUNT_MAX,
        waiting: usize::MAX,
        waiting_per_tenant: usize::MAX,
    })
}

/// Delivers the events of an endpoint until the server ends.
pub(super) async fn serve(context: Arc<DeliveryContext>, served: Arc<EndpointState>) {
    while !context.ending.load(Ordering::SeqCst) {
        match round(&context, &served).await {
            Ok(None) => {}
            Ok(Some(wait)) => {
                let _ = tokio::time::timeout(wait, served.waker.notified()).await;
            }
            Err(error) => {
                tracing::warn!(%error, endpoint = served.endpoint.load().id, "deliveries were postponed");
                tokio::time::sleep(TROUBLE_WAIT).await;
            }
        }
    }
}

/// Delivers one batch; if there is nothing to deliver, returns the time until the next
/// check.
async fn round(context: &DeliveryContext, served: &EndpointState) -> Result<Option<Duration>, DeliveryError> {
    const IDLE: Duration = Duration::from_secs(60);
    let endpoint = served.endpoint.load_full();
    if endpoint.disabled.is_some() {
        return Ok(Some(IDLE));
    }
    let now_ms = (context.clock)();
    let (cursor, waiting, failing) = {
        let buffered = served.progress.lock().await;
        let progress = buffered.now();
        (progress.cursor, progress.waiting, progress.failing > 0)
    };
    let batch_size = if failing { CAUTIOUS_BATCH } else { WEBHOOK_BATCH_MAX };
    let mut next_due = None;
    let mut deliveries = Vec::new();
    for waiting in queue::waiting(context.db.store(), &endpoint.id, batch_size)? {
        if waiting.due_ms > now_ms {
            next_due = Some(waiting.due_ms);
            break;
        }
        let row = context.db.outgoing(&endpoint.account, waiting.place)?;
        let row = row.map(|row| complete(context.db.store(), row)).transpose()?;
        deliveries.push(Delivery { row, waiting: Some(waiting) });
    }
    let room = batch_size.saturating_sub(deliveries.len());
    let fresh = match waiting < WEBHOOK_WAITING_MAX {
        true => context.db.outbox(&endpoint.account, cursor, room)?,
        false => Vec::new(),
    };
    if let Some(oldest) = fresh.first().filter(|_| !failing) {
        context.lag_ms.fetch_max(now_ms.saturating_sub(oldest.time_ms), Ordering::Relaxed);
    }
    let last = fresh.last().map(|row| row.place);
    for row in fresh.into_iter().filter(|row| endpoint.wants(&row.event)) {
        deliveries.push(Delivery { row: Some(complete(context.db.store(), row)?), waiting: None });
    }
    if deliveries.is_empty() && last.is_none() {
        let wait = next_due.map_or(IDLE, |due| Duration::from_millis(due.saturating_sub(now_ms).saturating_add(1)));
        let lags = write_late(context, served).await?.unwrap_or(IDLE);
        return Ok(Some(wait.min(lags).min(IDLE)));
    }
    if Defect::DeliveryNotedEarly.is_planted() {
        record(context, served, last, Vec::new()).await?;
    }
    // The deliveries may take long, so first write the progress if its row is out of date
    // for too long.
    write_late(context, served).await?;
    let done = deliver(context, &endpoint, deliveries, failing).await;
    record(context, served, last, done).await?;
    Ok(None)
}

/// Writes the progress if its row has been out of date for too long. Otherwise returns
/// the time until the write is due; `None` if the row is up to date.
async fn write_late(context: &DeliveryContext, served: &EndpointState) -> Result<Option<Duration>, DeliveryError> {
    let mut buffered = served.progress.lock().await;
    match buffered.due() {
        Some(Duration::ZERO) => {
            let progress = buffered.now().clone();
            write(context, served, &mut buffered, progress, Vec::new()).await?;
            Ok(None)
        }
        due => Ok(due),
    }
}

/// Writes the progress and `puts` in one change.
pub(super) async fn write(
    context: &DeliveryContext,
    served: &EndpointState,
    buffered: &mut BufferedProgress,
    progress: DeliveryProgress,
    mut puts: Vec<Put>,
) -> Result<(), DeliveryError> {
    puts.push(progress.put(&served.endpoint.load().id)?);
    // Update memory first: if this future is dropped after the change was submitted, the
    // next write must not start from the older state.
    let before = std::mem::replace(buffered, BufferedProgress::written(progress));
    let submitted = context.db.submit(Change { puts, ..Change::default() }).await;
    if submitted.is_err() {
        *buffered = before;
    }
    submitted?;
    Ok(())
}

async fn deliver(
    context: &DeliveryContext,
    endpoint: &WebhookEndpoint,
    deliveries: Vec<Delivery>,
    failing: bool,
) -> Vec<(Delivery, Option<(u64, Outcome)>)> {
    let places = if failing { &context.failing } else { &context.healthy };
    let account = FairShare::single(endpoint.account.as_str());
    let account = &account;
    let sending = deliveries.into_iter().map(|delivery| async {
        let outcome = match &delivery.row {
            Some(row) => {
                // Never fails: there is no time-out, and the queue has no limit.
                let _place = places.acquire(account, Duration::MAX).await;
                let now_ms = (context.clock)();
                Some((now_ms, attempt(&context.egress, &context.signature_header, endpoint, row, now_ms).await))
            }
            None => None,
        };
        (delivery, outcome)
    });
    stream::iter(sending).buffer_unordered(WEBHOOK_CONCURRENCY_MAX).collect().await
}

/// Records the results of a batch, whose last event is at position `last` of the outbox.
async fn record(
    context: &DeliveryContext,
    served: &EndpointState,
    last: Option<OutboxPosition>,
    done: Vec<(Delivery, Option<(u64, Outcome)>)>,
) -> Result<(), DeliveryError> {
    let mut buffered = served.progress.lock().await;
    let mut progress = buffered.now().clone();
    progress.cursor = last.or(progress.cursor);
    let endpoint = served.endpoint.load_full();
    let (mut puts, mut gone) = (Vec::new(), false);
    for (delivery, outcome) in done {
        if let Some(waiting) = &delivery.waiting {
            puts.push(waiting.remove_waiting(&endpoint.id));
            progress.waiting = progress.waiting.saturating_sub(1);
        }
        // `row` is `None` if the event was already deleted from the outbox; then there is
        // nothing to retry.
        let (Some(row), Some((time_ms, outcome))) = (&delivery.row, outcome) else { continue };
        let before = delivery.waiting.as_ref().map_or(0, |waiting| waiting.tried.attempts);
        let (error, next) = settle(context, &outcome, before, time_ms);
        gone |= outcome.verdict == Verdict::Gone;
        count(&outcome);
        match (&error, next) {
            (None, _) => progress.delivered = progress.delivered.saturating_add(1),
            (Some(_), next_ms) => {
                let dead_ms = next_ms.is_none().then_some(time_ms);
                let tried =
                    AttemptHistory { attempts: before + 1, status: outcome.status, error: error.clone(), dead_ms };
                let left = PendingDelivery { place: row.place, due_ms: next_ms.unwrap_or(time_ms), tried };
                puts.extend(keep(context, &endpoint, &mut progress, &left)?);
            }
        }
        progress.remember(Attempt {
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
    let disabled = gone.then(|| WebhookEndpoint {
        disabled: Some("the receiver answered 410 Gone".to_owned()),
        ..WebhookEndpoint::clone(&endpoint)
    });
    if let Some(disabled) = &disabled {
        puts.push(context.endpoint_rows.put(disabled, Expect::Any)?);
    }
    if puts.is_empty() && buffered.due() != Some(Duration::ZERO) {
        buffered.ahead(progress);
        return Ok(());
    }
    write(context, served, &mut buffered, progress, puts).await?;
    if let Some(disabled) = disabled {
        context.endpoint_index.add(&disabled);
        served.endpoint.store(Arc::new(disabled));
    }
    Ok(())
}

/// Returns the attempt's error, if it failed, and the time of the next attempt, if one is
/// planned. `before` is the number of earlier attempts.
fn settle(context: &DeliveryContext, outcome: &Outcome, before: u32, now_ms: u64) -> (Option<String>, Option<u64>) {
    match &outcome.verdict {
        Verdict::Delivered => (None, None),
        Verdict::Gone => (Some("HTTP 410: the endpoint is disabled".to_owned()), None),
        Verdict::Hopeless { why } => (Some(cut(why)), None),
        Verdict::Failed { why, wait } => {
            let planned = usize::try_from(before).ok().and_then(|number| context.retries.get(number));
            let next = planned.map(|planned| {
                let wait = jittered(*planned).max(wait.unwrap_or_default());
                now_ms.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
            });
            (Some(cut(why)), next)
        }
    }
}

/// Returns the rows that store a failed delivery. If the endpoint has too many dead
/// deliveries, also deletes the oldest.
fn keep(
    context: &DeliveryContext,
    endpoint: &WebhookEndpoint,
    progress: &mut DeliveryProgress,
    left: &PendingDelivery,
) -> Result<Vec<Put>, StoreError> {
    if left.tried.dead_ms.is_none() {
        progress.waiting = progress.waiting.saturating_add(1);
        return Ok(vec![left.put_waiting(&endpoint.id)?]);
    }
    let mut puts = vec![left.put_dead(&endpoint.id)?];
    progress.dead = progress.dead.saturating_add(1);
    if progress.dead > WEBHOOK_DEAD_KEPT_MAX {
        for oldest in queue::dead(context.db.store(), &endpoint.id, None, 1)? {
            puts.push(oldest.remove_dead(&endpoint.id));
            progress.dead = progress.dead.saturating_sub(1);
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

/// Varies a delay randomly by up to a fifth, so that deliveries that failed together are
/// not retried together.
fn jittered(wait: Duration) -> Duration {
    let mut random = [0_u8; 2];
    // Without randomness the delay is not varied, which is harmless.
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
