//! HTTP: routes, errors, pages. The only room that knows axum; it decides
//! nothing, it translates.
//!
//! Invariants: every public route is behind the door (`admit`); every error has
//! one shape (`error`); no error text of another room reaches a client unless
//! it was written for clients.

mod a2a;
mod account;
mod admin;
mod admit;
mod agents;
mod body;
mod bridges;
mod call_headers;
mod checkout_session;
mod connect;
mod docs;
mod eager;
mod earning;
mod error;
mod error_mapping;
mod health;
mod inference;
mod ledger;
mod listen;
mod marketplace;
mod mcp;
mod notify;
mod oauth;
mod openapi;
mod oracle;
mod owner;
mod page_headers;
mod pages;
mod path;
mod pay;
mod payments;
mod reputation;
mod resources;
mod router;
mod rules;
mod server;
mod state;
mod stripe_events;
mod tasks;
mod time;
mod webhooks;
mod withdrawals;

pub use admin::{Admin, admin_router};
pub use health::Readiness;
pub use listen::{ReceivedWebhook, listen};
pub use router::{router, router_with};
pub use server::{RequestHandler, serve};
pub use state::{AppState, Settings};
