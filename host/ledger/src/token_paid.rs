//! What was paid in a token, and what a pound was in it.

use serde::{Deserialize, Serialize};
use tollbridge_core::limits::LEDGER_NAME_BYTES_MAX;
use tollbridge_store::Posting;

use super::bodies::Payment;
use super::chart::{LedgerAccount, transfer};
use super::entry_error::EntryError;
use super::names::name;

/// So much of a token, and what a pound was in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenPaid {
    /// In smallest units, decimal: they may be more than a number holds exactly.
    pub amount: String,
    /// The token's contract.
    pub asset: String,
    /// The chain, as CAIP-2 writes it.
    pub network: String,
    /// Whole tokens for a pound, decimal.
    pub rate: String,
    /// Since when the rate is known, Unix time in seconds.
    pub rate_as_of_s: u64,
    /// Where the rate comes from.
    pub rate_source: String,
}

impl TokenPaid {
    pub(super) fn check(&self) -> Result<(), EntryError> {
        let whole = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (before, after) = self.rate.split_once('.').unwrap_or((&self.rate, "0"));
        if !whole(&self.amount) || self.amount.len() > LEDGER_NAME_BYTES_MAX || !whole(before) || !whole(after) {
            let why = "`token` has an amount or a rate that is no decimal number".to_owned();
            return Err(EntryError::Malformed { kind: "payment", why });
        }
        name("rate", &self.rate)?;
        name("asset", &self.asset)?;
        name("network", &self.network)?;
        name("rate_source", &self.rate_source)
    }
}

impl Payment {
    /// The processor of what was paid in tokens, where money is real.
    pub const X402: &str = "x402";

    pub(super) fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        let to = LedgerAccount::Unearned(self.intent.clone());
        transfer(&clearing_of(self.token.as_ref()), &to, self.amount)
    }
}

/// Where money comes from that was paid in a token, or in pounds.
pub(super) const fn clearing_of(token: Option<&TokenPaid>) -> LedgerAccount {
    match token {
        Some(_) => LedgerAccount::WalletClearing,
        None => LedgerAccount::ProcessorClearing,
    }
}
