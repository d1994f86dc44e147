//! `Payment`: money received for a payment intent.

use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_store::Posting;

use super::chart::{LedgerAccount, transfer};
use super::entry_error::EntryError;
use super::token_paid::{TokenPaid, clearing_of};

/// Money received for a payment intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Payment {
    /// Public handle of the payment intent, never its secret id.
    pub intent: String,
    /// Name of the purchased bridge, agent or product.
    pub bridge: String,
    /// Account that owns the intent, if it has an owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Name of the payment processor: `sandbox`, `stripe`, `x402`, …
    pub processor: String,
    /// The processor's id of the payment; for a payment in tokens, the transaction hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The amount in tokens, if the payment was made in tokens and not in pounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<TokenPaid>,
    /// Amount in millipence.
    #[serde(rename = "amount_millipence")]
    pub amount: Millipence,
}

impl Payment {
    /// Name of the processor of token payments in live mode.
    pub const X402: &str = "x402";

    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        let to = LedgerAccount::Unearned(self.intent.clone());
        transfer(&clearing_of(self.token.as_ref()), &to, self.amount)
    }
}
