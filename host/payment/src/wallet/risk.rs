//! `UptoRisk`: what models may cost before it is paid.
//!
//! A payment by `upto` is settled when the answer is there, so an answer whose
//! settlement fails has cost the operator what the provider takes. This bounds how
//! much that can be.
//!
//! Invariants: what runs and what is unpaid since a day is together at most what the
//! operator allows; a wallet with something unpaid gets nothing more; one signature,
//! and one nonce, runs once at a time.

use std::collections::HashMap;

use parking_lot::Mutex;
use tollbridge_core::money::Millipence;
use tollbridge_core::planted::Defect;
use tollbridge_core::time::DAY_MS;

/// What is at risk on this host, in memory: a restart forgets it.
pub(crate) struct UptoRisk {
    most: Millipence,
    /// By the handle of the intent.
    open: Mutex<HashMap<String, Exposure>>,
}

/// Why nothing more may be at risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoRisk {
    /// The same payment is under way.
    InUse,
    /// The wallet has something unpaid.
    Unpaid,
    /// It would be more than the operator allows.
    Exhausted,
}

struct Exposure {
    /// The wallet's.
    tenant: String,
    nonce: String,
    amount: Millipence,
    since_ms: u64,
    /// Whether the model has answered.
    has_run: bool,
    /// Whether the request is still under way.
    is_held: bool,
}

impl UptoRisk {
    /// At most so much within a day.
    pub(crate) fn new(most: Millipence) -> Self {
        Self { most, open: Mutex::default() }
    }

    /// Whether anything may be at risk.
    pub(crate) fn is_allowed(&self) -> bool {
        self.most > Millipence::ZERO
    }

    /// Whether so much more may be at risk.
    pub(crate) fn has_room(&self, amount: Millipence, now_ms: u64) -> bool {
        let mut open = self.open.lock();
        forget_old(&mut open, now_ms);
        fits(&open, amount, self.most)
    }

    /// Puts the most that a request can cost at risk, until it is released, has run
    /// or is paid. `handle` is that of the offer's intent, `tenant` the wallet's.
    pub(super) fn begin(
        &self,
        (handle, tenant, nonce): (&str, String, String),
        amount: Millipence,
        now_ms: u64,
    ) -> Result<(), NoRisk> {
        let mut open = self.open.lock();
        forget_old(&mut open, now_ms);
        let is_same = |other: &Exposure| other.tenant == tenant && other.nonce == nonce;
        if open.contains_key(handle) || open.values().any(is_same) {
            return Err(NoRisk::InUse);
        }
        if open.values().any(|other| other.has_run && other.tenant == tenant) {
            return Err(NoRisk::Unpaid);
        }
        if !fits(&open, amount, self.most) {
            return Err(NoRisk::Exhausted);
        }
        open.insert(
            handle.to_owned(),
            Exposure { tenant, nonce, amount, since_ms: now_ms, has_run: false, is_held: true },
        );
        Ok(())
    }

    /// The model has answered; so much is unpaid.
    pub(super) fn has_run(&self, handle: &str, amount: Millipence) {
        if let Some(exposure) = self.open.lock().get_mut(handle) {
            (exposure.has_run, exposure.amount) = (true, amount);
        }
    }

    /// The request is over: what has not run is at risk no more, and what is unpaid
    /// stays.
    pub(super) fn release(&self, handle: &str) {
        let mut open = self.open.lock();
        match open.get_mut(handle) {
            Some(exposure) if exposure.has_run && !Defect::UnpaidForgotten.is_planted() => exposure.is_held = false,
            _ => drop(open.remove(handle)),
        }
    }

    /// Whether a request is under way that it pays.
    pub(super) fn is_held(&self, handle: &str) -> bool {
        self.open.lock().get(handle).is_some_and(|exposure| exposure.is_held)
    }

    /// The handles of what a wallet has not paid, as far as this host knows.
    pub(super) fn unpaid_of(&self, tenant: &str) -> Vec<String> {
        let open = self.open.lock();
        let unpaid = open.iter().filter(|(_, exposure)| exposure.has_run && exposure.tenant == tenant);
        unpaid.map(|(handle, _)| handle.clone()).collect()
    }

    /// It is paid.
    pub(super) fn paid(&self, handle: &str) {
        self.open.lock().remove(handle);
    }
}

/// What was not paid within a day is lost, and counts no more.
fn forget_old(open: &mut HashMap<String, Exposure>, now_ms: u64) {
    open.retain(|_, exposure| !exposure.has_run || exposure.since_ms.saturating_add(DAY_MS) > now_ms);
}

fn fits(open: &HashMap<String, Exposure>, amount: Millipence, most: Millipence) -> bool {
    let at_risk = open.values().try_fold(amount, |sum, exposure| sum.checked_add(exposure.amount));
    at_risk.is_some_and(|sum| sum <= most)
}
