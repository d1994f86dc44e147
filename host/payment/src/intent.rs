//! Payment intents: paid quotes.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_ledger::Payer;

use super::quote::{IntentHandle, PRODUCT_PREFIX, Quote};

/// A paid intent, as stored in `Collection::Intents` under its handle. The row is written
/// once; the unspent remainder is the balance of the intent's ledger account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentRow {
    /// The bridge whose calls the intent pays for, or `product:…`.
    pub bridge: String,
    /// The only account that may use the intent; `None` if any holder of its id may.
    pub account: Option<String>,
    /// Quoted price of one call.
    pub price: Millipence,
    /// Amount paid.
    pub charge: Millipence,
    /// Time of the payment, Unix milliseconds.
    pub paid_ms: u64,
    /// `sandbox` or `stripe`.
    pub processor: String,
    /// The processor's id of the payment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// The state of an intent, shown to the holder of its id or pay token.
#[derive(Clone, Debug)]
pub struct IntentStatus {
    /// The quoted terms.
    pub quote: Quote,
    /// The payment; `None` while unpaid.
    pub paid: Option<IntentRow>,
    /// Amount left to spend.
    pub remaining: Millipence,
    /// Whether the quote expired unpaid.
    pub expired: bool,
}

impl IntentRow {
    /// Returns the payer whose balance the payment increased: for a product, the account
    /// that bought it; otherwise the intent itself.
    pub(crate) fn payer(&self, handle: &IntentHandle) -> Payer {
        match &self.account {
            Some(account) if self.bridge.starts_with(PRODUCT_PREFIX) => Payer::Account(account.clone()),
            _ => Payer::Intent(handle.as_str().to_owned()),
        }
    }
}
