//! Background indexing of new ledger records.

use std::sync::Arc;
use std::time::Duration;

use tollbridge_market::accounts::Accounts;

/// Interval between updates.
const UPDATE_INTERVAL: Duration = Duration::from_secs(60);
/// Maximum number of steps for one index before the other index is updated.
const STEPS_AT_ONCE: usize = 1_000;

/// Keeps the earnings index and the index of parties close to the end of the ledger.
/// Pages that read an index update it first; this keeps the remaining work small.
pub(super) async fn records(accounts: Arc<Accounts>) {
    loop {
        tokio::time::sleep(UPDATE_INTERVAL).await;
        if let Err(error) = accounts.earnings_indexer.catch_up(STEPS_AT_ONCE).await {
            tracing::warn!(%error, "cannot update the earnings index");
        }
        if let Err(error) = accounts.history.parties.catch_up(STEPS_AT_ONCE).await {
            tracing::warn!(%error, "cannot update the index of parties");
        }
    }
}
