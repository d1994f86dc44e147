//! Delistings: pays back the unspent part of payments for plugins that no longer exist.
//!
//! Invariants: payments are paid back only after the plugin has been missing for
//! [`DEPARTED_MS`] without interruption, a time that a restart neither shortens nor
//! extends; payments that belong to an account become its credit, all others are refunded
//! to the payer; the refund of each payment is attempted once per delisting.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tollbridge_core::time::DAY_MS;
use tollbridge_store::{Change, Collection, Expect, Put, Refusal, SubmitError};

use super::context::PaymentContext;
use super::error::PaymentError;
use super::intent::IntentRow;
use super::quote::IntentHandle;
use super::recorder::PaymentRecorder;
use super::refund_row::refund_id;
use super::refunds::Refunds;
use crate::limits::DEPARTED_RETURNS_PER_ROUND_MAX;

/// Time for which a bridge or agent must be missing before payments for it are refunded
/// automatically: an operator who restores it within a day loses no buyers.
const DEPARTED_MS: u64 = DAY_MS;
/// Maximum number of paid intents that one round examines for payments to a missing
/// plugin; examining that many takes about 20 ms.
const DEPARTED_INTENTS_PER_ROUND_MAX: usize = 5_000;

/// Key prefix of a delisting; sorts before all refunds.
const DELISTED: &str = "gone/";
/// Reason code of the refunds made because of a delisting.
const REASON: &str = "bridge_gone";

/// Row of `Collection::Refunds` under `gone/<name>`: a product that was sold and is no
/// longer available.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct DelistingRow {
    /// Start of the delisting, Unix milliseconds.
    since_ms: u64,
    /// The last intent that the current pass has examined.
    after: String,
    /// End of the last complete pass over all intents. Passes repeat, because a quote may
    /// be paid after the pass.
    through_ms: Option<u64>,
}

/// A product that was sold at least once, identified by its name in quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Name of the bridge or agent.
    pub name: String,
    /// Whether the bridge or agent can be bought now.
    pub available: bool,
}

/// The service that pays back payments for plugins that were removed.
pub struct Delistings {
    pub(crate) recorder: Arc<PaymentRecorder>,
    pub(crate) refunds: Arc<Refunds>,
    pub(crate) context: Arc<PaymentContext>,
}

impl Delistings {
    /// Records which products became unavailable or available again, and pays back
    /// payments for those that stayed unavailable, up to a limit per round. Returns the
    /// number of payments paid back.
    ///
    /// # Errors
    ///
    /// Fails if a write fails.
    pub async fn reconcile(&self, listings: &[Listing], now_ms: u64) -> Result<usize, PaymentError> {
        let mut returned = 0;
        for listing in listings {
            let name = &listing.name;
            match (listing.available, self.row(name)?) {
                (true, None) => {}
                (true, Some(row)) => self.save(name, Some(&row), None).await?,
                (false, None) => {
                    let row = DelistingRow { since_ms: now_ms, after: String::new(), through_ms: None };
                    self.save(name, None, Some(&row)).await?;
                }
                (false, Some(row)) if row.is_due(now_ms) => returned += self.return_payments(name, row, now_ms).await?,
                (false, Some(_)) => {}
            }
        }
        Ok(returned)
    }

    /// Examines the next page of intents, and pays back the payments made for the plugin
    /// `name`. Returns how many were paid back.
    async fn return_payments(&self, name: &str, before: DelistingRow, now_ms: u64) -> Result<usize, PaymentError> {
        let rows = self.context.db.list(Collection::Intents, &before.after, DEPARTED_INTENTS_PER_ROUND_MAX)?;
        let is_last_page = rows.len() < DEPARTED_INTENTS_PER_ROUND_MAX;
        let (mut after, mut returned, mut interrupted) = (before.after.clone(), 0, false);
        for (key, value) in rows {
            if returned == DEPARTED_RETURNS_PER_ROUND_MAX {
                interrupted = true;
                break;
            }
            let row: IntentRow = serde_json::from_slice(&value)?;
            if row.bridge == name {
                let handle = IntentHandle::from_row_key(key.clone());
                match self.return_payment(&handle, row, before.since_ms, now_ms).await {
                    Ok(done) => returned += usize::from(done),
                    // A call that began before the delisting is spending this payment;
                    // the next round resumes here.
                    Err(PaymentError::FundsInUse) => {
                        interrupted = true;
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            after = key;
        }
        let next = match is_last_page && !interrupted {
            true => DelistingRow { after: String::new(), through_ms: Some(now_ms), ..before.clone() },
            false => DelistingRow { after, ..before.clone() },
        };
        if returned > 0 {
            tracing::info!(name, returned, "returned payments for a delisted plugin");
        }
        self.save(name, Some(&before), Some(&next)).await.map(|()| returned)
    }

    /// Pays back the remainder of one payment. Returns false if nothing is left, or if
    /// the processor already refused to refund it.
    async fn return_payment(
        &self,
        handle: &IntentHandle,
        paid: IntentRow,
        since_ms: u64,
        now_ms: u64,
    ) -> Result<bool, PaymentError> {
        let outcome = match paid.account.clone() {
            Some(account) => self.recorder.convert_remainder(handle, &account, now_ms).await.map(drop),
            None => {
                let id = refund_id(handle.as_str(), since_ms);
                self.refunds.refund_remainder(handle, paid, id, REASON, now_ms).await.map(drop)
            }
        };
        match outcome {
            Ok(()) => Ok(true),
            Err(
                PaymentError::NothingRemaining
                | PaymentError::Write(SubmitError::Refused(Refusal::Duplicate { .. } | Refusal::Unexpected { .. })),
            ) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn row(&self, name: &str) -> Result<Option<DelistingRow>, PaymentError> {
        let row = self.context.db.get(Collection::Refunds, &format!("{DELISTED}{name}"))?;
        Ok(row.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }

    async fn save(
        &self,
        name: &str,
        before: Option<&DelistingRow>,
        after: Option<&DelistingRow>,
    ) -> Result<(), PaymentError> {
        let expect = match before {
            Some(before) => Expect::Exactly(serde_json::to_vec(before)?),
            None => Expect::Absent,
        };
        let value = after.map(serde_json::to_vec).transpose()?;
        let put = Put { collection: Collection::Refunds, key: format!("{DELISTED}{name}"), value, expect };
        match self.context.db.submit(Change { puts: vec![put], ..Change::default() }).await {
            // Refused because another writer has just saved the row.
            Ok(_) | Err(SubmitError::Refused(_)) => Ok(()),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }
}

impl DelistingRow {
    /// Returns whether a pass over the intents is due: both the delisting and the last
    /// complete pass are at least [`DEPARTED_MS`] ago.
    fn is_due(&self, now_ms: u64) -> bool {
        now_ms.saturating_sub(self.through_ms.unwrap_or(self.since_ms)) >= DEPARTED_MS
    }
}
