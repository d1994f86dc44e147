//! Payment processors, which take money from buyers and pay it out.
//!
//! [`PaymentProcessor`] is the trait, implemented by the built-in sandbox and by Stripe.
//! Every request that moves money has an id that its caller made durable first, so a
//! repeated request never moves it twice.
//!
//! Invariants:
//! 1. [`ProcessorError::Rejected`] means that no money moved and none will. Any less
//!    certain outcome is [`ProcessorError::OutcomeUnknown`].
//! 2. A look-up never rejects: its errors are [`LookupError`].
//! 3. A payment counts only when the processor reports it; a redirect of the buyer to
//!    this server proves nothing.
//!
//! This module never writes to the ledger.

mod balance_transaction;
mod books;
mod dispute;
mod error;
mod order;
mod payment_processor;
mod refund;
mod sandbox;
mod stripe;
mod token_charge;
mod transfer;
mod unconfigured;

pub use balance_transaction::{BalanceTransaction, ProcessorFee};
pub use books::ProcessorBooks;
pub use dispute::{DisputeCase, DisputeStatus, ProcessorDispute};
pub use error::{LookupError, ProcessorError};
pub use order::{LostPage, PaymentOrder, PaymentOrderStatus, PaymentPage, ProcessorPayment};
pub use payment_processor::PaymentProcessor;
pub use refund::ProcessorRefund;
pub use sandbox::{SANDBOX_ACCOUNTS, SandboxProcessor};
pub use stripe::{StripeProcessor, StripeRequest, StripeSignatureError, StripeTransport, StripeWebhookSecret};
pub use token_charge::{TokenCharge, TokenChargeStatus};
pub use transfer::ProcessorTransfer;
pub use unconfigured::UnconfiguredProcessor;
