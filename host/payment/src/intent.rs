//! Payment intents: what a quote becomes when somebody pays it.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::Payer;

use super::quote::{IntentHandle, PRODUCT_PREFIX, Quote};

/// A paid intent, as stored in `Collection::Intents` under its handle. Written
/// once; what remains of it is the balance of its ledger account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentRow {
    /// The bridge it pays for, or `product:…`.
    pub bridge: String,
    /// The account that alone may use it.
    pub account: Option<String>,
    /// Quoted price of one call.
    pub price: Millipence,
    /// What was paid.
    pub charge: Millipence,
    /// Unix milliseconds.
    pub paid_ms: u64,
    /// `sandbox` or `stripe`.
    pub processor: String,
    /// The processor's id of the payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// What the holder of an intent's id or pay token may see.
#[derive(Clone, Debug)]
pub struct IntentStatus {
    /// What was promised.
    pub quote: Quote,
    /// `None` while nobody has paid.
    pub paid: Option<IntentRow>,
    /// What is left to spend.
    pub remaining: Millipence,
    /// Whether it is unpaid and cannot be paid any more.
    pub expired: bool,
}

impl IntentRow {
    /// Whose balance the payment became: the account's that bought a product,
    /// else the intent's own.
    pub(crate) fn payer(&self, handle: &IntentHandle) -> Payer {
        match &self.account {
            Some(account) if self.bridge.starts_with(PRODUCT_PREFIX) => Payer::Account(account.clone()),
            _ => Payer::Intent(handle.as_str().to_owned()),
        }
    }
}
