//! The cashier: what happens between a quote and money in the books, whoever
//! the processor is.
//!
//! Invariants:
//! 1. A payment enters the books once, in one write with what it buys. Who asks
//!    whether it has arrived, and how often, changes nothing.
//! 2. What is under way (an opened order, a refund that is owed) is a row that
//!    was durable before the processor was asked; [`PaymentService::reconcile`] takes
//!    it up again after a crash.
//! 3. An unclear answer of the processor is looked up, never taken for a no.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;

use super::disputes::TaskReservations;
use super::intent::{PaymentAuthorizer, PaymentDeclined};
use super::processor::{PaymentProcessor, ProcessorError};
use tollbridge_access::{AccessControl, AccountError};
use tollbridge_ledger::{EntryError, LedgerError, NotaryError, Parties, PartiesError};
use tollbridge_store::{Store, StoreError, SubmitError, Writer};

/// Takes payments, gives them back, and follows up what is under way.
pub struct PaymentService {
    pub payments: Arc<PaymentAuthorizer>,
    pub processor: Arc<PaymentProcessor>,
    pub store: Arc<dyn Store>,
    pub writer: Arc<Writer>,
    /// Told when a tier was bought.
    pub access: Arc<AccessControl>,
    /// Without a slash at its end; buyers come back here.
    pub base_url: String,
    /// Days that one payment for a tier lasts.
    pub tier_days: u32,
    pub(super) parties: Arc<Parties>,
    /// What waits in queued tasks; set once, where there is a queue.
    pub tasks: OnceLock<Weak<dyn TaskReservations>>,
    /// Held while a dispute is booked.
    pub(super) disputing: tokio::sync::Mutex<()>,
    /// Unix milliseconds of the last look-up, by what was looked up.
    pub(super) looked: Mutex<HashMap<String, u64>>,
}

/// A payment that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentOutcome {
    Recorded,
    /// It had been paid before; nothing was taken again.
    AlreadyPaid,
}

#[derive(Debug, thiserror::Error)]
pub enum PaymentError {
    #[error("the quote expired before it was paid; ask for a fresh one")]
    QuoteExpired,
    #[error("the processor of this server is not the sandbox; pay at the payment_link")]
    NotSandbox,
    #[error("nobody has paid this intent, or nothing of it is left")]
    NothingRemaining,
    #[error("the payment intent belongs to another account, or to none")]
    WrongAccount,
    #[error("calls in flight are using this payment; try again in a moment")]
    FundsInUse,
    #[error("tasks whose price was set aside could not be given up: {0}")]
    TaskReservations(String),
    #[error("the account of this purchase changed at the same moment; try again")]
    Conflict,
    #[error(transparent)]
    Processor(#[from] ProcessorError),
    #[error(transparent)]
    Declined(#[from] PaymentDeclined),
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error(transparent)]
    Write(SubmitError),
    #[error("the payment cannot be written down: {0}")]
    Encoding(#[from] serde_json::Error),
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error(transparent)]
    Notary(#[from] NotaryError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Parties(#[from] PartiesError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What one round of following up has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReconcileReport {
    pub looked_at: usize,
    pub finished: usize,
    /// The processor did not say what became of them.
    pub unclear: usize,
}

impl PaymentService {
    pub fn new(
        payments: Arc<PaymentAuthorizer>,
        processor: Arc<PaymentProcessor>,
        store: Arc<dyn Store>,
        writer: Arc<Writer>,
        access: Arc<AccessControl>,
        base_url: String,
        tier_days: u32,
    ) -> Self {
        let parties = Arc::new(Parties::new(store.clone(), writer.clone()));
        Self {
            payments,
            processor,
            store,
            writer,
            access,
            base_url,
            tier_days,
            parties,
            tasks: OnceLock::new(),
            disputing: tokio::sync::Mutex::default(),
            looked: Mutex::default(),
        }
    }

    /// Follows up every order, refund and dispute that is under way, and every fee
    /// that is not known yet.
    pub async fn reconcile(&self, now_ms: u64) -> Result<ReconcileReport, PaymentError> {
        let mut done = ReconcileReport::default();
        self.follow_orders(now_ms, &mut done).await?;
        self.follow_refunds(now_ms, &mut done).await?;
        self.follow_disputes(now_ms, &mut done).await?;
        self.follow_fees(now_ms, &mut done).await?;
        Ok(done)
    }
}

impl ReconcileReport {
    /// Counts one; tells whether to stop because the processor is not there.
    pub(super) fn count(&mut self, outcome: Result<bool, PaymentError>) -> Result<(), PaymentError> {
        self.looked_at += 1;
        match outcome {
            Ok(finished) => self.finished += usize::from(finished),
            Err(PaymentError::Processor(error)) => {
                tracing::warn!(%error, "the payment processor did not say what became of a payment");
                self.unclear += 1;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
