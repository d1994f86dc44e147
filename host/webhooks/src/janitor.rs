//! Deletes events from the outbox once every endpoint of their account has processed
//! them, if the events are old or the account has too many.
//!
//! Invariant: an event that an endpoint has not processed yet, or must retry, is kept
//! whatever its age.

use std::sync::Arc;
use std::time::Duration;

use tollbridge_store::{Change, OutboxPrune};

use super::delivery_progress::DeliveryProgress;
use super::delivery_worker::{DeliveryContext, DeliveryError};
use super::endpoint_rows::load_without_secrets;
use super::queue;
use crate::limits::{OUTBOX_KEPT_MS, OUTBOX_ROWS_PER_ACCOUNT_MAX, WEBHOOK_WAITING_MAX};

/// Interval at which old events are deleted.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(60);
/// Number of rows deleted in one change.
const AT_ONCE: usize = 1_000;

/// Deletes old events periodically; never returns.
pub(super) async fn work(context: Arc<DeliveryContext>) {
    loop {
        tokio::time::sleep(CLEANUP_INTERVAL).await;
        if let Err(error) = clean_up(&context).await {
            tracing::warn!(%error, "cannot delete old events");
        }
    }
}

pub(super) async fn clean_up(context: &DeliveryContext) -> Result<(), DeliveryError> {
    let mut account = String::new();
    while let Some(next) = context.db.outbox_account(&account)? {
        account = next;
        forget(context, &account).await?;
    }
    Ok(())
}

/// Deletes events that none of an account's endpoints needs any longer.
async fn forget(context: &DeliveryContext, account: &str) -> Result<(), DeliveryError> {
    let known = context.endpoint_index.account(account);
    let served = match &known {
        Some(_) => served_below(context, account)?,
        // The account has no endpoints left, so all its events may be deleted.
        None => u64::MAX,
    };
    let old_ms = (context.clock)().saturating_sub(OUTBOX_KEPT_MS);
    loop {
        let rows = context.db.outbox(account, None, AT_ONCE)?;
        // Above half of the limit, delete processed events however recent; below it, keep
        // recent ones for replay.
        let crowded = known.as_ref().is_some_and(|known| known.rows() > OUTBOX_ROWS_PER_ACCOUNT_MAX / 2);
        let old = |time_ms: u64| time_ms < old_ms || crowded || known.is_none();
        let gone = rows.iter().take_while(|row| row.place.seq < served && old(row.time_ms));
        let Some(last) = gone.last() else { return Ok(()) };
        let below = last.place.seq.saturating_add(1);
        let count = rows.iter().filter(|row| row.place.seq < below).count();
        let forget = OutboxPrune { account: account.to_owned(), below, limit: AT_ONCE };
        context.db.submit(Change { forget: Some(forget), ..Change::default() }).await?;
        if let Some(known) = &known {
            known.forgotten(u64::try_from(count).unwrap_or(0));
        }
    }
}

/// Returns the record number below which every endpoint of the account has processed all events.
fn served_below(context: &DeliveryContext, account: &str) -> Result<u64, DeliveryError> {
    let store = context.db.store();
    let limit = usize::try_from(WEBHOOK_WAITING_MAX).unwrap_or(usize::MAX).saturating_mul(2);
    let mut below = u64::MAX;
    for endpoint in load_without_secrets(store, Some(account))? {
        if endpoint.disabled.is_some() {
            continue;
        }
        let progress = DeliveryProgress::load(store, &endpoint.id)?.unwrap_or_default();
        below = below.min(progress.cursor.map_or(0, |cursor| cursor.seq));
        let waiting = queue::waiting(store, &endpoint.id, limit)?;
        below = waiting.iter().fold(below, |below, one| below.min(one.place.seq));
    }
    Ok(below)
}
