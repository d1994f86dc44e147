//! Access to a processor's own books.

use async_trait::async_trait;
use tollbridge_core::money::Millipence;

use super::balance_transaction::BalanceTransaction;
use super::dispute::{DisputeCase, ProcessorDispute};
use super::error::LookupError;
use super::refund::ProcessorRefund;
use super::transfer::ProcessorTransfer;

/// Look-ups in a processor's own books, by the processor's ids.
#[async_trait]
pub trait ProcessorBooks: Send + Sync {
    /// Returns the balance that the processor holds for this server, available or
    /// pending.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn balance(&self) -> Result<Millipence, LookupError>;

    /// Returns one page of lines since `since_s` (Unix seconds), newest first, and
    /// whether older lines follow.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn balance_transactions(
        &self,
        since_s: u64,
        after: Option<&str>,
    ) -> Result<(Vec<BalanceTransaction>, bool), LookupError>;

    /// Returns the current state of a dispute, with the intent of the disputed payment.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn dispute(&self, id: &str) -> Result<ProcessorDispute, LookupError>;

    /// Returns the data needed to answer a dispute.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn dispute_case(&self, id: &str) -> Result<DisputeCase, LookupError>;

    /// Finds a refund by the processor's id, and returns it with this server's id; `None`
    /// for refunds made elsewhere.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn refund_of(&self, id: &str) -> Result<Option<(String, ProcessorRefund)>, LookupError>;

    /// Finds a transfer by the processor's id, and returns it with the withdrawal that it
    /// paid; `None` if it paid no withdrawal.
    ///
    /// # Errors
    ///
    /// Returns the processor's error.
    async fn transfer_of(&self, id: &str) -> Result<Option<(String, ProcessorTransfer)>, LookupError>;
}
