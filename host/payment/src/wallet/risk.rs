//! `UptoRisk`: a limit on unpaid model costs.
//!
//! A payment by `upto` is settled after the answer. If the settlement fails, the operator
//! has paid the model's provider and receives nothing. This module limits the total of
//! such losses.
//!
//! Invariants: the costs of running requests plus those of the unpaid answers of the last
//! day are at most the operator's limit; a wallet with an unpaid answer gets no further
//! answer; two requests with the same signature or nonce never run at the same time.

use std::collections::HashMap;

use parking_lot::Mutex;
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_core::time::DAY_MS;

/// The amounts at risk on this host. In memory: a restart forgets them.
pub(crate) struct UptoRisk {
    most: Millipence,
    /// Open exposures by the handle of the intent.
    open: Mutex<HashMap<String, Exposure>>,
}

/// The reason why a request must not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RiskRefusal {
    /// A request with this payment is already running.
    InUse,
    /// The wallet has an unpaid answer.
    Unpaid,
    /// The operator's limit would be exceeded.
    Exhausted,
}

struct Exposure {
    /// Tenant of the wallet.
    tenant: String,
    nonce: String,
    amount: Millipence,
    since_ms: u64,
    /// Whether the model has answered.
    has_run: bool,
    /// Whether the request is still in progress.
    is_held: bool,
}

impl UptoRisk {
    /// Creates a limit that allows at most `most` of unpaid costs within a day.
    pub(crate) fn new(most: Millipence) -> Self {
        Self { most, open: Mutex::default() }
    }

    /// Returns whether any risk is allowed.
    pub(crate) fn is_allowed(&self) -> bool {
        self.most > Millipence::ZERO
    }

    /// Returns whether a further `amount` fits within the limit.
    pub(crate) fn has_room(&self, amount: Millipence, now_ms: u64) -> bool {
        let mut open = self.open.lock();
        forget_old(&mut open, now_ms);
        fits(&open, amount, self.most)
    }

    /// Adds the maximum cost of a request to the amounts at risk. `handle` names the
    /// offer's intent, `tenant` the wallet.
    ///
    /// # Errors
    ///
    /// Returns the reason why the request must not run.
    pub(super) fn begin(
        &self,
        (handle, tenant, nonce): (&str, String, String),
        amount: Millipence,
        now_ms: u64,
    ) -> Result<(), RiskRefusal> {
        let mut open = self.open.lock();
        forget_old(&mut open, now_ms);
        let is_same = |other: &Exposure| other.tenant == tenant && other.nonce == nonce;
        if open.contains_key(handle) || open.values().any(is_same) {
            return Err(RiskRefusal::InUse);
        }
        if open.values().any(|other| other.has_run && other.tenant == tenant) {
            return Err(RiskRefusal::Unpaid);
        }
        if !fits(&open, amount, self.most) {
            return Err(RiskRefusal::Exhausted);
        }
        open.insert(
            handle.to_owned(),
            Exposure { tenant, nonce, amount, since_ms: now_ms, has_run: false, is_held: true },
        );
        Ok(())
    }

    /// Records that the model has answered and `amount` is unpaid.
    pub(super) fn has_run(&self, handle: &str, amount: Millipence) {
        if let Some(exposure) = self.open.lock().get_mut(handle) {
            (exposure.has_run, exposure.amount) = (true, amount);
        }
    }

    /// Ends a request. If the model has answered, the unpaid cost stays at risk;
    /// otherwise, the amount at risk is released.
    pub(super) fn release(&self, handle: &str) {
        let mut open = self.open.lock();
        match open.get_mut(handle) {
            Some(exposure) if exposure.has_run && !Defect::UnpaidForgotten.is_planted() => exposure.is_held = false,
            _ => drop(open.remove(handle)),
        }
    }

    /// Returns whether a request paid by this intent is in progress.
    pub(super) fn is_held(&self, handle: &str) -> bool {
        self.open.lock().get(handle).is_some_and(|exposure| exposure.is_held)
    }

    /// Returns the handles of a wallet's unpaid answers known to this host.
    pub(super) fn unpaid_of(&self, tenant: &str) -> Vec<String> {
        let open = self.open.lock();
        let unpaid = open.iter().filter(|(_, exposure)| exposure.has_run && exposure.tenant == tenant);
        unpaid.map(|(handle, _)| handle.clone()).collect()
    }

    /// Removes the exposure after payment.
    pub(super) fn paid(&self, handle: &str) {
        self.open.lock().remove(handle);
    }
}

/// Drops answers that have been unpaid for a day: they are written off and no longer
/// count.
fn forget_old(open: &mut HashMap<String, Exposure>, now_ms: u64) {
    open.retain(|_, exposure| !exposure.has_run || exposure.since_ms.saturating_add(DAY_MS) > now_ms);
}

fn fits(open: &HashMap<String, Exposure>, amount: Millipence, most: Millipence) -> bool {
    let at_risk = open.values().try_fold(amount, |sum, exposure| sum.checked_add(exposure.amount));
    at_risk.is_some_and(|sum| sum <= most)
}
