//! How a call is paid for: quotes, intents, prepaid credit and the processor
//! that takes the money.
//!
//! Invariants:
//! 1. A quote costs no disk write: everything it says is in its id, which only
//!    this host can have made. It is stored when somebody pays.
//! 2. The intent id is a bearer secret. The pay link shows a token that is
//!    derived from it one way.
//! 3. Paid money never expires; only an unpaid quote does.
//! 4. Money moves at the processor only under an id that was durable before it
//!    was asked; an answer that is not clear is looked up.
//! 5. What is held for calls in flight is never held twice, and a hold that is
//!    dropped is released.

mod arrivals;
mod bearers;
mod cashier;
mod claims;
mod departures;
mod disputes;
mod events;
#[cfg(any(test, feature = "testing"))]
pub mod faulty;
mod fees;
mod funds;
mod held;
mod intent;
mod orders;
mod processor;
mod quote;
mod reconciliation;
mod refunds;
mod sandbox;
mod spending;
mod spent;
mod stripe;
#[cfg(test)]
mod tests;
mod trail;
mod unbooked;

pub use cashier::{PaymentError, PaymentOutcome, PaymentService, ReconcileReport};
pub use departures::Listing;
pub use disputes::TaskReservations;
pub use events::EventOutcome;
pub use funds::{BalanceHolds, Hold, HoldError};
pub use held::{ClawbackOffset, HoldReleaseCursor};
pub use intent::{IntentRow, IntentStatus, PaymentAuthorization, PaymentAuthorizer, PaymentDeclined, QuotePolicy};
pub use orders::{OpenPaymentPage, PaymentPageOutcome};
pub use processor::{
    BalanceTransaction, DisputeStatus, PaymentOrder, PaymentOrderStatus, PaymentPage, PaymentProcessor,
    ProcessorDispute, ProcessorError, ProcessorFee, ProcessorPayment, ProcessorRefund,
};
pub use quote::{IntentHandle, IssuedQuote, Quote, QuoteError, QuoteSigner, QuoteTerms};
pub use reconciliation::{BalanceComparison, TransactionTotals};
pub use refunds::{RefundRow, RefundStatus};
pub use sandbox::{SANDBOX_ACCOUNTS, SandboxProcessor};
pub use spending::{DailySpendLimit, SpendLimitError, SpendLimiter, SpendReservation};
pub use stripe::{StripeProcessor, StripeSignatureError, StripeWebhookSecret};
