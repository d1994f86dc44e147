//! The routes and pages of accounts: keys and sign-in, OAuth, payments and refunds, own plugins and
//! their earnings, payouts, and webhooks.
//!
//! Invariants: a route shows and changes only what belongs to the account of its key or session; a
//! page works without scripts, and each change on it is a form with the session's token.
//!
//! Never imports another crate of routes, nor `http`.

mod account;
mod checkout_session;
mod connect;
mod earning;
mod error_mapping;
mod intent_refund;
mod marketplace;
mod notify;
mod oauth;
mod owner;
mod pages;
mod pay;
mod payments;
mod reputation;
mod routes;
mod stripe_events;
mod webhook_deliveries;
mod webhooks;
mod withdrawals;

pub use pages::routes::account_pages;
pub use routes::{browser_routes, routes};
