//! The services and settings that charges share, and the replay of stored answers to
//! repeated requests, which are not charged again.

use std::sync::Arc;

use parking_lot::Mutex;
use tollbridge_core::config::{Billing, Millionths};
use tollbridge_ledger::Notary;
use tollbridge_ledger::idempotency::{self, IdempotencyError, OnRepeat, ReplayedAnswer, RequestIdentity};
use tollbridge_payment::CallPayments;
use tollbridge_store::Db;

use super::error::GatewayError;
use super::recent::RecentRequests;
use super::usage_meter::UsageMeter;

/// The services and settings that all charges share.
pub(super) struct UsageBilling {
    pub(super) payments: Arc<CallPayments>,
    pub(super) notary: Arc<Notary>,
    pub(super) db: Db,
    pub(super) meter: Arc<UsageMeter>,
    pub(super) mode: Billing,
    pub(super) usd_gbp: Millionths,
    pub(super) recent: Mutex<RecentRequests>,
}

impl UsageBilling {
    pub(super) fn new(
        payments: Arc<CallPayments>,
        notary: Arc<Notary>,
        db: Db,
        meter: Arc<UsageMeter>,
        mode: Billing,
        usd_gbp: Millionths,
    ) -> Self {
        Self { payments, notary, db, meter, mode, usd_gbp, recent: Mutex::default() }
    }

    /// Returns the answer to an earlier request with the same idempotency key. If
    /// `repeat` is set, also returns the answer to a recent request with the same
    /// content.
    pub(super) fn replay(
        &self,
        identity: &RequestIdentity,
        repeat: bool,
        now_ms: u64,
    ) -> Result<Option<ReplayedAnswer>, GatewayError> {
        if identity.is_repeatable() {
            return Ok(idempotency::replay(self.db.store(), &self.notary, identity)?);
        }
        let recent = if repeat { self.recent.lock().find(&identity.fingerprint, now_ms) } else { None };
        let Some(tx) = recent else { return Ok(None) };
        let original = RequestIdentity { tx, on_repeat: OnRepeat::Replay, ..*identity };
        match idempotency::replay(self.db.store(), &self.notary, &original) {
            // The answer was a broken stream or too long to be stored, so the request is
            // answered again.
            Err(IdempotencyError::AlreadySealed) => Ok(None),
            found => Ok(found?),
        }
    }
}
