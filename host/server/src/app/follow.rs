//! What follows the ledger while the server runs.

use std::sync::Arc;
use std::time::Duration;

use tollbridge_market::accounts::Accounts;

/// How often new records are taken in.
const SUM_EVERY: Duration = Duration::from_secs(60);
/// Writes of new sums before something else has its turn.
const STEPS_AT_ONCE: usize = 1_000;

/// Keeps the sums of earnings and the index of parties close behind the ledger.
/// A page that is looked at takes in what is missing by itself; this keeps that
/// little.
pub(super) async fn records(accounts: Arc<Accounts>) {
    loop {
        tokio::time::sleep(SUM_EVERY).await;
        if let Err(error) = accounts.earnings_indexer.catch_up(STEPS_AT_ONCE).await {
            tracing::warn!(%error, "earnings were not summed up");
        }
        if let Err(error) = accounts.history.parties.catch_up(STEPS_AT_ONCE).await {
            tracing::warn!(%error, "records were not sorted by account");
        }
    }
}
