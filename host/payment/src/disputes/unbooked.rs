//! Disputes that could not be recorded: logged, counted, stored as rows, and retried
//! until they are in the ledger.
//!
//! Rows of `Collection::Refunds`: `unbooked/{dispute}` holds the time of the first
//! failure, in Unix milliseconds.

use tollbridge_store::{Change, Collection, Expect, Put, Rows};

use super::super::context::PaymentContext;
use super::super::error::PaymentError;

const UNBOOKED: &str = "unbooked/";

/// If `outcome` is an error, stores that the dispute could not be recorded; otherwise
/// removes that row.
pub(super) async fn save_outcome(
    context: &PaymentContext,
    dispute: &str,
    outcome: &Result<(), PaymentError>,
    now_ms: u64,
) -> Result<(), PaymentError> {
    let key = format!("{UNBOOKED}{dispute}");
    let is_stored = context.db.get(Collection::Refunds, &key)?.is_some();
    if let Err(error) = outcome {
        metrics::counter!("tollbridge_disputes_unbooked_total").increment(1);
        tracing::error!(dispute, %error, "dispute NOT recorded; will be retried, see `tollbridge payment reconcile`");
    }
    let value = match (outcome, is_stored) {
        (Ok(()), true) => None,
        (Err(_), false) => Some(now_ms.to_string().into_bytes()),
        _ => return Ok(()),
    };
    let put = Put { collection: Collection::Refunds, key, value, expect: Expect::Any };
    let written = context.db.submit(Change { puts: vec![put], ..Change::default() }).await;
    written.map(drop).map_err(PaymentError::Write)
}

/// Returns the processor's ids of disputes that are not recorded.
pub(super) fn list(context: &PaymentContext) -> Result<Vec<String>, PaymentError> {
    let rows = Rows::of(context.db.store(), Collection::Refunds).with_prefix(UNBOOKED);
    rows.map(|row| Ok(row?.0.trim_start_matches(UNBOOKED).to_owned())).collect()
}
