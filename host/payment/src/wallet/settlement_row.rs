//! The stored rows of settlements.

use serde::{Deserialize, Serialize};
use tollbridge_store::{Collection, Expect, Put};
use tollbridge_x402::{Address, Authorized, Nonce, PaymentPayload};

use super::sale::UptoSale;
use crate::quote::IntentHandle;

/// Key prefix of settlements that were requested and are not recorded in the ledger yet.
pub(super) const OPEN: &str = "open/";
/// Key prefix of settlements that are recorded in the ledger.
const BOOKED: &str = "booked/";
/// Key prefix of nonces; the value is the intent that the nonce pays.
const NONCE: &str = "nonce/";

/// The signature that pays an intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UsedSignature {
    /// Unix time in seconds at which the signature was first checked; repeats are checked
    /// as of this time.
    pub(super) checked_s: u64,
    pub(super) payer: Address,
    pub(super) nonce: Nonce,
}

impl UsedSignature {
    /// Returns whether `other` is the same signature, regardless of the time of the
    /// check.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (self.payer, self.nonce) == (other.payer, other.nonce)
    }
}

/// Row of `Collection::Settlements` under `open/` and the handle of the intent, with
/// all data needed to repeat the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SettlementRow {
    #[serde(flatten)]
    pub(super) taken: UsedSignature,
    pub(super) payment: PaymentPayload,
    /// Start of the settlement, Unix milliseconds.
    pub(super) began_ms: u64,
    /// Number of requests to a facilitator so far. It acts as a version: the outcome of a
    /// request is written only if no later request was made.
    pub(super) asked: u32,
    pub(super) state: SettlementState,
    /// The answer that the settlement pays for; only for `upto`, where the answer comes
    /// first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sale: Option<UptoSale>,
}

/// The state of a settlement that is not recorded in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SettlementState {
    /// A facilitator was asked, or may have been: money may have moved.
    Asked,
    /// No money has moved: the settlement was refused, or its request was never sent.
    Refused,
}

impl SettlementRow {
    pub(super) fn new(taken: UsedSignature, payment: PaymentPayload, sale: Option<UptoSale>, now_ms: u64) -> Self {
        Self { taken, payment, began_ms: now_ms, asked: 1, state: SettlementState::Asked, sale }
    }

    /// Returns the row with one more request to a facilitator.
    pub(super) fn asked_again(&self) -> Self {
        Self { state: SettlementState::Asked, asked: self.asked.saturating_add(1), ..self.clone() }
    }

    /// Returns the row for a settlement that is known to have moved no money.
    pub(super) fn refused(&self) -> Self {
        Self { state: SettlementState::Refused, ..self.clone() }
    }
}

/// Returns the write of a row of `Collection::Settlements`; `None` removes the row.
pub(crate) fn put(key: String, row: Option<&impl Serialize>, expect: Expect) -> Result<Put, serde_json::Error> {
    let value = row.map(serde_json::to_vec).transpose()?;
    Ok(Put { collection: Collection::Settlements, key, value, expect })
}

pub(super) fn open_key(handle: &IntentHandle) -> String {
    format!("{OPEN}{}", handle.as_str())
}

pub(super) fn booked_key(handle: &IntentHandle) -> String {
    format!("{BOOKED}{}", handle.as_str())
}

/// Returns the row key of a nonce. A nonce is unique per payer and contract; the contract
/// is the token's or Permit2.
pub(super) fn nonce_key(authorized: &Authorized) -> String {
    let token = authorized.requirement().token();
    let contract = authorized.nonce_contract();
    format!("{NONCE}{}/{contract}/{}/{}", token.chain, authorized.payer(), authorized.nonce())
}
