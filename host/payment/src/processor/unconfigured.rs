//! A placeholder for a processor that lacks a setting.

use async_trait::async_trait;
use tollbridge_core::money::Millipence;

use super::balance_transaction::ProcessorFee;
use super::error::{LookupError, ProcessorError};
use super::order::{LostPage, PaymentOrder, PaymentOrderStatus, PaymentPage};
use super::payment_processor::PaymentProcessor;
use super::refund::ProcessorRefund;
use super::token_charge::{TokenCharge, TokenChargeStatus};
use super::transfer::ProcessorTransfer;

/// A selected processor that lacks a setting: every request fails with an error that
/// names the setting.
pub struct UnconfiguredProcessor {
    /// The processor's name in rows and records.
    pub name: &'static str,
    /// The fix, such as `set payments.stripe.secret_key`.
    pub fix: &'static str,
}

impl UnconfiguredProcessor {
    fn refuse<T, E: From<ProcessorError>>(&self) -> Result<T, E> {
        Err(ProcessorError::NotConfigured(self.fix).into())
    }
}

#[async_trait]
impl PaymentProcessor for UnconfiguredProcessor {
    fn name(&self) -> &'static str {
        self.name
    }

    fn ensure_configured(&self) -> Result<(), ProcessorError> {
        self.refuse()
    }

    async fn open_page(&self, _: &PaymentOrder) -> Result<PaymentPage, ProcessorError> {
        self.refuse()
    }

    async fn find_page(&self, _: &LostPage<'_>) -> Result<Option<PaymentPage>, LookupError> {
        self.refuse()
    }

    async fn order_status(&self, _: &str) -> Result<PaymentOrderStatus, LookupError> {
        self.refuse()
    }

    async fn charge_token(&self, _: &TokenCharge<'_>) -> Result<TokenChargeStatus, ProcessorError> {
        self.refuse()
    }

    async fn find_token_charge(&self, _: &str, _: u64) -> Result<Option<TokenChargeStatus>, LookupError> {
        self.refuse()
    }

    async fn refund(&self, _: &str, _: &str, _: Millipence) -> Result<ProcessorRefund, ProcessorError> {
        self.refuse()
    }

    async fn find_refund(&self, _: &str, _: &str) -> Result<Option<ProcessorRefund>, LookupError> {
        self.refuse()
    }

    async fn fee_of(&self, _: &str) -> Result<Option<ProcessorFee>, LookupError> {
        self.refuse()
    }

    fn connect_url(&self, _: &str, _: &str, _: &str) -> Result<String, ProcessorError> {
        self.refuse()
    }

    async fn connect(&self, _: &str) -> Result<String, ProcessorError> {
        self.refuse()
    }

    async fn transfer(&self, _: &str, _: &str, _: Millipence) -> Result<String, ProcessorError> {
        self.refuse()
    }

    async fn find_transfer(&self, _: &str) -> Result<Option<ProcessorTransfer>, LookupError> {
        self.refuse()
    }
}
