//! Implements the processor traits with Stripe.

use std::sync::Arc;

use async_trait::async_trait;
use tollbridge_core::config::{BaseUrl, Secret};
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
use super::client::StripeClient;
use super::connect::StripeConnect;
use super::http_transport::HttpTransport;
use super::transport::StripeTransport;
use super::{balance, checkout_session, dispute, payment_intent, refund, transfer};

/// Stripe as a payment processor.
pub struct StripeProcessor {
    client: StripeClient,
    connect: StripeConnect,
}

impl StripeProcessor {
    /// Creates a client of Stripe; sends nothing. `client_id` is the id for Stripe
    /// Connect; without it no payout account can be connected.
    ///
    /// # Errors
    ///
    /// Fails if the HTTP client cannot be created.
    pub fn new(
        secret_key: Secret,
        client_id: Option<String>,
        api_base: &BaseUrl,
        connect_base: &BaseUrl,
    ) -> Result<Self, ProcessorError> {
        Ok(Self::over(Arc::new(HttpTransport::new(secret_key)?), client_id, api_base, connect_base))
    }

    /// Creates a client that sends its requests over the given transport instead of HTTP.
    pub fn over(
        transport: Arc<dyn StripeTransport>,
        client_id: Option<String>,
        api_base: &BaseUrl,
        connect_base: &BaseUrl,
    ) -> Self {
        let client = StripeClient::new(transport, api_base.to_string());
        Self { client, connect: StripeConnect { base: connect_base.to_string(), client_id } }
    }
}

#[async_trait]
impl PaymentProcessor for StripeProcessor {
    fn name(&self) -> &'static str {
        "stripe"
    }

    fn books(&self) -> Option<&dyn ProcessorBooks> {
        Some(self)
    }

    async fn open_page(&self, order: &PaymentOrder) -> Result<PaymentPage, ProcessorError> {
        checkout_session::open_page(&self.client, order).await
    }

    async fn find_page(&self, lost: &LostPage<'_>) -> Result<Option<PaymentPage>, LookupError> {
        checkout_session::find_page(&self.client, lost).await
    }

    async fn order_status(&self, session: &str) -> Result<PaymentOrderStatus, LookupError> {
        checkout_session::order_status(&self.client, session).await
    }

    async fn charge_token(&self, charge: &TokenCharge<'_>) -> Result<TokenChargeStatus, ProcessorError> {
        payment_intent::charge_token(&self.client, charge).await
    }

    async fn find_token_charge(&self, handle: &str, asked_ms: u64) -> Result<Option<TokenChargeStatus>, LookupError> {
        payment_intent::find_token_charge(&self.client, handle, asked_ms).await
    }

    async fn refund(&self, refund: &str, payment: &str, amount: Millipence) -> Result<ProcessorRefund, ProcessorError> {
        refund::refund(&self.client, refund, payment, amount).await
    }

    async fn find_refund(&self, refund: &str, payment: &str) -> Result<Option<ProcessorRefund>, LookupError> {
        refund::find_refund(&self.client, refund, payment).await
    }

    async fn fee_of(&self, payment: &str) -> Result<Option<ProcessorFee>, LookupError> {
        balance::fee_of(&self.client, payment).await
    }

    fn connect_url(&self, state: &str, return_url: &str, _: &str) -> Result<String, ProcessorError> {
        self.connect.url(state, return_url)
    }

    async fn connect(&self, code: &str) -> Result<String, ProcessorError> {
        self.connect.exchange(&self.client, code).await
    }

    async fn transfer(
        &self,
        withdrawal: &str,
        destination: &str,
        amount: Millipence,
    ) -> Result<String, ProcessorError> {
        transfer::transfer(&self.client, withdrawal, destination, amount).await
    }

    async fn find_transfer(&self, withdrawal: &str) -> Result<Option<ProcessorTransfer>, LookupError> {
        transfer::find_transfer(&self.client, withdrawal).await
    }
}

#[async_trait]
impl ProcessorBooks for StripeProcessor {
    async fn balance(&self) -> Result<Millipence, LookupError> {
        balance::balance(&self.client).await
    }

    async fn balance_transactions(
        &self,
        since_s: u64,
        after: Option<&str>,
    ) -> Result<(Vec<BalanceTransaction>, bool), LookupError> {
        balance::balance_transactions(&self.client, since_s, after).await
    }

    async fn dispute(&self, id: &str) -> Result<ProcessorDispute, LookupError> {
        dispute::dispute(&self.client, id).await
    }

    async fn dispute_case(&self, id: &str) -> Result<DisputeCase, LookupError> {
        dispute::dispute_case(&self.client, id).await
    }

    async fn refund_of(&self, id: &str) -> Result<Option<(String, ProcessorRefund)>, LookupError> {
        refund::refund_of(&self.client, id).await
    }

    async fn transfer_of(&self, id: &str) -> Result<Option<(String, ProcessorTransfer)>, LookupError> {
        transfer::transfer_of(&self.client, id).await
    }
}
