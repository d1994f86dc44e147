//! Bridges that are gone: what was paid for them and not drawn goes back.
//!
//! Invariants: nothing goes back before a bridge has been gone for
//! [`DEPARTED_MS`] without a break, which a restart does not shorten or extend;
//! what belongs to an account becomes its credit, the rest is refunded to
//! whoever paid; each payment is tried once for each time that a bridge goes.

use serde::{Deserialize, Serialize};

use super::cashier::{PaymentError, PaymentService};
use super::intent::IntentRow;
use super::quote::IntentHandle;
use super::refunds::refund_id;
use tollbridge_core::limits::{DEPARTED_INTENTS_PER_ROUND_MAX, DEPARTED_MS, DEPARTED_RETURNS_PER_ROUND_MAX};
use tollbridge_store::{Change, Collection, Expect, Put, Refusal, SubmitError};

/// Before the name of something that is gone; sorts before all other refunds.
const GONE: &str = "gone/";
const REASON: &str = "bridge_gone";

/// Row of `Collection::Refunds` under `gone/<name>`: something that was sold and
/// cannot be bought any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Departure {
    /// Unix milliseconds since when.
    since_ms: u64,
    /// How far the intents were gone through this time.
    after: String,
    /// When all of them had been gone through. Quotes may be paid later.
    through_ms: Option<u64>,
}

/// Something that was once sold, by the name that its quotes are bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub name: String,
    /// Whether it can be bought now.
    pub live: bool,
}

impl PaymentService {
    /// Notes what has gone and what has come back, and gives back some of what
    /// was paid for that which is gone for good. How many payments were.
    pub async fn follow_departures(&self, sold: &[Listing], now_ms: u64) -> Result<usize, PaymentError> {
        let mut returned = 0;
        for one in sold {
            match (one.live, self.departure(&one.name)?) {
                (true, None) => {}
                (true, Some(gone)) => self.note(&one.name, Some(&gone), None).await?,
                (false, None) => {
                    let gone = Departure { since_ms: now_ms, after: String::new(), through_ms: None };
                    self.note(&one.name, None, Some(&gone)).await?;
                }
                (false, Some(gone)) if gone.is_due(now_ms) => {
                    returned += self.go_through(&one.name, gone, now_ms).await?
                }
                (false, Some(_)) => {}
            }
        }
        Ok(returned)
    }

    /// Goes through some of the intents.
    async fn go_through(&self, name: &str, before: Departure, now_ms: u64) -> Result<usize, PaymentError> {
        let rows = self.store.list(Collection::Intents, &before.after, DEPARTED_INTENTS_PER_ROUND_MAX)?;
        let last = rows.len() < DEPARTED_INTENTS_PER_ROUND_MAX;
        let (mut after, mut returned, mut stopped) = (before.after.clone(), 0, false);
        for (key, value) in rows {
            if returned == DEPARTED_RETURNS_PER_ROUND_MAX {
                stopped = true;
                break;
            }
            let row: IntentRow = serde_json::from_slice(&value)?;
            if row.bridge == name {
                match self.send_back(&IntentHandle::from_row_key(key.clone()), row, before.since_ms, now_ms).await {
                    Ok(sent) => returned += usize::from(sent),
                    // A call that began before the end is drawing on it.
                    Err(PaymentError::FundsInUse) => {
                        stopped = true;
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            after = key;
        }
        let next = match last && !stopped {
            true => Departure { after: String::new(), through_ms: Some(now_ms), ..before.clone() },
            false => Departure { after, ..before.clone() },
        };
        if returned > 0 {
            tracing::info!(name, returned, "what was paid for something that is gone was given back");
        }
        self.note(name, Some(&before), Some(&next)).await.map(|()| returned)
    }

    /// Gives back what is left of one payment; false when nothing is, or when it
    /// was tried before and the processor does not take it.
    async fn send_back(
        &self,
        handle: &IntentHandle,
        paid: IntentRow,
        since_ms: u64,
        now_ms: u64,
    ) -> Result<bool, PaymentError> {
        let done = match paid.account.clone() {
            Some(account) => self.rest_to_credit(handle, &account, now_ms).await.map(drop),
            None => {
                let id = refund_id(handle.as_str(), since_ms);
                self.give_back(handle, paid, id, REASON, now_ms).await.map(drop)
            }
        };
        match done {
            Ok(()) => Ok(true),
            Err(
                PaymentError::NothingRemaining
                | PaymentError::Write(SubmitError::Refused(Refusal::Duplicate { .. } | Refusal::Unexpected { .. })),
            ) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn departure(&self, name: &str) -> Result<Option<Departure>, PaymentError> {
        let row = self.store.get(Collection::Refunds, &format!("{GONE}{name}"))?;
        Ok(row.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }

    async fn note(
        &self,
        name: &str,
        before: Option<&Departure>,
        after: Option<&Departure>,
    ) -> Result<(), PaymentError> {
        let expect = match before {
            Some(before) => Expect::Exactly(serde_json::to_vec(before)?),
            None => Expect::Absent,
        };
        let value = after.map(serde_json::to_vec).transpose()?;
        let put = Put { collection: Collection::Refunds, key: format!("{GONE}{name}"), value, expect };
        match self.writer.submit(Change { puts: vec![put], ..Change::default() }).await {
            // Refused: somebody else has just followed it.
            Ok(_) | Err(SubmitError::Refused(_)) => Ok(()),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }
}

impl Departure {
    /// Whether payments go back now: it has been gone for long enough, and the
    /// last time that all were gone through is as long ago.
    fn is_due(&self, now_ms: u64) -> bool {
        now_ms.saturating_sub(self.through_ms.unwrap_or(self.since_ms)) >= DEPARTED_MS
    }
}
