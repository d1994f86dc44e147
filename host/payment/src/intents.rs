//! `Intents`: the state of payment intents.

use std::sync::Arc;

use tollbridge_ledger::LedgerAccount;
use tollbridge_store::{Collection, Store, StoreError};

use super::declined::PaymentDeclined;
use super::intent::{IntentRow, IntentStatus};
use super::quote::IntentHandle;
use super::quote_signer::QuoteSigner;

/// Reads payment intents.
pub struct Intents {
    pub(crate) signer: Arc<QuoteSigner>,
    store: Arc<dyn Store>,
}

impl Intents {
    pub(crate) fn new(signer: Arc<QuoteSigner>, store: Arc<dyn Store>) -> Self {
        Self { signer, store }
    }

    /// Returns whether the payment of an intent is recorded; false if it cannot be
    /// read.
    pub fn is_paid(&self, intent_id: &str) -> bool {
        let quote = self.signer.verify_intent_id(intent_id);
        quote.is_ok_and(|quote| matches!(self.row(&quote.handle), Ok(Some(_))))
    }

    /// Returns the state of an intent by its id (`pi_…`) or pay token (`pt_…`).
    ///
    /// # Errors
    ///
    /// Returns [`PaymentDeclined::UnknownIntent`], or an error if the store cannot be
    /// read.
    pub fn status(&self, text: &str, now_ms: u64) -> Result<IntentStatus, PaymentDeclined> {
        let quote = if text.starts_with("pt_") {
            self.signer.verify_pay_token(text)
        } else {
            self.signer.verify_intent_id(text)
        };
        let quote = quote.map_err(|_| PaymentDeclined::UnknownIntent)?;
        let paid = self.row(&quote.handle)?;
        let remaining = self.store.balance(&LedgerAccount::Unearned(quote.handle.as_str().to_owned()).to_string())?;
        let expired = paid.is_none() && quote.terms.expires_s < now_ms / 1000;
        Ok(IntentStatus { quote, paid, remaining, expired })
    }

    /// Finds a paid intent by its id, its pay token, or its handle (the public id used in
    /// the ledger). For the operator only: a handle is not secret.
    ///
    /// # Errors
    ///
    /// Fails if the intent is unknown or unpaid, or if the store cannot be read.
    pub fn find_paid(&self, name: &str, now_ms: u64) -> Result<(IntentHandle, IntentRow), PaymentDeclined> {
        let (handle, paid) = match IntentHandle::parse(name) {
            Some(handle) => {
                let paid = self.row(&handle)?;
                (handle, paid)
            }
            None => {
                let status = self.status(name, now_ms)?;
                (status.quote.handle, status.paid)
            }
        };
        paid.map(|paid| (handle, paid)).ok_or(PaymentDeclined::UnknownIntent)
    }

    /// Returns the row of a paid intent.
    pub(crate) fn row(&self, handle: &IntentHandle) -> Result<Option<IntentRow>, StoreError> {
        let Some(bytes) = self.store.get(Collection::Intents, handle.as_str())? else { return Ok(None) };
        let row = serde_json::from_slice(&bytes)
            .map_err(|error| StoreError { doing: "reading an intent", source: Box::new(error) })?;
        Ok(Some(row))
    }
}
