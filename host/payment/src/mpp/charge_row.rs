//! The stored rows of charges.

use serde::{Deserialize, Serialize};
use tollbridge_core::planted::Defect;
use tollbridge_store::Hash;

use crate::quote::{IntentHandle, Quote, QuoteTerms};

/// Time from the expiry of a token's challenge until no request in flight can still
/// charge the token, in seconds.
const CHARGE_OVER_AFTER_S: u64 = 3_600;

/// Key prefix of charges that were requested and are not booked.
pub(super) const OPEN: &str = "charge/";
/// Key prefix of booked charges.
const BOOKED: &str = "charged/";
/// Key prefix of the calls, as transaction ids, that credentials pay for.
const USED: &str = "used/";

/// The token that pays an intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Taken {
    /// Time for which its challenge was checked, Unix time in seconds.
    pub(super) checked_s: u64,
    pub(super) challenge_id: String,
    #[serde(with = "hex::serde")]
    pub(super) token_sha256: Hash,
}

/// Row of `Collection::Settlements` under `charge/` and the handle of the intent, with
/// everything needed to look up and book the charge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ChargeRow {
    #[serde(flatten)]
    pub(super) taken: Taken,
    pub(super) terms: QuoteTerms,
    /// Start of the charge, Unix milliseconds.
    pub(super) began_ms: u64,
    pub(super) state: ChargeState,
}

/// The state of a charge that is not booked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ChargeState {
    /// The processor was asked, or may have been: money may have moved.
    Asked,
    /// No money moved and none will; with the processor's reason.
    Refused(String),
}

impl ChargeRow {
    pub(super) fn new(taken: Taken, terms: QuoteTerms, now_ms: u64) -> Self {
        Self { taken, terms, began_ms: now_ms, state: ChargeState::Asked }
    }

    /// Returns whether money may have moved.
    pub(super) fn is_asked(&self) -> bool {
        self.state == ChargeState::Asked
    }

    /// Returns whether the outcome can no longer change at the processor.
    pub(super) fn is_over(&self, now_ms: u64) -> bool {
        let last_s = self.terms.expires_s.saturating_add(CHARGE_OVER_AFTER_S);
        now_ms / 1000 > last_s || Defect::LateChargeForgotten.is_planted()
    }

    pub(super) fn quote(&self, handle: &IntentHandle) -> Quote {
        Quote { handle: handle.clone(), terms: self.terms.clone() }
    }
}

pub(super) fn open_key(handle: &IntentHandle) -> String {
    format!("{OPEN}{}", handle.as_str())
}

pub(super) fn booked_key(handle: &IntentHandle) -> String {
    format!("{BOOKED}{}", handle.as_str())
}

pub(super) fn used_key(handle: &IntentHandle) -> String {
    format!("{USED}{}", handle.as_str())
}
