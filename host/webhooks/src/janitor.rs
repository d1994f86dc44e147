//! Forgets events that every endpoint of their account was served with and that
//! are old, or too many.
//!
//! Invariant: what some endpoint has not come to yet, or must be tried again, is
//! kept whatever its age.

use std::sync::Arc;

use tollbridge_core::limits::{OUTBOX_KEPT_MS, OUTBOX_ROWS_PER_ACCOUNT_MAX, WEBHOOK_WAITING_MAX};
use tollbridge_store::{Change, OutboxPrune};

use super::courier::{CourierError, Depot};
use super::service::TIDY_EVERY;
use super::standing::Standing;
use super::{endpoint, queue};

/// Rows that are forgotten in one change.
const AT_ONCE: usize = 1_000;

/// Tidies up for ever.
pub(super) async fn work(depot: Arc<Depot>) {
    loop {
        tokio::time::sleep(TIDY_EVERY).await;
        if let Err(error) = tidy(&depot).await {
            tracing::warn!(%error, "old events were not forgotten");
        }
    }
}

pub(super) async fn tidy(depot: &Depot) -> Result<(), CourierError> {
    let mut account = String::new();
    while let Some(next) = depot.db.outbox_account(&account)? {
        account = next;
        forget(depot, &account).await?;
    }
    Ok(())
}

/// Forgets what an account no longer needs.
async fn forget(depot: &Depot, account: &str) -> Result<(), CourierError> {
    let known = depot.listeners.account(account);
    let served = match &known {
        Some(_) => served_below(depot, account)?,
        // Its last endpoint was deleted.
        None => u64::MAX,
    };
    let old_ms = (depot.clock)().saturating_sub(OUTBOX_KEPT_MS);
    loop {
        let rows = depot.db.outbox(account, None, AT_ONCE)?;
        // A half of the bound stays, so that replay has something to offer.
        let crowded = known.as_ref().is_some_and(|known| known.rows() > OUTBOX_ROWS_PER_ACCOUNT_MAX / 2);
        let old = |time_ms: u64| time_ms < old_ms || crowded || known.is_none();
        let gone = rows.iter().take_while(|row| row.place.seq < served && old(row.time_ms));
        let Some(last) = gone.last() else { return Ok(()) };
        let below = last.place.seq.saturating_add(1);
        let count = rows.iter().filter(|row| row.place.seq < below).count();
        let forget = OutboxPrune { account: account.to_owned(), below, limit: AT_ONCE };
        depot.db.submit(Change { forget: Some(forget), ..Change::default() }).await?;
        if let Some(known) = &known {
            known.forgotten(u64::try_from(count).unwrap_or(0));
        }
    }
}

/// Every endpoint of the account is through with all records below this.
fn served_below(depot: &Depot, account: &str) -> Result<u64, CourierError> {
    let store = depot.db.store();
    let most = usize::try_from(WEBHOOK_WAITING_MAX).unwrap_or(usize::MAX).saturating_mul(2);
    let mut below = u64::MAX;
    for endpoint in endpoint::load(store, Some(account))? {
        if endpoint.disabled.is_some() {
            continue;
        }
        let standing = Standing::load(store, &endpoint.id)?.unwrap_or_default();
        below = below.min(standing.cursor.map_or(0, |cursor| cursor.seq));
        let waiting = queue::waiting(store, &endpoint.id, most)?;
        below = waiting.iter().fold(below, |below, one| below.min(one.place.seq));
    }
    Ok(below)
}
