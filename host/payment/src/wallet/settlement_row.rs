//! The stored rows of settlements.

use serde::{Deserialize, Serialize};
use tollbridge_store::{Collection, Expect, Put, StoreError};
use tollbridge_x402::{Address, Authorized, Nonce, PaymentPayload};

use super::payment::WalletPayment;
use super::sale::UptoSale;
use crate::authorizer::PaymentAuthorizer;
use crate::quote::IntentHandle;

/// Keys of what a facilitator was asked for and is not booked.
pub(super) const OPEN: &str = "open/";
/// Keys of what is booked.
const BOOKED: &str = "booked/";
/// Keys of nonces; the value is the intent that each pays.
const NONCE: &str = "nonce/";

/// Which signature pays an intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Taken {
    /// As of when it was found right, Unix time in seconds.
    pub(super) checked_s: u64,
    pub(super) payer: Address,
    pub(super) nonce: Nonce,
}

impl Taken {
    /// Whether it is this payment, whenever either was checked.
    pub(super) fn is_by(&self, payment: &WalletPayment) -> bool {
        (self.payer, self.nonce) == (payment.payer(), payment.nonce())
    }
}

/// Row of `Collection::Settlements` under `open/` and the handle of the intent:
/// everything that is needed to ask again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SettlementRow {
    #[serde(flatten)]
    pub(super) taken: Taken,
    pub(super) payment: PaymentPayload,
    /// Unix milliseconds.
    pub(super) began_ms: u64,
    /// How often a facilitator was asked: what one answer says is written only if
    /// nobody has asked since.
    pub(super) asked: u32,
    pub(super) state: SettlementState,
    /// What was answered and is paid by it, where that comes first (`upto`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sale: Option<UptoSale>,
}

/// Whether money may have moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SettlementState {
    /// A facilitator was, or may have been, asked: it may have.
    Asked,
    /// It has not.
    Refused,
}

impl SettlementRow {
    pub(super) fn new(payment: &WalletPayment, sale: Option<UptoSale>, now_ms: u64) -> Self {
        Self {
            taken: payment.taken(),
            payment: payment.authorized.payment().clone(),
            began_ms: now_ms,
            asked: 1,
            state: SettlementState::Asked,
            sale,
        }
    }

    /// The same, about to be asked once more.
    pub(super) fn asked_again(&self) -> Self {
        Self { state: SettlementState::Asked, asked: self.asked.saturating_add(1), ..self.clone() }
    }

    /// The same, known not to have moved money.
    pub(super) fn refused(&self) -> Self {
        Self { state: SettlementState::Refused, ..self.clone() }
    }
}

/// Writes a row of `Collection::Settlements`, or removes it.
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

/// A nonce is one payer's, of one token, or of Permit2.
pub(super) fn nonce_key(payment: &WalletPayment) -> String {
    nonce_key_of(&payment.authorized)
}

pub(super) fn nonce_key_of(authorized: &Authorized) -> String {
    let token = authorized.requirement().token();
    let contract = authorized.nonce_contract();
    format!("{NONCE}{}/{contract}/{}/{}", token.chain, authorized.payer(), authorized.nonce())
}

impl PaymentAuthorizer {
    /// Which signature was taken for an intent, if one was.
    pub(super) fn taken(&self, handle: &IntentHandle) -> Result<Option<Taken>, StoreError> {
        for key in [booked_key(handle), open_key(handle)] {
            if let Some(row) = self.store().get(Collection::Settlements, &key)? {
                let read = serde_json::from_slice(&row);
                let doing = "reading a settlement";
                return read.map(Some).map_err(|error| StoreError { doing, source: Box::new(error) });
            }
        }
        Ok(None)
    }
}
