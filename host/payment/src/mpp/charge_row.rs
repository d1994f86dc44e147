//! The stored rows of charges.

use serde::{Deserialize, Serialize};
use tollbridge_core::planted::Defect;
use tollbridge_store::Hash;

use crate::quote::{IntentHandle, Quote, QuoteTerms};

/// Time in seconds after a challenge expires during which a charge request in flight may
/// still charge the token.
const CHARGE_OVER_AFTER_S: u64 = 3_600;

/// Key prefix of charges that were requested and are not booked.
pub(super) const OPEN: &str = "charge/";
/// Key prefix of charges that are booked as payments.
const BOOKED: &str = "charged/";
/// Key prefix of used credentials; the value is the transaction id of the call that each
/// one pays for.
const USED: &str = "used/";

/// The token that pays an intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UsedToken {
    /// Unix time in seconds at which the token's challenge was first checked; a repeated
    /// credential is checked as of this time, so that it does not expire.
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
    pub(super) taken: UsedToken,
    pub(super) terms: QuoteTerms,
    /// Start of the charge, Unix milliseconds.
    pub(super) began_ms: u64,
    pub(super) state: ChargeState,
}

/// The state of a charge that is not booked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ChargeState {
    /// The charge was requested, or may have been: money may have moved.
    Asked,
    /// No money moved and none will move; contains the processor's reason.
    Refused(String),
}

impl ChargeRow {
    pub(super) fn new(taken: UsedToken, terms: QuoteTerms, now_ms: u64) -> Self {
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
