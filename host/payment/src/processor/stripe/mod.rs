//! A direct client of Stripe's API for the dozen requests that Tollbridge needs.
//!
//! `docs/stripe.md` lists every assumption about Stripe with the page of its
//! documentation. Only Stripe's answers to look-ups are trusted; events merely trigger
//! look-ups.

mod amount;
mod balance;
mod checkout_session;
mod client;
mod connect;
mod dispute;
mod http;
mod http_transport;
mod payment_intent;
mod processor;
mod refund;
mod search;
mod signature;
mod transfer;
mod transport;

pub use processor::StripeProcessor;
pub use signature::{StripeSignatureError, StripeWebhookSecret};
pub use transport::{StripeRequest, StripeTransport};
