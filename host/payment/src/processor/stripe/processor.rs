//! Stripe behind the traits of payment processors.

use async_trait::async_trait;
use tollbridge_core::money::Millipence;

use super::super::balance_transaction::{BalanceTransaction, ProcessorFee};
use super::super::books::ProcessorBooks;
use super::super::dispute::{DisputeCase, ProcessorDispute};
use super::super::error::{LookupError, ProcessorError};
use super::super::order::{LostPage, PaymentOrder, PaymentOrderStatus, PaymentPage};
use super::super::payment_processor::PaymentProcessor;
use super::super::refund::ProcessorRefund;
use super::super::token_charge::{TokenCharge, TokenChargeStatus};
use super::super::transfer::ProcessorTransfer;
use super::client::StripeProcessor;

// The methods of the same names are in the files of their objects.
#[async_trait]
impl PaymentProcessor for StripeProcessor {
    fn name(&self) -> &'static str {
        "stripe"
    }

    fn books(&self) -> Option<&dyn ProcessorBooks> {
        Some(self)
    }

    async fn open_page(&self, order: &PaymentOrder) -> Result<PaymentPage, ProcessorError> {
        self.open_page(order).await
    }

    async fn find_page(&self, lost: &LostPage<'_>) -> Result<Option<PaymentPage>, LookupError> {
        self.find_page(lost).await
    }

    async fn order_status(&self, session: &str) -> Result<PaymentOrderStatus, LookupError> {
        self.order_status(session).await
    }

    async fn charge_token(&self, charge: &TokenCharge<'_>) -> Result<TokenChargeStatus, ProcessorError> {
        self.charge_token(charge).await
    }

    async fn find_token_charge(&self, handle: &str, asked_ms: u64) -> Result<Option<TokenChargeStatus>, LookupError> {
        self.find_token_charge(handle, asked_ms).await
    }

    async fn refund(&self, refund: &str, payment: &str, amount: Millipence) -> Result<ProcessorRefund, ProcessorError> {
        self.refund(refund, payment, amount).await
    }

    async fn find_refund(&self, refund: &str, payment: &str) -> Result<Option<ProcessorRefund>, LookupError> {
        self.find_refund(refund, payment).await
    }

    async fn fee_of(&self, payment: &str) -> Result<Option<ProcessorFee>, LookupError> {
        self.fee_of(payment).await
    }

    fn connect_url(&self, state: &str, return_url: &str, _: &str) -> Result<String, ProcessorError> {
        self.connect_url(state, return_url)
    }

    async fn connect(&self, code: &str) -> Result<String, ProcessorError> {
        self.connect(code).await
    }

    async fn transfer(
        &self,
        withdrawal: &str,
        destination: &str,
        amount: Millipence,
    ) -> Result<String, ProcessorError> {
        self.transfer(withdrawal, destination, amount).await
    }

    async fn find_transfer(&self, withdrawal: &str) -> Result<Option<ProcessorTransfer>, LookupError> {
        self.find_transfer(withdrawal).await
    }
}

#[async_trait]
impl ProcessorBooks for StripeProcessor {
    async fn balance(&self) -> Result<Millipence, LookupError> {
        self.balance().await
    }

    async fn balance_transactions(
        &self,
        since_s: u64,
        after: Option<&str>,
    ) -> Result<(Vec<BalanceTransaction>, bool), LookupError> {
        self.balance_transactions(since_s, after).await
    }

    async fn dispute(&self, id: &str) -> Result<ProcessorDispute, LookupError> {
        self.dispute(id).await
    }

    async fn dispute_case(&self, id: &str) -> Result<DisputeCase, LookupError> {
        self.dispute_case(id).await
    }

    async fn refund_of(&self, id: &str) -> Result<Option<(String, ProcessorRefund)>, LookupError> {
        self.refund_of(id).await
    }

    async fn transfer_of(&self, id: &str) -> Result<Option<(String, ProcessorTransfer)>, LookupError> {
        self.transfer_of(id).await
    }
}
