//! The trait of payment processors.

use async_trait::async_trait;
use tollbridge_core::money::Millipence;

use super::balance_transaction::ProcessorFee;
use super::books::ProcessorBooks;
use super::error::{LookupError, ProcessorError};
use super::order::{LostPage, PaymentOrder, PaymentOrderStatus, PaymentPage};
use super::refund::ProcessorRefund;
use super::token_charge::{TokenCharge, TokenChargeStatus};
use super::transfer::ProcessorTransfer;

/// A payment processor.
#[async_trait]
pub trait PaymentProcessor: Send + Sync {
    /// Returns the processor's name in rows and records, such as `sandbox` or `stripe`.
    fn name(&self) -> &'static str;

    /// Returns whether no real money moves.
    fn is_sandbox(&self) -> bool {
        false
    }

    /// Checks that all settings required for requests are present.
    ///
    /// # Errors
    ///
    /// Returns [`ProcessorError::NotConfigured`].
    fn ensure_configured(&self) -> Result<(), ProcessorError> {
        Ok(())
    }

    /// Returns access to the processor's own accounting; `None` if it has none.
    fn books(&self) -> Option<&dyn ProcessorBooks> {
        None
    }

    /// Opens a page where an order can be paid; a repeated order returns the same page.
    /// In the sandbox, this is a page of this server.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn open_page(&self, order: &PaymentOrder) -> Result<PaymentPage, ProcessorError>;

    /// Finds the page of an order that is too old to repeat, because a repeat might open
    /// a second page; `None` if no page was opened.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn find_page(&self, lost: &LostPage<'_>) -> Result<Option<PaymentPage>, LookupError>;

    /// Looks up the status of an order.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn order_status(&self, session: &str) -> Result<PaymentOrderStatus, LookupError>;

    /// Charges a payer's token. A repeat for the same intent returns the same charge.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn charge_token(&self, charge: &TokenCharge<'_>) -> Result<TokenChargeStatus, ProcessorError>;

    /// Finds the charge of a token, requested at `asked_ms` (Unix milliseconds); `None`
    /// if no charge was made.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn find_token_charge(&self, handle: &str, asked_ms: u64) -> Result<Option<TokenChargeStatus>, LookupError>;

    /// Refunds all or part of a payment. `refund` is this server's durable id of the
    /// refund.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn refund(&self, refund: &str, payment: &str, amount: Millipence) -> Result<ProcessorRefund, ProcessorError>;

    /// Finds a refund by its durable id; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn find_refund(&self, refund: &str, payment: &str) -> Result<Option<ProcessorRefund>, LookupError>;

    /// Looks up the processor's fee of a payment; `None` while it is not known.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn fee_of(&self, payment: &str) -> Result<Option<ProcessorFee>, LookupError>;

    /// Returns the URL where a developer connects a payout account; the processor then
    /// sends the developer back to `return_url` with `state` and a code.
    ///
    /// # Errors
    ///
    /// Returns [`ProcessorError::NotConfigured`].
    fn connect_url(&self, state: &str, return_url: &str, base_url: &str) -> Result<String, ProcessorError>;

    /// Exchanges the code that a developer brings back for the id of the connected payout
    /// account.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn connect(&self, code: &str) -> Result<String, ProcessorError>;

    /// Pays out and returns the processor's id of the transfer. `withdrawal` is this
    /// server's durable id: a repeat within a day returns the same transfer.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn transfer(&self, withdrawal: &str, destination: &str, amount: Millipence)
    -> Result<String, ProcessorError>;

    /// Finds the transfer of a withdrawal; `None` if the processor has none.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn find_transfer(&self, withdrawal: &str) -> Result<Option<ProcessorTransfer>, LookupError>;
}
