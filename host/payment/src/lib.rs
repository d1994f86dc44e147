//! Payment for calls: quotes, intents, prepaid credit, and the processors that take the
//! money.
//!
//! A quote promises a price; once paid, it becomes an intent or credit; either authorizes
//! a call before it runs. [`PaymentService`] holds the parts that take and refund
//! payments, [`CallPayments`] the parts that every call uses.
//!
//! Invariants:
//! 1. A quote costs no disk write: all its terms are in its id, which only this host can
//!    create. It is stored when it is paid.
//! 2. The intent id is a bearer secret. The pay link contains a token derived from it one
//!    way.
//! 3. Paid money never expires; only an unpaid quote does.
//! 4. Money moves at the processor only under an id that was durable before the request;
//!    an unknown outcome is looked up, never treated as a refusal.
//! 5. An amount held for a call in flight is never held for another call, and a dropped
//!    hold is released.
//!
//! This crate never imports plugins, the catalog or HTTP, and does not depend on the kind
//! of call.

mod authorizer;
mod balance_comparison;
mod balance_holds;
mod balance_shares;
mod call_payments;
mod context;
mod declined;
mod delistings;
mod disputes;
mod earnings_release;
mod error;
mod event_counters;
mod fees;
mod host_reservations;
#[cfg(test)]
mod host_reservations_tests;
mod intent;
#[cfg(test)]
mod intent_model;
mod intents;
pub mod limits;
mod mpp;
mod order_row;
mod order_step;
mod orders;
mod payer_refunds;
mod payment_view;
mod poll_throttle;
mod processor;
mod quote;
mod quote_signer;
mod quotes;
mod recorder;
mod refund_failures;
mod refund_row;
mod refund_step;
mod refunds;
mod report;
mod review_schedule;
mod service;
mod spend_limiter;
mod stripe_events;
#[cfg(test)]
mod tests;
mod wallet;

// The next file is shared with a crate that depends on this one, so it names this crate
// `tollbridge_payment`.
#[cfg(test)]
extern crate self as tollbridge_payment;
#[cfg(test)]
#[path = "../../../tests/payment/src/faulty_processor.rs"]
pub mod faulty_processor;

pub use authorizer::{PaymentAuthorization, PaymentAuthorizer};
pub use balance_comparison::{BalanceAudit, BalanceComparison, TransactionTotals};
pub use balance_holds::Hold;
pub use balance_shares::BalanceShares;
pub use call_payments::{CallPayments, PaymentRails};
pub use declined::{CredentialDeclined, PaymentDeclined, WalletDeclined};
pub use delistings::{Delistings, Listing};
pub use disputes::{Disputes, TaskReservations};
pub use earnings_release::{ClawbackOffset, HoldReleaseCursor};
pub use error::PaymentError;
pub use host_reservations::Shortfall;
pub use intent::{IntentRow, IntentStatus};
pub use intents::Intents;
pub use mpp::{
    Challenges, CredentialPayment, Credentials, MppRail, PaidByToken, Purchase, StripeTerms, TokenCharges, TokenPayment,
};
pub use orders::{OpenPaymentPage, PaymentOrders, PaymentPageOutcome};
pub use payment_view::{PaymentState, RefundView};
pub use processor::{
    BalanceTransaction, DisputeCase, DisputeStatus, LookupError, LostPage, PaymentOrder, PaymentOrderStatus,
    PaymentPage, PaymentProcessor, ProcessorBooks, ProcessorDispute, ProcessorError, ProcessorFee, ProcessorPayment,
    ProcessorRefund, ProcessorTransfer, SANDBOX_ACCOUNTS, SandboxProcessor, StripeProcessor, StripeRequest,
    StripeSignatureError, StripeTransport, StripeWebhookSecret, TokenCharge, TokenChargeStatus, UnconfiguredProcessor,
};
pub use quote::{IntentHandle, IssuedQuote, Quote, QuoteError, QuoteTerms};
pub use quote_signer::QuoteSigner;
pub use quotes::{QuotePolicy, Quotes};
pub use recorder::{PaymentOutcome, PaymentRecorder};
pub use refund_row::{RefundRow, RefundStatus};
pub use refunds::Refunds;
pub use report::ReconcileReport;
pub use review_schedule::ReviewSchedule;
pub use service::PaymentService;
pub use spend_limiter::{DailySpendLimit, SpendLimitError, SpendLimiter, SpendReservation};
pub use stripe_events::{EventOutcome, StripeEvents};
pub use tollbridge_mpp::Challenge;
pub use wallet::{
    SandboxFacilitator, SettleWhen, UptoCall, UptoHold, UptoSale, WalletFacilitator, WalletOffer, WalletOffers,
    WalletPayment, WalletPayments, WalletRail, WalletRailError, WalletSettlements,
};
